"""The words of a question, as queries of the full-text index.

A word that occurs in every tenth passage hardly discriminates and costs most of a search. Where there are many
passages, full text searches for the rarer words of a question only.
"""

import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from weakref import WeakKeyDictionary

from sqlalchemy import Engine, text
from sqlalchemy.ext.asyncio import AsyncSession

from answering.questions.names import question_names
from registry.corpora.model import Corpus

# Estimated matches of all words of a question together: 30 ms at a million passages instead of 600.
MAX_MATCHES = 20_000
# The rarest words of which pairs are searched for: the number of pairs grows with the square.
MAX_PAIRED_WORDS = 12
STALE_SECONDS = 60.0
KEPT_QUESTIONS = 256

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
    """Those of the names in the question."""

    @property
    def all_of_subject(self) -> str:
        """For passages with all words of the names in the question; empty, so that it finds none, without a name."""
        return " & ".join(map(quote_lexeme, self.subject))

    @property
    def any(self) -> str:
        """For passages with any of the words, of the rarest ones whose matches stay within `MAX_MATCHES`."""
        return " | ".join(self._rarest)

    @property
    def pairs(self) -> str:
        """For passages with two of the `MAX_PAIRED_WORDS` rarest of them. `ts_rank` ranks these above all with one."""
        pairs = combinations(self._rarest[:MAX_PAIRED_WORDS], 2)
        return " | ".join(f"({first} & {second})" for first, second in pairs)

    @cached_property
    def _rarest(self) -> list[str]:
        return list(map(quote_lexeme, rarest_lexemes(self.lexemes, self.matches)))


async def words_of(session: AsyncSession, corpus: Corpus, question: str) -> Words:
    """The words of a question in the language of the corpus."""
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
    """The lexeme quoted for the text of a tsquery."""
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"


async def _lexemes(session: AsyncSession, language: str, question: str) -> Sequence[str]:
    """Those of the questions asked last are kept: a question is searched for several times."""
    kept = _lexemes_of.setdefault(session.get_bind().engine, OrderedDict())
    key = language, question
    if key not in kept:
        parameters = {"language": language, "question": question.replace("\x00", " ")}
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
