"""Search within sources, and over a corpus.

Within sources ranking is hybrid: full text (any word of the question) and embeddings, fused by reciprocal rank
(Cormack, Clarke and Buettcher 2009, doi:10.1145/1571941.1572114, k = 60). Passages with all words of the names in the
question, in their text, headings or title, come before all others, since those on a neighbour of what is asked resemble
the question as much. The search over a corpus looks at the passages nearest to a question, and at those with its words.

Both are exact, in a time that grows with the size of what is searched, but where reading the approximate index of all
embeddings is better. It is an inverted file (IVFFlat of pgvector) on each partition: k-means lists, of which a search
reads the nearest ones. It holds the passages of all corpora, so that a search filters what it reads. The smaller the
share of the passages that are searched, the more lists must be read for as many of them; below a certain share the
exact search is faster.
"""

import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias
from uuid import UUID
from weakref import WeakKeyDictionary

from pgvector import HalfVector
from sqlalchemy import Engine, TextClause
from sqlalchemy.ext.asyncio import AsyncSession

from answering.passages import RetrievedPassage
from answering.questions.asked_period import AskedPeriod
from registry.corpora.model import Corpus
from registry.passages.schemas import ALL_PASSAGES, EvidenceFilter, PassageFilter, Vector
from registry.passages.store import statements
from registry.passages.store.metadata import metadata_condition, metadata_parameters
from registry.passages.store.words import Words, words_of
from registry.sources import store as sources
from registry.viewers.model import Viewer
from registry.viewers.store import searching_viewer

# Sources searched by one statement; more are searched by several, so that none takes long.
SOURCES_PER_STATEMENT = 500
# Lists that are read in each partition when everything is searched. Of the candidate sources that exact search finds
# for real questions to 13,440 passages in 1,000 lists it finds 0.962; half of it 0.935, double 0.982
# (benchmarks/notes/storage.md).
PROBES = 96
# Sources of a corpus below which the passages near a question are likely to be of too few sources.
MIN_SOURCES = 2 * statements.CANDIDATE_PASSAGES // statements.PASSAGES_PER_CANDIDATE
SAMPLED_PASSAGES = 5_000
STALE_SECONDS = 60.0

Found: TypeAlias = tuple[UUID, float]
"""The source of a passage, and its distance from the question."""


@dataclass(frozen=True, slots=True)
class Partition:
    """A part of the passages, and the number of lists of its index."""

    passages: float
    lists: int


@dataclass(frozen=True, slots=True)
class SampledSource:
    """A source of which a sample of all passages holds some."""

    corpus_id: UUID
    partition: int
    passages: float
    """Its passages, as estimated from the sample."""
    is_active: bool


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """The index, and the sizes of large sources by a sample of passages; small ones may be missing."""

    partitions: Mapping[int, Partition]
    sources: Mapping[UUID, SampledSource]

    def probes_of_corpus(self, corpus_id: UUID, only: Collection[UUID] | None) -> int | None:
        """The number of lists of each partition that a search of a corpus or of its sources reads; None: exact."""
        passages = [
            source.passages
            for source_id, source in self.sources.items()
            if source.corpus_id == corpus_id and source.is_active and (only is None or source_id in only)
        ]
        if len(passages) < MIN_SOURCES:
            return None
        everything = sum(source.passages for source in self.sources.values())
        lists = sum(partition.lists for partition in self.partitions.values()) / len(self.partitions)
        return self._probes(sum(passages) / everything, lists)

    def probes_of_source(self, source_id: UUID) -> int | None:
        """The number of lists of its partition that a search of a source reads; None: exact."""
        source = self.sources.get(source_id)
        partition = self.partitions.get(source.partition) if source is not None else None
        if source is None or partition is None or partition.passages == 0:
            return None
        return self._probes(min(source.passages / partition.passages, 1.0), partition.lists)

    def _probes(self, share: float, lists: float) -> int | None:
        """The number of lists to read for this share of their passages.

        The nearest passages of a share lie further away, among more of the others; the lists needed grow much more
        slowly than how many these are. None where that would compute more than half as many distances as an exact
        search.
        """
        needed = math.ceil(PROBES / math.sqrt(share))
        return needed if 2 * needed <= share * lists else None


_indexes: WeakKeyDictionary[Engine, tuple[float, VectorIndex | None]] = WeakKeyDictionary()


async def vector_index(session: AsyncSession) -> VectorIndex | None:
    """The index; None unless every partition has one. Looked up once a minute in a process."""
    engine = session.get_bind().engine
    read_at, index = _indexes.get(engine, (-STALE_SECONDS, None))
    if time.monotonic() - read_at >= STALE_SECONDS:
        index = await look_up_index(session)
        _indexes[engine] = (time.monotonic(), index)
    return index


@asynccontextmanager
async def searching(session: AsyncSession, lists: int) -> AsyncIterator[None]:
    """Within the block, statements read the index in its order, at first so many lists of each partition."""
    await session.execute(statements.BEGIN_SEARCH, {"probes": str(lists)})
    yield
    await session.execute(statements.END_SEARCH)


async def look_up_index(session: AsyncSession) -> VectorIndex | None:
    """Like `vector_index`, looked up now."""
    rows = (await session.execute(statements.PARTITIONS)).all()
    passages = sum(row.passages for row in rows)
    if passages == 0 or any(row.lists is None for row in rows):
        return None
    percent = min(100.0, 100.0 * SAMPLED_PASSAGES / passages)
    return VectorIndex(
        {row.partition: Partition(row.passages, row.lists) for row in rows},
        {
            row.source_id: SampledSource(row.corpus_id, row.partition, row.passages * 100 / percent, row.active)
            for row in await session.execute(statements.SAMPLE, {"percent": percent})
        },
    )


async def passage_filter(
    session: AsyncSession, corpus: Corpus, values: EvidenceFilter, viewer: Viewer
) -> PassageFilter:
    """The restriction of a question or search, with the ids of its sources; raises what `sources.find` raises."""
    viewer = await searching_viewer(session, corpus, viewer)
    source_ids = None if values.sources is None else await sources.find_ids(session, corpus, values.sources)
    return PassageFilter(
        source_ids, values.published_from, values.published_before, documents=values.documents, viewer=viewer
    )


async def within_period(
    session: AsyncSession, corpus: Corpus, period: AskedPeriod | None, where: PassageFilter
) -> PassageFilter:
    """`where`, without documents of another time than a question asks about, if some are of that time."""
    if period is None or where.published_from is not None or where.published_before is not None:
        return where
    asked = {"corpus_id": corpus.id, "start": period.start, "end": period.end}
    return where.within(period) if await session.scalar(statements.ANY_OF_PERIOD, asked) else where


async def top_passages(
    session: AsyncSession,
    corpus: Corpus,
    source_ids: Sequence[UUID],
    question: str,
    vector: Vector,
    k: int,
    where: PassageFilter = ALL_PASSAGES,
) -> dict[UUID, list[RetrievedPassage]]:
    """The best k passages of each source, best first; a source without passages has an empty list.

    `where` restricts the documents. One round trip searches `SOURCES_PER_STATEMENT` sources.
    """
    passages: dict[UUID, list[RetrievedPassage]] = {source_id: [] for source_id in source_ids}
    words = await words_of(session, corpus, question)
    parameters = _parameters(words, vector, where) | {"k": k}
    index = await _index_for(session, where)
    large = {source_id: lists for source_id in passages if (lists := index and index.probes_of_source(source_id))}

    async def search(statement: TextClause, asked: Sequence[UUID], **found: object) -> None:
        for row in await session.execute(statement, parameters | found | {"sources": asked}):
            passages[row.source_id].append(RetrievedPassage(*row))

    if large:
        nearest = statements.nearest_of_sources(len(vector))
        async with searching(session, max(large.values())):
            rows = (await session.execute(nearest, parameters | {"sources": list(large)})).all()
        columns = ("near_sources", "near_documents", "near_ordinals", "near_distances")
        found = {name: [row[at] for row in rows] for at, name in enumerate(columns)}
        await search(statements.top_passages_of_found(), list(large), **found)
    others = [source_id for source_id in passages if source_id not in large]
    for start in range(0, len(others), SOURCES_PER_STATEMENT):
        exactly = statements.top_passages(documents_condition(where))
        await search(exactly, others[start : start + SOURCES_PER_STATEMENT])
    return passages


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
    parameters = _parameters(words, vector, where)
    parameters |= {"corpus_id": corpus.id, "only": only, "pairs": words.pairs}
    index = await _index_for(session, where)
    lists = None if index is None else index.probes_of_corpus(corpus.id, where.source_ids)
    nearest = None if lists is None else await _nearest_by_index(session, parameters, len(vector), lists)
    if nearest is None:
        nearest = await _found(session, statements.nearest_of_corpus(documents_condition(where)), parameters)
    matching = await _found(session, statements.matching_of_corpus(documents_condition(where)), parameters)
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
    """At most `PASSAGES_PER_CANDIDATE` passages of each source."""
    counts = Counter[UUID]()
    for source_id, distance in found:
        counts[source_id] += 1
        if counts[source_id] <= statements.PASSAGES_PER_CANDIDATE:
            yield source_id, distance


async def _index_for(session: AsyncSession, where: PassageFilter) -> VectorIndex | None:
    """The index of embeddings, if there is one; documents that a condition holds for may be few among those in it."""
    return None if documents_condition(where) else await vector_index(session)


def documents_condition(where: PassageFilter) -> str:
    """The condition on the documents of passages, with `{source_id}` for their source; empty if all of them count."""
    dated = where.published_from is not None or where.published_before is not None
    stored, named = where.stored_until is not None, where.documents is not None
    of_metadata = metadata_condition(where.metadata) if where.metadata is not None else ""
    own = statements.PUBLISHED * dated + statements.STORED * stored + statements.NAMED * named
    return own + of_metadata + statements.VISIBLE * (not where.viewer.sees_all)


def documents_parameters(where: PassageFilter) -> dict[str, object]:
    """The parameters of `documents_condition`."""
    start, end, stored = where.published_from, where.published_before, where.stored_until
    return {
        "published_from": start.isoformat() if start else "-infinity",
        "published_before": end.isoformat() if end else "infinity",
        "undated": where.undated,
        "stored_until": stored.isoformat() if stored else "infinity",
        "documents": None if where.documents is None else list(where.documents),
        **(metadata_parameters(where.metadata) if where.metadata is not None else {}),
        "groups": where.viewer.stored,
    }


def _parameters(words: Words, vector: Vector, where: PassageFilter) -> dict[str, object]:
    """Parameters of every statement that searches passages."""
    return {
        "vector": HalfVector(vector).to_text(),
        "words": words.any,
        "subject": words.all_of_subject,
        **documents_parameters(where),
    }
