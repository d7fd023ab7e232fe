"""Time of the two search statements of the service: top passages of many sources, candidate sources of a corpus."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle
from statistics import mean

from benchmarks.harness import Timing, time_in_turn, time_of
from benchmarks.partitions.corpus import Question
from benchmarks.partitions.layout import Connection, Layout, corpus_id, source_id, with_settings
from benchmarks.partitions.queries import (
    CANDIDATES,
    CANDIDATES_BY_TABLE,
    NEAR_BY_SOURCE,
    TOP_PASSAGES,
    TOP_PASSAGES_BY_ROWS,
    QueryParameters,
    rows,
)

OURS = "covering key, affordable lexemes"
OURS_EVERY = "covering key, every lexeme"
BY_ROWS = "every row, every lexeme"


@dataclass(frozen=True, slots=True)
class Candidates:
    """Time of one search for candidate sources, and the share of the exact result that it returns."""

    time: Timing
    recall: float


def hybrid(
    parameters: QueryParameters, layout: Layout, count: int, questions: Sequence[Question], first: int = 0
) -> dict[str, Timing]:
    """Times of the three searches for the top passages of sources `first` to `first + count`."""
    sources = [source_id(number) for number in range(first, min(first + count, layout.sources))]
    affordable = [parameters.of(question, sources=sources) for question in questions]
    every = [parameters.of(question, sources=sources, every_lexeme=True) for question in questions]
    searches = {
        OURS: _replay(parameters.connection, TOP_PASSAGES, affordable),
        OURS_EVERY: _replay(parameters.connection, TOP_PASSAGES, every),
        BY_ROWS: _replay(parameters.connection, TOP_PASSAGES_BY_ROWS, every),
    }
    return time_in_turn(searches, repeats=len(questions))


def agreement(parameters: QueryParameters, layout: Layout, questions: Sequence[Question]) -> float:
    """Share of the passages that both exact searches find, by the covering key and by rows."""
    shares = []
    sources = [source_id(number) for number in range(min(20, layout.sources))]
    for question in questions:
        all_parameters = parameters.of(question, sources=sources, every_lexeme=True)
        ours, theirs = (
            {row[:3] for row in rows(parameters.connection, statement, all_parameters)}
            for statement in (TOP_PASSAGES, TOP_PASSAGES_BY_ROWS)
        )
        shares.append(len(ours & theirs) / len(theirs))
    return mean(shares)


def candidates(
    parameters: QueryParameters, questions: Sequence[Question], *, small: bool, iterative_scan: str | None = None
) -> dict[str, Candidates]:
    """The search by source and the one by table; `iterative_scan` is the mode of HNSW, where there is one."""
    all_parameters = [parameters.of(question, corpus=corpus_id(small=small)) for question in questions]
    connection = parameters.connection
    with with_settings(connection, {"enable_indexscan": "off"}):
        truths = [_sources(connection, CANDIDATES_BY_TABLE, each) for each in all_parameters]
    statements = {"by source": CANDIDATES, "by table": CANDIDATES_BY_TABLE}
    with with_settings(connection, {"hnsw.iterative_scan": iterative_scan or "off"}):
        searches = {name: _replay(connection, statement, all_parameters) for name, statement in statements.items()}
        times = time_in_turn(searches, repeats=len(all_parameters))
        return {
            name: Candidates(
                times[name],
                mean(
                    len(_sources(connection, statement, each) & truth) / len(truth)
                    for each, truth in zip(all_parameters, truths, strict=True)
                ),
            )
            for name, statement in statements.items()
        }


def time_embeddings_alone(parameters: QueryParameters, questions: Sequence[Question]) -> Timing:
    """The embedding half of the search by source, over the large corpus."""
    all_parameters = [parameters.of(question, corpus=corpus_id(small=False)) for question in questions]
    return time_of(_replay(parameters.connection, NEAR_BY_SOURCE, all_parameters), repeats=len(all_parameters))


def _replay(
    connection: Connection, statement: str, all_parameters: Sequence[dict[str, object]]
) -> Callable[[], object]:
    """Each call executes the statement with the next parameters."""
    following = cycle(all_parameters)
    return lambda: rows(connection, statement, next(following))


def _sources(connection: Connection, statement: str, parameters: dict[str, object]) -> set[object]:
    return {row[0] for row in rows(connection, statement, parameters)}
