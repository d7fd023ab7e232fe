"""The service's two statements, raced: hybrid top passages of many sources, and a corpus's candidate sources."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from statistics import mean

from benchmarks.harness import Timing, race
from benchmarks.partitions_corpus import Question
from benchmarks.partitions_layout import Connection, Layout, corpus_id, source_id
from benchmarks.partitions_layout import settings as with_settings
from benchmarks.partitions_queries import (
    CANDIDATES,
    CANDIDATES_BY_TABLE,
    NEAR_BY_SOURCE,
    TOP_PASSAGES,
    TOP_PASSAGES_BY_ROWS,
    Asker,
    rows,
)

OURS = "covering key, affordable lexemes"
OURS_EVERY = "covering key, every lexeme"
BY_ROWS = "every row, every lexeme"


@dataclass(frozen=True, slots=True)
class Hybrid:
    """Times of the three ways to find the top passages of `sources` sources."""

    sources: int
    times: dict[str, Timing]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Times and the share of the exactly found candidate sources, of one way to search a corpus."""

    time: Timing
    recall: float


def hybrid(asker: Asker, layout: Layout, count: int, questions: Sequence[Question], first: int = 0) -> Hybrid:
    """Race for sources `first` to `first + count`."""
    sources = [source_id(number) for number in range(first, min(first + count, layout.sources))]
    affordable = [asker.parameters(each, sources=sources) for each in questions]
    every = [asker.parameters(each, sources=sources, every_lexeme=True) for each in questions]
    contestants = {
        OURS: _replay(asker.connection, TOP_PASSAGES, affordable),
        OURS_EVERY: _replay(asker.connection, TOP_PASSAGES, every),
        BY_ROWS: _replay(asker.connection, TOP_PASSAGES_BY_ROWS, every),
    }
    repeats = len(questions)
    return Hybrid(count, race({name: it.__next__ for name, it in contestants.items()}, repeats=repeats))


def agreement(asker: Asker, layout: Layout, questions: Sequence[Question]) -> float:
    """Share of the passages that the covering key's way and the rows' way both find: both are exact."""
    shares = []
    sources = [source_id(number) for number in range(min(20, layout.sources))]
    for question in questions:
        asked = asker.parameters(question, sources=sources, every_lexeme=True)
        ours, theirs = (
            {row[:3] for row in rows(asker.connection, statement, asked)}
            for statement in (TOP_PASSAGES, TOP_PASSAGES_BY_ROWS)
        )
        shares.append(len(ours & theirs) / len(theirs))
    return mean(shares)


def candidates(
    asker: Asker, questions: Sequence[Question], *, small: bool, iterative_scan: str | None = None
) -> dict[str, Candidates]:
    """Race by source against by table; `iterative_scan` says how HNSW goes on, where there is one."""
    asked = [asker.parameters(each, corpus=corpus_id(small=small)) for each in questions]
    connection = asker.connection
    with with_settings(connection, {"enable_indexscan": "off"}):
        truths = [_sources(connection, CANDIDATES_BY_TABLE, each) for each in asked]
    statements = {"by source": CANDIDATES, "by table": CANDIDATES_BY_TABLE}
    with with_settings(connection, {"hnsw.iterative_scan": iterative_scan or "off"}):
        contestants = {name: _replay(connection, statement, asked) for name, statement in statements.items()}
        times = race({name: it.__next__ for name, it in contestants.items()}, repeats=len(asked))
        return {
            name: Candidates(
                times[name],
                mean(
                    len(_sources(connection, statement, each) & truth) / len(truth)
                    for each, truth in zip(asked, truths, strict=True)
                ),
            )
            for name, statement in statements.items()
        }


def near_alone(asker: Asker, questions: Sequence[Question]) -> Timing:
    """The embedding half of the search by source, over the large corpus."""
    asked = [asker.parameters(each, corpus=corpus_id(small=False)) for each in questions]
    replay = _replay(asker.connection, NEAR_BY_SOURCE, asked)
    return race({"it": replay.__next__}, repeats=len(asked))["it"]


def _replay(connection: Connection, statement: str, asked: Sequence[dict[str, object]]) -> Iterator[int]:
    for parameters in cycle(asked):
        yield len(rows(connection, statement, parameters))


def _sources(connection: Connection, statement: str, parameters: dict[str, object]) -> set[object]:
    return {row[0] for row in rows(connection, statement, parameters)}
