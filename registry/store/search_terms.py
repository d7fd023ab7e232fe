"""The words of a question that full-text search looks for.

A word that occurs in every tenth passage hardly discriminates and costs most of a search. Where there are many
passages, only the rarer words of a question are searched for.
"""

import time
from collections.abc import Mapping, Sequence
from weakref import WeakKeyDictionary

from sqlalchemy import Engine, text
from sqlalchemy.ext.asyncio import AsyncSession

from registry.models import Corpus

# Estimated matches of all words of a question together: 30 ms at a million passages instead of 600.
MAX_MATCHES = 20_000
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

_frequent_lexemes: WeakKeyDictionary[Engine, tuple[float, Mapping[str, float]]] = WeakKeyDictionary()


async def tsquery_of(session: AsyncSession, corpus: Corpus, question: str) -> str:
    """The text of a tsquery for any of the rarer words of the question; empty if it has no words but stop words."""
    parameters = {"language": corpus.text_search, "question": question.replace("\x00", " ")}
    lexemes = (await session.scalars(LEXEMES, parameters)).all()
    return " | ".join(map(quote_lexeme, rarest_lexemes(lexemes, await _match_counts(session))))


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
    """The lexeme quoted for the text of a tsquery."""
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"


async def _match_counts(session: AsyncSession) -> Mapping[str, float]:
    engine = session.get_bind().engine
    read_at, counts = _frequent_lexemes.get(engine, (-STALE_SECONDS, {}))
    if time.monotonic() - read_at < STALE_SECONDS:
        return counts
    counts = {lexeme: float(passages) for lexeme, passages in await session.execute(FREQUENT_LEXEMES)}
    _frequent_lexemes[engine] = (time.monotonic(), counts)
    return counts
