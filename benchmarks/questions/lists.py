"""`python -m benchmarks.questions.lists`: of how many lists must a search read to find what real questions look for?

Passages and questions of the sets that train the reader (`reader_train/more`), as one partition with an index of a
thousand lists. Exact search finds the nearest passages, full text those with words of the question; the sources of
both are candidates. Runs of neighbouring passages, most of one article, stand for a source. `index_calibration`
measures an index with passages in the place of questions: the last column is what it sees where questions find as much.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import psycopg
from numpy.typing import NDArray
from pgvector import HalfVector
from pgvector.psycopg import register_vector

from answering.embedders import Vectors, WordLlamaEmbedder
from benchmarks.data.question_sets import load_question_sets
from benchmarks.data.squad import Example
from benchmarks.harness import Benchmark, Report, run
from benchmarks.harness.database import temporary_server
from benchmarks.questions.searching import recall
from registry.platform.database.engine import libpq_url

BENCHMARK = Benchmark("questions.lists", "how many lists of the index questions about real text need", page="storage")
LISTS = 1_000
READ = (16, 24, 32, 48, 64, 96, 128, 192)
# What one of 16 partitions contributes to the 300 nearest passages of a corpus.
NEAREST = 19
PASSAGES_PER_SOURCE = 20
# Articles whose passages are not in the index lie in such runs of passages.
RUN, RUNS_LEFT_OUT = 60, 60
RAREST_WORDS = 6
SEED = 3

Rows = list[list[int]]


@dataclass(frozen=True, slots=True)
class World:
    """Passages in the index, questions about some of them, and passages of other articles."""

    passages: list[str]
    questions: list[str]
    others: list[str]


def measure(report: Report) -> None:
    """The table, and as figures what 96 lists find."""
    examples = load_question_sets(report.folder("reader_train") / "more")
    world = draw(examples, np.random.default_rng(SEED), asked=60 if report.options.quick else 600)
    vectors = [asyncio.run(_embed(texts)) for texts in (world.passages, world.questions, world.others)]
    with temporary_server() as (url, _), psycopg.connect(libpq_url(url), autocommit=True) as connection:
        register_vector(connection)
        _fill(connection, world.passages, vectors[0])
        exact, exact_others = (_nearest(connection, queries, "embedding") for queries in vectors[1:])
        matching = [_matching(connection, question) for question in world.questions]
        connection.execute(f"CREATE INDEX ON t USING ivfflat (near halfvec_cosine_ops) WITH (lists = {LISTS})")
        rows = []
        for lists in READ:
            connection.execute(f"SET ivfflat.probes = {lists}")
            found, found_others = (_nearest(connection, queries, "near") for queries in vectors[1:])
            shares = [
                recall(exact, found),
                recall(_sources(exact, matching), _sources(found, matching)),
                recall([sources[:5] for sources in _sources(exact)], _sources(found, matching)),
                recall(exact_others, found_others),
            ]
            rows.append([str(lists), *(f"{share:.3f}" for share in shares)])
            if lists == 96:
                report.figure("candidates_recall", shares[1])
                report.figure("passages_for_questions_recall", shares[3])
    columns = ["lists read", f"{NEAREST} nearest", "candidate sources", "5 nearest sources", "by passages"]
    title = f"{len(world.questions)} questions to {len(world.passages):,} passages in {LISTS:,} lists: found of exact"
    report.table(title, columns, rows)


def draw(examples: Sequence[Example], generator: np.random.Generator, asked: int) -> World:
    """Divide the passages by runs, and draw questions and passages to search for."""
    passages = list(dict.fromkeys(example.passage for example in examples))
    runs = np.arange(len(passages)) // RUN
    left_out = generator.choice(runs.max() + 1, min(RUNS_LEFT_OUT, int(runs.max())), replace=False)
    kept = {passage: bool(stays) for passage, stays in zip(passages, ~np.isin(runs, left_out), strict=True)}
    inside = [passage for passage in passages if kept[passage]]
    others = [passage for passage in passages if not kept[passage]]
    questions = [example.question for example in examples if kept[example.passage]]
    return World(inside, _some(questions, generator, asked), _some(others, generator, asked))


def _some(texts: Sequence[str], generator: np.random.Generator, count: int) -> list[str]:
    return [texts[place] for place in generator.choice(len(texts), min(count, len(texts)), replace=False)]


async def _embed(texts: Sequence[str]) -> Vectors:
    embedder = WordLlamaEmbedder()
    return np.concatenate([await embedder.embed(texts[at : at + 2_000]) for at in range(0, len(texts), 2_000)])


def _fill(connection: psycopg.Connection, passages: Sequence[str], vectors: NDArray[np.float32]) -> None:
    width = vectors.shape[1]
    # Exact search reads another column than the index has.
    connection.execute(
        f"CREATE TABLE t (id int, embedding halfvec({width}), near halfvec({width}), lexemes tsvector)".encode()
    )
    insert = "INSERT INTO t VALUES (%s, %s, %s, to_tsvector('english', %s))"
    with connection.cursor() as cursor:
        cursor.executemany(
            insert,
            [
                (number, HalfVector(vector), HalfVector(vector), passage.replace("\0", " "))
                for number, (passage, vector) in enumerate(zip(passages, vectors, strict=True))
            ],
        )
    connection.execute("CREATE INDEX ON t USING gin (lexemes)")
    connection.execute("CREATE TABLE frequencies AS SELECT word, ndoc FROM ts_stat('SELECT lexemes FROM t')")
    connection.execute("CREATE INDEX ON frequencies (word)")
    connection.execute("SET maintenance_work_mem = '1GB'")
    connection.execute("ANALYZE")


def _nearest(connection: psycopg.Connection, queries: NDArray[np.float32], column: str) -> Rows:
    statement = f"SELECT id FROM t ORDER BY {column} <=> %s LIMIT {NEAREST}".encode()
    return [[row[0] for row in connection.execute(statement, (HalfVector(query),))] for query in queries]


def _matching(connection: psycopg.Connection, question: str) -> list[int]:
    """The passages that full text ranks first for the rarest words of a question."""
    statement = """
        WITH words AS (
            SELECT string_agg(quote_literal(word), ' | ')::tsquery AS any FROM (
                SELECT word FROM frequencies WHERE word = ANY(tsvector_to_array(to_tsvector('english', %s)))
                ORDER BY ndoc LIMIT %s
            ) AS rarest
        )
        SELECT id FROM t, words WHERE lexemes @@ words.any ORDER BY ts_rank(lexemes, words.any) DESC, id LIMIT %s
    """
    return [row[0] for row in connection.execute(statement, (question, RAREST_WORDS, NEAREST))]


def _sources(*found: Rows) -> Rows:
    """The sources of what was found, in its order."""
    return [
        list(dict.fromkeys(number // PASSAGES_PER_SOURCE for numbers in lists for number in numbers))
        for lists in zip(*found, strict=True)
    ]


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
