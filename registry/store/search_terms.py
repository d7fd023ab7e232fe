"""The words of a question worth searching for.

A word that stands in every tenth passage tells hardly anything and costs most of a search, so that where there are
many passages only the rarer words of a question are searched for.
"""

import time
from collections.abc import Mapping, Sequence
from weakref import WeakKeyDictionary

from sqlalchemy import Engine, text
from sqlalchemy.ext.asyncio import AsyncSession

from registry.models import Corpus

# Passages that full text may find for one question, by estimate: 30 ms at a million passages instead of 600.
MOST_MATCHES = 20_000
STALE_SECONDS = 60.0

LEXEMES = text("SELECT lexeme FROM unnest(to_tsvector(CAST(:language AS regconfig), :question))")
# What ANALYZE found, in passages; a lexeme that is not listed is rare.
FREQUENT = text(
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

_known: WeakKeyDictionary[Engine, tuple[float, Mapping[str, float]]] = WeakKeyDictionary()


async def search_words(session: AsyncSession, corpus: Corpus, question: str) -> str:
    """The question as a tsquery: any of its words that are not too frequent. Empty if it has none."""
    asked = {"language": corpus.text_search, "question": question.replace("\x00", " ")}
    lexemes = (await session.scalars(LEXEMES, asked)).all()
    return " | ".join(quoted(lexeme) for lexeme in rarest(lexemes, await _frequent(session)))


def rarest(lexemes: Sequence[str], matches: Mapping[str, float]) -> list[str]:
    """The lexemes from rare to frequent, as long as all of them together find few passages; at least the rarest."""
    chosen: list[str] = []
    total = 0.0
    for lexeme in sorted(lexemes, key=lambda lexeme: (matches.get(lexeme, 0.0), lexeme)):
        total += matches.get(lexeme, 0.0)
        if chosen and total > MOST_MATCHES:
            break
        chosen.append(lexeme)
    return chosen


def quoted(lexeme: str) -> str:
    """The lexeme as a tsquery's text holds it, whatever characters it has."""
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"


async def _frequent(session: AsyncSession) -> Mapping[str, float]:
    engine = session.get_bind().engine
    read_at, found = _known.get(engine, (-STALE_SECONDS, {}))
    if time.monotonic() - read_at < STALE_SECONDS:
        return found
    found = {lexeme: float(passages) for lexeme, passages in await session.execute(FREQUENT)}
    _known[engine] = (time.monotonic(), found)
    return found
