"""The approximate index of all embeddings: whether there is one, and when a search by it is better than an exact one.

It is an inverted file (IVFFlat of pgvector) on each partition: k-means lists, of which a search reads the nearest ones.
It holds the passages of all corpora, so that a search filters what it reads. The smaller the share of the passages
that are searched, the more lists must be read for as many of them; below a certain share the exact search is faster.
"""

import math
import time
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID
from weakref import WeakKeyDictionary

from sqlalchemy import Engine, text
from sqlalchemy.ext.asyncio import AsyncSession

from registry.passages.store.statements import CANDIDATE_PASSAGES, PASSAGES_PER_CANDIDATE

# Lists that are read in each partition when everything is searched. Of the candidate sources that exact search finds
# for real questions to 13,440 passages in 1,000 lists it finds 0.962; half of it 0.935, double 0.982
# (benchmarks/notes/storage.md).
PROBES = 96
# Sources of a corpus below which the passages near a question are likely to be of too few sources.
MIN_SOURCES = 2 * CANDIDATE_PASSAGES // PASSAGES_PER_CANDIDATE
SAMPLED_PASSAGES = 5_000
STALE_SECONDS = 60.0

# One row a partition. While an index is replaced by one with more lists there are two.
PARTITIONS = text(
    r"""
    SELECT partition.oid AS partition, partition.relname AS name, greatest(partition.reltuples, 0) AS passages,
           min((SELECT CAST(option_value AS int) FROM pg_options_to_table(index.reloptions)
                WHERE option_name = 'lists')) FILTER (WHERE pg_index.indisvalid) AS lists
    FROM pg_inherits
    JOIN pg_class AS partition ON partition.oid = inhrelid
    LEFT JOIN pg_index ON indrelid = partition.oid
    LEFT JOIN pg_class AS index ON index.oid = indexrelid AND index.relname LIKE '%\_vectors\_%'
    WHERE inhparent = CAST('passages' AS regclass)
    GROUP BY partition.oid, partition.relname, partition.reltuples
    ORDER BY partition.relname
    """
)
SAMPLE = text(
    """
    SELECT sample.source_id, sample.partition, sample.passages, sources.corpus_id, sources.status = 'active' AS active
    FROM (SELECT source_id, tableoid AS partition, count(*) AS passages
          FROM passages TABLESAMPLE SYSTEM (:percent) GROUP BY source_id, tableoid) AS sample
    JOIN sources ON sources.id = sample.source_id
    """
)
# Sorting instead of reading the index in its order would be planned where statistics are missing.
BEGIN_SEARCH = text(
    """
    SELECT set_config('ivfflat.probes', :probes, true), set_config('ivfflat.iterative_scan', 'relaxed_order', true),
           set_config('enable_sort', 'off', true)
    """
)
END_SEARCH = text("SELECT set_config('enable_sort', 'on', true)")


@dataclass(frozen=True, slots=True)
class Partition:
    """A part of the passages, and the number of lists of its index."""

    name: str
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


async def indexed_partitions(session: AsyncSession) -> int:
    return sum(row.lists is not None for row in await session.execute(PARTITIONS))


@asynccontextmanager
async def searching(session: AsyncSession, lists: int) -> AsyncIterator[None]:
    """Within the block, statements read the index in its order, at first so many lists of each partition."""
    await session.execute(BEGIN_SEARCH, {"probes": str(lists)})
    yield
    await session.execute(END_SEARCH)


async def look_up_index(session: AsyncSession) -> VectorIndex | None:
    """Like `vector_index`, looked up now."""
    rows = (await session.execute(PARTITIONS)).all()
    passages = sum(row.passages for row in rows)
    if passages == 0 or any(row.lists is None for row in rows):
        return None
    percent = min(100.0, 100.0 * SAMPLED_PASSAGES / passages)
    return VectorIndex(
        {row.partition: Partition(row.name, row.passages, row.lists) for row in rows},
        {
            row.source_id: SampledSource(row.corpus_id, row.partition, row.passages * 100 / percent, row.active)
            for row in await session.execute(SAMPLE, {"percent": percent})
        },
    )
