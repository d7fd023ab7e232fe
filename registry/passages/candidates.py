"""Candidate sources: those in which one search over a corpus finds a passage.

It looks at the passages nearest to a question, and at those with its words. Both are exact, in a time that grows with
the size of the corpus, but where `vector_index` says that reading an approximate index is better.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeAlias
from uuid import UUID

from sqlalchemy import TextClause
from sqlalchemy.ext.asyncio import AsyncSession

from registry.corpora.model import Corpus
from registry.passages import statements
from registry.passages.restriction import ALL_PASSAGES, PassageFilter, Vector, index_for, search_parameters
from registry.passages.vector_index import searching
from registry.passages.words import words_of

Found: TypeAlias = tuple[UUID, float]
"""The source of a passage, and its distance from the question."""


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
    words = await words_of(session, corpus, question)
    only = None if where.source_ids is None else list(where.source_ids)
    parameters = search_parameters(words, vector, where)
    parameters |= {"corpus_id": corpus.id, "only": only, "pairs": words.pairs}
    index = await index_for(session, where)
    lists = None if index is None else index.probes_of_corpus(corpus.id, where.source_ids)
    nearest = None if lists is None else await _nearest_by_index(session, parameters, len(vector), lists)
    if nearest is None:
        nearest = await _found(session, statements.nearest_of_corpus(where.condition), parameters)
    matching = await _found(session, statements.matching_of_corpus(where.condition), parameters)
    distances: dict[UUID, float] = {}
    for source_id, distance in chain(nearest, matching):
        distances[source_id] = min(distance, distances.get(source_id, distance))
    best = sorted(distances, key=lambda source_id: (distances[source_id], source_id))[:limit]
    return {source_id: min(max(1 - distances[source_id], 0.0), 1.0) for source_id in best}


async def _nearest_by_index(
    session: AsyncSession, parameters: Mapping[str, object], dimension: int, lists: int
) -> Sequence[Found] | None:
    """None if most of the passages near the question are of the same few sources, which would hide the others."""
    async with searching(session, lists):
        indexed = await _found(session, statements.indexed_of_corpus(dimension), parameters)
    kept = list(_first_of_each(indexed))[: statements.CANDIDATE_PASSAGES]
    return kept if len(kept) == statements.CANDIDATE_PASSAGES else None


async def _found(session: AsyncSession, statement: TextClause, parameters: Mapping[str, object]) -> Sequence[Found]:
    return [(row.source_id, row.distance) for row in await session.execute(statement, parameters)]


def _first_of_each(found: Iterable[Found]) -> Iterator[Found]:
    """At most `PASSAGES_PER_CANDIDATE` of each source."""
    counts = Counter[UUID]()
    for source_id, distance in found:
        counts[source_id] += 1
        if counts[source_id] <= statements.PASSAGES_PER_CANDIDATE:
            yield source_id, distance
