"""`python -m benchmarks.questions`: time of a question without reading, beside the SQL statements that it sends.

The statements are those that the service sent for the same question, recorded and executed again on one connection with
the same commits. Both run in turn over the same questions; the reader answers at once.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import psycopg
from pgvector.psycopg import register_vector
from sqlalchemy import event
from sqlalchemy.engine import URL

from answering.readers import ScriptedReader
from benchmarks.harness import Benchmark, Headline, Report, database, run
from registry import answers
from registry.database.engine import SESSION_OPTIONS, libpq_url
from registry.inputs.answers import AnswerParameters
from registry.models import Corpus
from registry.runtime import Runtime
from registry.store import corpora

BENCHMARK = Benchmark(
    "questions",
    "time of a question without reading",
    page="storage",
    headlines=(
        Headline(
            "a question over a million passages, median",
            "p50_ms",
            {"its SQL alone": "bare_p50_ms"},
            higher_is_better=False,
            form=".0f ms",
        ),
        Headline("the same, as a multiple of its SQL", "ratio_p50", aim=1.5, higher_is_better=False, form=".2f"),
    ),
)

QUESTION_WORDS = 6


@dataclass(frozen=True, slots=True)
class Statement:
    """An SQL statement as psycopg received it."""

    sql: str
    parameters: object
    many: bool = False


def measure(report: Report) -> None:
    """Fill a database, ask the questions, execute their statements again."""
    sources, passages_each, questions = (100, 200, 40) if report.options.quick else (1_000, 1_000, 200)
    with database.temporary_server() as (url, _):
        began = time.perf_counter()
        database.fill(url, sources=sources, passages_each=passages_each)
        filled = time.perf_counter() - began
        times, bare, statements = asyncio.run(_times(url, questions))
    rows = [_row("question", times), _row("its bare SQL", bare)]
    ratios = [float(np.percentile(times, q) / np.percentile(bare, q)) for q in (50, 95)]
    rows.append(["ratio", f"{ratios[0]:.2f}", f"{ratios[1]:.2f}"])
    title = f"One question, {sources * passages_each:,} passages in {sources:,} sources, {statements:.0f} statements"
    report.table(title, ["", "p50 ms", "p95 ms"], rows)
    report.table("Filling", ["passages", "seconds"], [[f"{sources * passages_each:,}", f"{filled:.0f}"]])
    report.figure("p50_ms", float(np.percentile(times, 50)) * 1e3)
    report.figure("bare_p50_ms", float(np.percentile(bare, 50)) * 1e3)
    report.figure("p95_ms", float(np.percentile(times, 95)) * 1e3)
    report.figure("ratio_p50", ratios[0])
    report.figure("ratio_p95", ratios[1])


def _row(name: str, seconds: Sequence[float]) -> list[str]:
    return [name, *(f"{np.percentile(seconds, share) * 1e3:.1f}" for share in (50, 95))]


async def _times(url: URL, questions: int) -> tuple[list[float], list[float], float]:
    reader = ScriptedReader(lambda _question, passages: " ".join(passages[0].split()[:2]))
    times: list[float] = []
    bare: list[float] = []
    sent = 0
    async with database.opened(url, reader) as runtime:
        async with runtime.database.begin() as session:
            corpus = await corpora.get(session, corpora.DEFAULT)
        with _replayer(url) as connection:
            for question in _questions(questions + 5):
                statements, seconds = await _ask(runtime, corpus, question)
                times.append(seconds)
                bare.append(_replay(connection, statements))
                sent += len(statements)
    # The first questions find every cache empty.
    return times[5:], bare[5:], sent / len(times)


def _questions(count: int) -> list[str]:
    generator = np.random.default_rng(7)
    words = np.array(database.vocabulary())
    return [f"Which {' '.join(words[generator.integers(0, 5_000, QUESTION_WORDS)])}?" for _ in range(count)]


async def _ask(runtime: Runtime, corpus: Corpus, question: str) -> tuple[list[Statement], float]:
    statements: list[Statement] = []

    def record(
        _connection: object, _cursor: object, sql: str, parameters: object, _context: object, executemany: bool
    ) -> None:
        statements.append(Statement(sql, parameters, many=executemany))

    def commit(_connection: object) -> None:
        statements.append(Statement("COMMIT", None))
        statements.append(Statement("BEGIN", None))

    engine = runtime.database.engine.sync_engine
    event.listen(engine, "before_cursor_execute", record)
    event.listen(engine, "commit", commit)
    began = time.perf_counter()
    await answers.ask(runtime, corpus, question, AnswerParameters())
    seconds = time.perf_counter() - began
    event.remove(engine, "before_cursor_execute", record)
    event.remove(engine, "commit", commit)
    return statements, seconds


def _replayer(url: URL) -> psycopg.Connection[tuple[object, ...]]:
    options = " ".join(f"-c {name}={value}" for name, value in SESSION_OPTIONS.items())
    connection = psycopg.connect(libpq_url(url), autocommit=True, options=options)
    register_vector(connection)
    return connection


def _replay(connection: psycopg.Connection[tuple[object, ...]], statements: Sequence[Statement]) -> float:
    """Seconds of the statements and commits, after the rows that the question stored are deleted."""
    connection.execute("DELETE FROM readings")
    connection.execute("DELETE FROM answers")
    connection.execute("BEGIN")
    began = time.perf_counter()
    for statement in statements:
        with connection.cursor() as cursor:
            execute: Any = cursor.executemany if statement.many else cursor.execute
            execute(statement.sql, statement.parameters)
            if cursor.description is not None:
                cursor.fetchall()
    seconds = time.perf_counter() - began
    connection.execute("COMMIT")
    return seconds


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
