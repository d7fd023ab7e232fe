"""The two indexes of passages, as searches use them: the words of full text, and the approximate index of embeddings.

A word that occurs in every tenth passage hardly discriminates and costs most of a search. Where there are many
passages, full text searches for the rarer words of a question only.

The index of embeddings is an inverted file (IVFFlat of pgvector) on each partition: k-means lists, of which a search
reads the nearest ones. It holds the passages of all corpora, so that a search filters what it reads. The smaller the
share of the passages that are searched, the more lists must be read for as many of them; below a certain share the
exact search is faster.
"""

import math
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from uuid import UUID
from weakref import WeakKeyDictionary

from sqlalchemy import Engine, text
from sqlalchemy.ext.asyncio import AsyncSession

from answering.questions.names import question_names
from answering.text.bigrams import with_bigrams
from registry.corpora.model import Corpus

# Estimated matches of all words of a question together: 30 ms at a million passages instead of 600.
MAX_MATCHES = 20_000
# The rarest words of which pairs are searched for: the number of pairs grows with the square.
MAX_PAIRED_WORDS = 12
KEPT_QUESTIONS = 256
# Lists that are read in each partition when everything is searched. Of the candidate sources that exact search finds
# for real questions to 13,440 passages in 1,000 lists it finds 0.962; half of it 0.935, double 0.982
# (benchmarks/notes/storage.md).
PROBES = 96
SAMPLED_PASSAGES = 5_000
# How long what is known of the indexes is kept.
STALE_SECONDS = 60.0

LEXEMES = text("SELECT lexeme FROM unnest(to_tsvector(CAST(:language AS regconfig), :question))")
# Passages with each frequent lexeme, as ANALYZE estimated; a lexeme that is not listed is rare.
FREQUENT_LEXEMES = text(
    r"""
    SELECT common.lexeme, sum(common.frequency * greatest(partition.reltuples, 0))
    FROM pg_inherits
    JOIN pg_class AS partition ON partition.oid = pg_inherits.inhrelid
    JOIN pg_stats ON pg_stats.tablename = partition.relname AND pg_stats.attname = 'lexemes'
         AND pg_stats.schemaname = current_schema()
    CROSS JOIN unnest(most_common_elems\:\:text\:\:text[], most_common_elem_freqs) AS common (lexeme, frequency)
    WHERE pg_inherits.inhparent = CAST('passages' AS regclass) AND common.lexeme IS NOT NULL
    GROUP BY common.lexeme
    """
)
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

_lexemes_of: WeakKeyDictionary[Engine, OrderedDict[tuple[str, str], Sequence[str]]] = WeakKeyDictionary()
_frequent_lexemes: WeakKeyDictionary[Engine, tuple[float, Mapping[str, float]]] = WeakKeyDictionary()


@dataclass(frozen=True)
class Words:
    """The lexemes of a question from rare to frequent, as texts of a tsquery; empty if it has none but stop words.

    `matches` maps frequent lexemes to estimated numbers of passages.
    """

    lexemes: Sequence[str]
    matches: Mapping[str, float]
    subject: Sequence[str] = ()
    """Words of the names in the question."""

    @property
    def all_of_subject(self) -> str:
        """Query for passages with all words of the names in the question; without a name it finds none."""
        return " & ".join(map(quote_lexeme, self.subject))

    @property
    def any(self) -> str:
        """Query for passages with any of the words, of the rarest ones whose matches stay within `MAX_MATCHES`."""
        return " | ".join(self._rarest)

    @property
    def pairs(self) -> str:
        """Query for passages with two of the `MAX_PAIRED_WORDS` rarest; `ts_rank` ranks these above all with one."""
        pairs = combinations(self._rarest[:MAX_PAIRED_WORDS], 2)
        return " | ".join(f"({first} & {second})" for first, second in pairs)

    @cached_property
    def _rarest(self) -> list[str]:
        return list(map(quote_lexeme, rarest_lexemes(self.lexemes, self.matches)))


async def words_of(session: AsyncSession, corpus: Corpus, question: str) -> Words:
    names = " ".join(name.text for name in question_names(question))
    subject = await _lexemes(session, corpus.text_search, names) if names else ()
    return Words(await _lexemes(session, corpus.text_search, question), await _match_counts(session), subject)


def rarest_lexemes(lexemes: Sequence[str], matches: Mapping[str, float]) -> list[str]:
    """The lexemes from rare to frequent whose matches together stay within `MAX_MATCHES`; at least the rarest one.

    `matches` maps frequent lexemes to estimated numbers of passages.
    """
    chosen: list[str] = []
    total = 0.0
    for lexeme in sorted(lexemes, key=lambda lexeme: (matches.get(lexeme, 0.0), lexeme)):
        total += matches.get(lexeme, 0.0)
        if chosen and total > MAX_MATCHES:
            break
        chosen.append(lexeme)
    return chosen


def quote_lexeme(lexeme: str) -> str:
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"


async def _lexemes(session: AsyncSession, language: str, question: str) -> Sequence[str]:
    """The lexemes of a question. The last ones are cached, as a question is searched for several times."""
    kept = _lexemes_of.setdefault(session.get_bind().engine, OrderedDict())
    key = language, question
    if key not in kept:
        parameters = {"language": language, "question": with_bigrams(question.replace("\x00", " "))}
        kept[key] = (await session.scalars(LEXEMES, parameters)).all()
        if len(kept) > KEPT_QUESTIONS:
            kept.popitem(last=False)
    return kept[key]


async def _match_counts(session: AsyncSession) -> Mapping[str, float]:
    engine = session.get_bind().engine
    read_at, counts = _frequent_lexemes.get(engine, (-STALE_SECONDS, {}))
    if time.monotonic() - read_at < STALE_SECONDS:
        return counts
    counts = {lexeme: float(passages) for lexeme, passages in await session.execute(FREQUENT_LEXEMES)}
    _frequent_lexemes[engine] = (time.monotonic(), counts)
    return counts


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

    def probes_of_corpus(self, corpus_id: UUID, only: Collection[UUID] | None, least: int) -> int | None:
        """The number of lists of each partition that a search of a corpus or of its sources reads; None: exact, as of
        less than `least` sources.
        """
        passages = [
            source.passages
            for source_id, source in self.sources.items()
            if source.corpus_id == corpus_id and source.is_active and (only is None or source_id in only)
        ]
        if len(passages) < least:
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
        {row.partition: Partition(row.passages, row.lists) for row in rows},
        {
            row.source_id: SampledSource(row.corpus_id, row.partition, row.passages * 100 / percent, row.active)
            for row in await session.execute(SAMPLE, {"percent": percent})
        },
    )


def indexed(dimension: int) -> str:
    """The indexed expression. The column has no dimension, which an index needs; an exact search, which does not name
    this expression, can never be planned with the index.
    """
    return f"(CAST(embedding AS halfvec({dimension})))"
