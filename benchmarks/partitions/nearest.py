"""LIST or HASH: top passages of one source, planning, many sources at once, and the cost of a new source."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean, median
from uuid import UUID

import numpy as np
import psycopg

from benchmarks.partitions.corpus import Question
from benchmarks.partitions.layout import (
    GIN,
    HNSW,
    KEY,
    Connection,
    Kind,
    Layout,
    connected,
    create_parent,
    source_id,
    with_settings,
)
from benchmarks.partitions.queries import NEAREST, NEAREST_OF_MANY, planning_ms, rows

EXACT_ROUTES = {
    "exact, every row": {"enable_indexonlyscan": "off"},
    "exact, covering key": {"enable_bitmapscan": "off"},
}
# Sorting forbidden leaves the planner only the index that is ordered by distance.
HNSW_ROUTES = {
    f"HNSW, {mode.replace('_', ' ')}": {"enable_sort": "off", "hnsw.iterative_scan": mode}
    for mode in ("off", "relaxed_order", "strict_order")
}
TRUTH = {"enable_indexscan": "off", "enable_indexonlyscan": "off", "enable_bitmapscan": "off"}
MANY = 8
DDL_BATCH = 100


@dataclass(slots=True)
class RouteResult:
    """Seconds and recall of the exact top 3 of one route, question by question."""

    seconds: list[float] = field(default_factory=list)
    recalls: list[float] = field(default_factory=list)

    @property
    def recall(self) -> float:
        """The mean recall."""
        return mean(self.recalls)

    def cells(self) -> tuple[str, str, str]:
        """p50, p95 in milliseconds, and mean recall."""
        p50, p95 = np.percentile(self.seconds, (50, 95)) * 1e3
        return f"{p50:.2f}", f"{p95:.2f}", f"{self.recall:.3f}"


@dataclass(frozen=True, slots=True)
class Plans:
    """Milliseconds of planning for one source on a new and on a used connection, and of planning and searching many."""

    first: float
    again: float
    many: float | None
    search_many: float | None

    def cells(self) -> tuple[str, ...]:
        """The cells of a table."""
        failed = "out of shared memory"
        return (
            f"{self.first:.2f}",
            f"{self.again:.2f}",
            failed if self.many is None else f"{self.many:.2f}",
            failed if self.search_many is None else f"{self.search_many:.1f}",
        )


def neighbours(layout: Layout, connection: Connection) -> list[UUID]:
    """Sources to ask: those that share a partition with the first; under LIST the first few."""
    if layout.kind is Kind.LIST:
        return [source_id(number) for number in range(1 if layout.sources < 100 else 5)]
    source_rows = rows(connection, "SELECT DISTINCT source_id FROM " + _partitions(layout, connection)[0], {})
    return [row[0] for row in source_rows]


def nearest(connection: Connection, sources: Sequence[UUID], questions: Sequence[Question]) -> dict[str, RouteResult]:
    """Every exact route with every question on one of the sources, in turn."""
    return _measure_routes(connection, EXACT_ROUTES, sources, questions)


def nearest_by_hnsw(
    connection: Connection, layout: Layout, sources: Sequence[UUID], questions: Sequence[Question]
) -> dict[str, RouteResult]:
    """The same by HNSW, built for the time of the measurement on the partitions of these sources."""
    with connection.transaction(force_rollback=True):
        for partition in _partitions(layout, connection):
            connection.execute(f"CREATE INDEX ON {partition} {HNSW}")
        return _measure_routes(connection, HNSW_ROUTES, sources, questions)


def _partitions(layout: Layout, connection: Connection) -> list[str]:
    if layout.kind is Kind.LIST:
        return [f"passages_s{number}" for number in range(1 if layout.sources < 100 else 5)]
    holder = rows(
        connection,
        "SELECT tableoid::regclass::text FROM passages WHERE source_id = %(id)s LIMIT 1",
        {"id": source_id(0)},
    )
    return [str(holder[0][0])]


def _measure_routes(
    connection: Connection,
    routes: Mapping[str, Mapping[str, str]],
    sources: Sequence[UUID],
    questions: Sequence[Question],
) -> dict[str, RouteResult]:
    results = {name: RouteResult() for name in routes}
    for number, question in enumerate(questions):
        parameters = {"source": sources[number % len(sources)], "vector": question.vector}
        with with_settings(connection, TRUTH):
            truth = set(rows(connection, NEAREST, parameters))
        for name, values in routes.items():
            with with_settings(connection, values):
                start = time.perf_counter()
                answer = set(rows(connection, NEAREST, parameters))
                results[name].seconds.append(time.perf_counter() - start)
            results[name].recalls.append(len(answer & truth) / len(truth))
    return results


def plans(url: str, layout: Layout, questions: Sequence[Question]) -> Plans:
    """Time of planning for one source and for many, and of searching many."""
    parameters = {
        "source": source_id(0),
        "sources": [source_id(number) for number in range(min(MANY, layout.sources))],
        "vector": questions[0].vector,
    }
    with connected(url, layout) as connection:
        first = planning_ms(connection, NEAREST, parameters)
        again = median(planning_ms(connection, NEAREST, parameters) for _ in range(5))
        try:
            planning_ms(connection, NEAREST_OF_MANY, parameters)
            many = median(planning_ms(connection, NEAREST_OF_MANY, parameters) for _ in range(5))
            search = median(_seconds_of_many(connection, parameters, question) for question in questions) * 1e3
        except psycopg.errors.OutOfMemory:
            return Plans(first, again, None, None)
    return Plans(first, again, many, search)


def _seconds_of_many(connection: Connection, parameters: Mapping[str, object], question: Question) -> float:
    start = time.perf_counter()
    rows(connection, NEAREST_OF_MANY, {**parameters, "vector": question.vector})
    return time.perf_counter() - start


def new_sources(connection: Connection, layout: Layout, count: int = 10) -> tuple[float, str]:
    """Milliseconds of the DDL for one more LIST source, and the lock that it holds on all passages meanwhile."""
    times = []
    lock = ""
    for number in range(layout.sources, layout.sources + count):
        with connection.transaction(force_rollback=True):
            start = time.perf_counter()
            connection.execute(
                f"CREATE TABLE passages_s{number} PARTITION OF passages FOR VALUES IN ('{source_id(number)}')"
            )
            times.append(time.perf_counter() - start)
            locks = rows(
                connection,
                "SELECT mode FROM pg_locks WHERE relation = 'passages'::regclass AND mode LIKE %(mode)s",
                {"mode": "%Exclusive%"},
            )
            lock = ", ".join(sorted(row[0] for row in locks))
    return median(times) * 1e3, lock


def fill_many_lists(connection: Connection, layout: Layout, rows_each: int, filled: int) -> float:
    """A LIST layout of very many sources, the first `filled` with passages; returns the seconds its DDL took."""
    create_parent(connection, layout)
    connection.execute(KEY)
    connection.execute(GIN)
    start = time.perf_counter()
    statements = list(layout.partitions())
    for first in range(0, len(statements), DDL_BATCH):
        with connection.transaction():
            for statement in statements[first : first + DDL_BATCH]:
                connection.execute(statement)
    seconds = time.perf_counter() - start
    for number in range(filled):
        connection.execute(
            f"INSERT INTO passages_s{number} SELECT %(source)s, md5('document' || number / 10)::uuid, number %% 10,"
            f" %(source)s, 0, length(content), content, embedding, lexemes FROM drawn"
            f" WHERE number >= {number * rows_each} AND number < {(number + 1) * rows_each}",
            {"source": source_id(number)},
        )
        connection.execute(f"VACUUM ANALYZE passages_s{number}")
    return seconds
