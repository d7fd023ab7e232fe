"""Asking: the time of a question, and of the SQL statements that the service sent for it.

The statements are recorded and executed again on one connection with the same commits. Both run in turn over the same
questions; the reader answers at once, and nobody judges the answers.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import psycopg
from pgvector.psycopg import register_vector
from sqlalchemy import event
from sqlalchemy.engine import URL

from benchmarks.harness import database
from benchmarks.questions.corpus import embedder_of
from benchmarks.questions.passages import Question
from registry.answers import service as answers
from registry.answers.schemas import AnswerParameters
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.platform.database.engine import SESSION_OPTIONS, libpq_url
from registry.runtime import Runtime
from tests.fakes.scripted_reader import ScriptedReader

# The first questions find every cache empty.
WARMING = 5
KAPPA = 4
# Exact search over ten million passages that are not in memory yet takes longer than the default of 30 s.
PATIENT = {"database_timeout_seconds": 600, "answer_timeout_seconds": 600}
READER = ScriptedReader(lambda _question, passages: " ".join(passages[0].split()[:2]))


@dataclass(frozen=True, slots=True)
class Asked:
    """What questions took and gave."""

    seconds: list[float] = field(default_factory=list)
    bare_seconds: list[float] = field(default_factory=list)
    """Of their SQL alone."""
    answers: list[list[str]] = field(default_factory=list)
    statements: list[int] = field(default_factory=list)

    def milliseconds(self, share: float, *, bare: bool = False) -> float:
        """A percentile."""
        return float(np.percentile(self.bare_seconds if bare else self.seconds, share)) * 1e3


@dataclass(frozen=True, slots=True)
class Statement:
    """An SQL statement as psycopg received it."""

    sql: str
    parameters: object
    many: bool = False


async def ask_all(url: URL, questions: Sequence[Question]) -> Asked:
    """Ask the questions, and send their statements again."""
    asked = Asked()
    async with database.opened(url, READER, embedder_of(questions), conflict_judge="none", **PATIENT) as runtime:
        async with runtime.database.begin() as session:
            corpus = await corpora.get(session, corpora.DEFAULT)
        with _replayer(url) as connection:
            for number, question in enumerate([*questions[:WARMING], *questions]):
                statements, seconds, answer = await _ask(runtime, corpus, question.words)
                bare_seconds = _replay(connection, statements)
                _forget(connection)
                if number >= WARMING:
                    asked.seconds.append(seconds)
                    asked.bare_seconds.append(bare_seconds)
                    asked.answers.append(answer)
                    asked.statements.append(len(statements))
    return asked


async def _ask(runtime: Runtime, corpus: Corpus, question: str) -> tuple[list[Statement], float, list[str]]:
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
    stored = await answers.ask(runtime, corpus, question, AnswerParameters(kappa=KAPPA, keep_as_query=False))
    seconds = time.perf_counter() - began
    event.remove(engine, "before_cursor_execute", record)
    event.remove(engine, "commit", commit)
    return statements, seconds, (stored.result or {})["answers"]


def _replayer(url: URL) -> psycopg.Connection[tuple[object, ...]]:
    options = " ".join(f"-c {name}={value}" for name, value in SESSION_OPTIONS.items())
    connection = psycopg.connect(libpq_url(url), autocommit=True, options=options)
    register_vector(connection)
    return connection


def _replay(connection: psycopg.Connection[tuple[object, ...]], statements: Sequence[Statement]) -> float:
    """Seconds of the statements and commits, after the rows that the question stored are deleted."""
    _forget(connection)
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


def _forget(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    connection.execute("DELETE FROM readings")
    connection.execute("DELETE FROM answers")
