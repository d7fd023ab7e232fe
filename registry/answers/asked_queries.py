"""Questions that were asked become queries, as far as the corpus and who asks allow, to estimate on what people ask."""

from typing import Final
from uuid import UUID

from answering.questions.answer_type import FUNCTION_WORDS
from answering.text import tokenize
from registry.answers.result_schemas import AnswerResult
from registry.corpora.model import Corpus
from registry.platform.enums import QueryOrigin
from registry.queries import store as queries
from registry.query_generations import store
from registry.query_generations.known_queries import KnownQueries
from registry.runtime import Runtime

# Queries with the most words in common, function words aside, whose meaning is compared.
COMPARED: Final = 20
# One source alone cannot be compared with any other.
LEAST_SOURCES: Final = 2


async def keep_question(
    runtime: Runtime,
    corpus: Corpus,
    question: str,
    answer_id: UUID,
    result: AnswerResult,
) -> None:
    """Add the question as a query where two sources answer it, no query asks it already, and the corpus does not have
    as many as it wants.
    """
    if sum(entry.votes for entry in result.tally) < LEAST_SOURCES:
        return
    words = set(tokenize(question))
    async with runtime.database.begin() as session:
        if await queries.asked_count(session, corpus) >= corpus.asked_queries:
            return
        resembling = await store.resembling(session, corpus, (words - FUNCTION_WORDS) or words, COMPARED)
    answers = [entry.answer for entry in sorted(result.tally, key=lambda entry: -entry.votes)]
    pairs = [(text, (provenance or {}).get("leading_answer")) for text, provenance in resembling]
    known = await KnownQueries.of(runtime.embedder, pairs)
    if known.has(question, (await runtime.embedder.embed([question]))[0], answers):
        return
    provenance = {"answer_id": str(answer_id), "leading_answer": answers[0]}
    async with runtime.database.begin() as session:
        await store.add(session, corpus, question, QueryOrigin.ASKED, provenance, active=True)
