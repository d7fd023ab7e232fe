"""Candidate sources: those in which one search over a corpus finds a passage.

It looks at the passages nearest to a question, and at those with its words. Both are exact, in a time that grows with
the size of the corpus, but where `vector_index` says that reading an approximate index is better. They can be searched
for at the same time.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeAlias, TypeVar
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from registry.concurrency import both
from registry.models import Corpus
from registry.store.passages import statements
from registry.store.passages.restriction import ALL_PASSAGES, PassageFilter, Vector, index_for, search_parameters
from registry.store.passages.vector_index import searching
from registry.store.passages.words import words_of

Result = TypeVar("Result")
Found: TypeAlias = tuple[UUID, float]
"""The source of a passage, and its distance from the question."""


class Transaction(Protocol):
    """Runs an operation in a transaction of its own."""

    async def __call__(self, operation: Callable[[AsyncSession], Awaitable[Result]]) -> Result:
        """What the operation returns."""


@dataclass(frozen=True, slots=True)
class CandidateSearch:
    """What is searched for, and how."""

    parameters: dict[str, object]
    condition: str
    """On the documents of passages."""
    limit: int
    dimension: int
    lists: int | None
    """How many lists of each partition of the index are read; None: all distances are computed."""


async def plan_candidates(
    session: AsyncSession,
    corpus: Corpus,
    question: str,
    vector: Vector,
    *,
    limit: int,
    where: PassageFilter = ALL_PASSAGES,
) -> CandidateSearch:
    """A search for at most `limit` active sources, of what `where` allows."""
    words = await words_of(session, corpus, question)
    only = None if where.source_ids is None else list(where.source_ids)
    parameters = search_parameters(words, vector, where)
    parameters |= {"corpus_id": corpus.id, "only": only, "pairs": words.pairs, "rare": words.rare}
    index = await index_for(session, where)
    lists = None if index is None else index.probes_of_corpus(corpus.id, where.source_ids)
    return CandidateSearch(parameters, where.condition, limit, len(vector), lists)


async def candidate_sources(
    session: AsyncSession,
    corpus: Corpus,
    question: str,
    vector: Vector,
    *,
    limit: int,
    where: PassageFilter = ALL_PASSAGES,
) -> dict[UUID, float]:
    """Active sources in which one search over the corpus finds a passage, with the best one's similarity in [0, 1]."""
    search = await plan_candidates(session, corpus, question, vector, limit=limit, where=where)
    return _best(search, await _nearest(search, session), await _matching(search, session))


async def candidate_sources_at_once(transaction: Transaction, search: CandidateSearch) -> dict[UUID, float]:
    """As `candidate_sources`, by two transactions at the same time."""
    nearest, matching = await both(transaction(partial(_nearest, search)), transaction(partial(_matching, search)))
    return _best(search, nearest, matching)


async def _nearest(search: CandidateSearch, session: AsyncSession) -> Sequence[Found]:
    """The passages nearest to the question, the nearest first, at most `PASSAGES_PER_CANDIDATE` of each source."""
    if search.lists is not None:
        async with searching(session, search.lists):
            rows = await session.execute(statements.indexed_of_corpus(search.dimension), search.parameters)
            indexed = list(_first_of_each((row.source_id, row.distance) for row in rows))
        if len(indexed) >= statements.CANDIDATE_PASSAGES:
            return indexed[: statements.CANDIDATE_PASSAGES]
        # Most of what is near is of the same few sources, which would hide the others.
    rows = await session.execute(statements.nearest_of_corpus(search.condition), search.parameters)
    return [(row.source_id, row.distance) for row in rows]


async def _matching(search: CandidateSearch, session: AsyncSession) -> Sequence[Found]:
    """Passages with words of the question."""
    rows = await session.execute(statements.matching_of_corpus(search.condition), search.parameters)
    return [(row.source_id, row.distance) for row in rows]


def _first_of_each(found: Iterable[Found]) -> Iterable[Found]:
    counts = Counter[UUID]()
    for source_id, distance in found:
        counts[source_id] += 1
        if counts[source_id] <= statements.PASSAGES_PER_CANDIDATE:
            yield source_id, distance


def _best(search: CandidateSearch, *rankings: Iterable[Found]) -> dict[UUID, float]:
    """The sources of the passages that are nearest to the question."""
    distances: dict[UUID, float] = {}
    for ranking in rankings:
        for source_id, distance in ranking:
            distances[source_id] = min(distance, distances.get(source_id, distance))
    nearest = sorted(distances, key=lambda source_id: (distances[source_id], source_id))[: search.limit]
    return {source_id: min(max(1 - distances[source_id], 0.0), 1.0) for source_id in nearest}
