"""The first lookups for a question: reliabilities, and the sources worth reading.

Both are looked up at the same time, in transactions of their own. A source that is added between them is not asked.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from registry.answers.context import QuestionContext, candidates_alone
from registry.documents.store import count_newer
from registry.estimations.store.estimates import turned_share
from registry.estimations.topics.store import topic_of_question
from registry.passages.store import PassageFilter, Vector, candidate_sources
from registry.passages.store.writer import find_values
from registry.platform.concurrency import both
from registry.platform.database.base import AsyncSession
from registry.readings.service import MAX_CANDIDATES
from registry.sources import store as sources
from registry.sources.reliabilities import Reliabilities, current_reliabilities


@dataclass(frozen=True, slots=True)
class Known:
    """The results of the first lookups."""

    reliabilities: Reliabilities
    """Reliabilities of the active sources that the question allows, on its topic."""
    newer_documents: int | None
    """Documents that came after the run of the reliabilities began; None without a run."""
    turned: float | None
    """The share of the run's separate runs that answer the question otherwise; None where it is no query of the run."""
    where: PassageFilter
    """The passages that the question allows."""
    relevance: Mapping[UUID, float] | None
    """Relevance of the candidate sources; None if all sources are candidates."""


async def look_up(context: QuestionContext, vector: Vector) -> Known:
    """Raises `NotFound` for a source of the question that does not exist."""
    read, relevance = context.runtime.database.read, None
    where, candidates_only = await read(partial(_scope, context))
    look_up_reliabilities = read(partial(_reliabilities, context, vector))
    if candidates_only:
        search = read(partial(_search, context, vector, where))
        # The search first: to take in the rows of a thousand sources keeps this process busy before it is on its way.
        relevance, (reliabilities, newer_documents, turned) = await both(search, look_up_reliabilities)
    else:
        reliabilities, newer_documents, turned = await look_up_reliabilities
    return Known(reliabilities.of_sources(where.source_ids), newer_documents, turned, where, relevance)


async def _scope(context: QuestionContext, session: AsyncSession) -> tuple[PassageFilter, bool]:
    """The passages that the question allows, and whether a search over all of them chooses the sources."""
    corpus, parameters = context.corpus, context.parameters
    where = await sources.passage_filter(session, corpus, parameters, context.viewer)
    source_count = await sources.count_active(session, corpus, where.source_ids)
    return where, candidates_alone(parameters, source_count)


async def _search(
    context: QuestionContext, vector: Vector, where: PassageFilter, session: AsyncSession
) -> Mapping[UUID, float]:
    """The relevance of sources in which the search finds a passage, or that state the answer as data."""
    corpus, question = context.corpus, context.question
    stated = (await find_values(session, corpus, {question: vector}, where.source_ids, where)).get(question, {})
    found = await candidate_sources(session, corpus, question, vector, limit=MAX_CANDIDATES, where=where)
    return {source_id: max(value.passage.similarity, 0.0) for source_id, value in stated.items()} | found


async def _reliabilities(
    context: QuestionContext, vector: Vector, session: AsyncSession
) -> tuple[Reliabilities, int | None, float | None]:
    reliabilities = await current_reliabilities(session, context.corpus)
    newer_documents = await count_newer(session, context.corpus, reliabilities.run)
    turned = await turned_share(session, reliabilities.run, context.question, context.viewer)
    if not context.parameters.use_topic:
        return reliabilities, newer_documents, turned
    topic = await topic_of_question(session, context.corpus, reliabilities.run, vector, context.parameters.topic)
    return reliabilities.on_topic(topic), newer_documents, turned
