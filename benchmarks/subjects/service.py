"""The countries in the service, and what it replies to a question."""

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from benchmarks.multisource.service import ServiceFailed, asked
from benchmarks.subjects.countries import Countries
from registry.answers.schemas import AnswerParameters
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusInput
from registry.documents.imports import import_documents_of_sources, import_queries
from registry.runtime import Runtime
from registry.search.service import search

CORPUS = "countries"
# What one reader sees of the whole corpus: naive RAG, RA-RAG section 5.1 (arXiv:2410.22954).
PLAIN_PASSAGES = 10


@dataclass(frozen=True, slots=True)
class Reply:
    """What was replied to one question; of a question in parts also what was replied to each."""

    question: str
    answers: tuple[str, ...]
    confidence: float = 0.0
    reason: str | None = None
    """The code of why there is no answer."""
    parts: "tuple[Reply, ...]" = ()

    @property
    def answer(self) -> str | None:
        """The first answer."""
        return self.answers[0] if self.answers else None


async def load(runtime: Runtime, countries: Countries) -> Corpus:
    """A corpus with all documents, and the queries without their gold answers."""
    async with runtime.database.begin() as session:
        corpus = await corpora.create(session, CorpusInput(name=CORPUS))
    queries = [{"external_id": f"{number}", "text": query.text} for number, query in enumerate(countries.queries)]
    for results in (
        import_documents_of_sources(runtime, corpus, _lines(countries.lines)),
        import_queries(runtime, corpus, _lines(queries)),
    ):
        async for result in results:
            if result.error is not None:
                raise ServiceFailed(f"the service refused line {result.line} of the countries: {result.error}")
    return corpus


async def _lines(rows: Sequence[object]) -> AsyncIterator[bytes]:
    for row in rows:
        yield json.dumps(row).encode()


async def ask(runtime: Runtime, corpus: Corpus, question: str, parameters: AnswerParameters | None = None) -> Reply:
    """What the service replies, by default to a question without parameters."""
    result, _ = await asked(runtime, corpus, question, parameters or AnswerParameters())
    return reply_of(question, result)


class _Result(Protocol):
    """What a result has, and so a part of one; the other fields depend on the version of the service."""

    @property
    def answers(self) -> Sequence[str]: ...


def reply_of(question: str, result: _Result) -> Reply:
    """The reply in a result, or in a part of one; versions of the service without parts have none."""
    no_answer = getattr(result, "no_answer", None)
    return Reply(
        question=question,
        answers=tuple(result.answers),
        confidence=getattr(result, "confidence", 0.0),
        reason=None if no_answer is None else str(no_answer.code),
        parts=tuple(reply_of(part.question, part) for part in getattr(result, "parts", None) or ()),
    )


async def plain_rag(runtime: Runtime, corpus: Corpus, question: str) -> Reply:
    """One reader over the passages that one search over the corpus finds, whoever published them."""
    hits = await search(runtime, corpus, question, limit=PLAIN_PASSAGES, reliability_weight=0.0)
    reading = await runtime.require_reader().read(question, [hit.passage.content for hit in hits])
    return Reply(question, () if reading.answer is None else (reading.answer,), reading.confidence or 0.0)
