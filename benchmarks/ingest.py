"""`python -m benchmarks.ingest`: passages a second of an import, beside a bare COPY of the rows that it wrote.

An import reads NDJSON, hashes, chunks, embeds, computes the lexemes and upserts documents and passages; the COPY has
all of that ready. Both write into the same empty table with the same indexes, in turn. Two more rivals write passages
whose lexemes Postgres computes: COPY into a temporary table, as ingest does, and INSERT from arrays of values.
The import runs with each number of `--at-once`, the parts of a batch that are prepared and written at the same time,
and again of HTML pages with each number of `--processes` that take their text (0: threads).
"""

import argparse
import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from uuid import UUID

import numpy as np
import psycopg
from pgvector.psycopg import register_vector
from sqlalchemy.engine import URL

from benchmarks.harness import Benchmark, Headline, Report, database, run
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.documents import imports
from registry.passages.store.writer import COPY_STAGED, INSERT_STAGED, STAGED_TYPES, STAGING
from registry.platform.concurrency import Processes
from registry.platform.database.engine import libpq_url
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.schemas import SourceInput
from tests.fakes.scripted_reader import ScriptedReader

BENCHMARK = Benchmark(
    "ingest",
    "import of documents: passages a second",
    page="storage",
    headlines=(
        Headline(
            "import of NDJSON, passages a second",
            "import_passages_per_second",
            {"one part at a time": "import_1_passages_per_second", "bare COPY": "copy_passages_per_second"},
            form=",.0f",
        ),
        Headline(
            "writing the passages alone, passages a second",
            "staged_passages_per_second",
            {"INSERT from arrays": "arrays_passages_per_second", "bare COPY": "copy_passages_per_second"},
            form=",.0f",
        ),
    ),
)

Connection = psycopg.Connection[tuple[object, ...]]
Row = tuple[object, ...]

DOCUMENT_PASSAGES = 8
SENTENCE_WORDS = 12
ROWS = (
    "SELECT source_id, document_id, ordinal, start_offset, end_offset, content, heading, '' AS above,"
    " NULL::text AS words, embedding, signature FROM passages"
)
INSERT_ARRAYS = (
    "INSERT INTO passages"
    " (source_id, lexemes, document_id, ordinal, start_offset, end_offset, content, heading, embedding, signature)"
    " SELECT source_id,"
    " setweight(to_tsvector('english', above), 'A') || to_tsvector('english', coalesce(words, content)),"
    " document_id, ordinal, start_offset, end_offset, content, heading, embedding, signature"
    " FROM unnest(%s::uuid[], %s::uuid[], %s::int[], %s::int[], %s::int[], %s::text[], %s::text[], %s::text[],"
    " %s::text[], %s::halfvec[], %s::bytea[])"
    " AS given (source_id, document_id, ordinal, start_offset, end_offset, content, heading, above, words,"
    " embedding, signature)"
)


@dataclass(slots=True)
class Rates:
    """Passages a second of every writer, by round."""

    passages: int = 0
    by_writer: dict[str, list[float]] = field(default_factory=dict)

    def add(self, writer: str, seconds: float) -> None:
        """Add a round."""
        self.by_writer.setdefault(writer, []).append(self.passages / seconds)

    def median(self, writer: str) -> float:
        """The median over the rounds."""
        return float(np.median(self.by_writer[writer]))


@dataclass(frozen=True, slots=True)
class Bodies:
    """The lines of imports."""

    text: Sequence[bytes]
    html: Sequence[bytes]


def add_options(parser: argparse.ArgumentParser) -> None:
    """How many parts of a batch are written at once."""
    parser.add_argument("--at-once", type=int, nargs="+", default=[1, 2], help="parts of a batch (default 1 2)")
    parser.add_argument("--processes", type=int, nargs="+", default=[0, 2], help="for HTML (default 0 2)")


def measure(report: Report) -> None:
    """Several rounds, all writers in turn."""
    documents, rounds = (1_000, 3) if report.options.quick else (10_000, 5)
    bodies = Bodies(ndjson(documents), ndjson(documents // 5, html=True))
    rates = Rates()
    with database.temporary_server() as (url, _), psycopg.connect(libpq_url(url), autocommit=True) as connection:
        register_vector(connection)
        asyncio.run(_rounds(url, connection, bodies, rounds, rates, report.options.extra))
    bare = rates.median(BARE)
    rows = [[name, f"{rates.median(name):,.0f}", f"{bare / rates.median(name):.2f}"] for name in rates.by_writer]
    title = f"{rates.passages:,} passages of {documents:,} documents, median of {rounds} rounds in turn"
    report.table(title, ["writer", "passages a second", "bare COPY is faster by"], rows)
    for at_once in report.options.extra.at_once:
        report.figure(f"import_{at_once}_passages_per_second", rates.median(IMPORT.format(at_once)))
    for processes in report.options.extra.processes:
        report.figure(f"html_{processes}_passages_per_second", rates.median(HTML.format(processes)))
    report.figure(
        "import_passages_per_second", max(rates.median(IMPORT.format(n)) for n in report.options.extra.at_once)
    )
    report.figure("copy_passages_per_second", bare)
    report.figure("arrays_passages_per_second", rates.median(ARRAYS))
    report.figure("staged_passages_per_second", rates.median(STAGED))


IMPORT = "import of NDJSON, everything, parts at once: {}"
HTML = "import of HTML pages, everything, processes: {}"
BARE = "bare COPY of the same rows"
ARRAYS = "passages alone: INSERT from arrays, lexemes computed"
STAGED = "passages alone: COPY to a temporary table, INSERT from it"


async def _rounds(
    url: URL, connection: Connection, bodies: Bodies, rounds: int, rates: Rates, extra: argparse.Namespace
) -> None:
    async with database.opened(url, ScriptedReader()) as runtime, AsyncExitStack() as stack:
        async with runtime.database.begin() as session:
            corpus = await corpora.get(session, corpora.DEFAULT)
            source = await sources.create(session, corpus, SourceInput(name="Herald"))
        await runtime.embedder.embed(["loads the model"])
        by_count = {count: Processes(count) if count else None for count in extra.processes}
        for started in filter(None, by_count.values()):
            stack.push_async_callback(started.aclose)
            await asyncio.gather(*(started.run(abs, 1, seconds=60) for _ in range(max(extra.processes))))
        for _ in range(rounds):
            for count, processes in by_count.items():
                connection.execute("TRUNCATE documents, passages CASCADE")
                seconds = await import_seconds(replace(runtime, processes=processes), corpus, source.id, bodies.html)
                rates.passages = _count(connection)
                rates.add(HTML.format(count), seconds)
            for at_once in extra.at_once:
                connection.execute("TRUNCATE documents, passages CASCADE")
                settings = runtime.settings.model_copy(update={"extraction_processes": at_once})
                seconds = await import_seconds(replace(runtime, settings=settings), corpus, source.id, bodies.text)
                rates.passages = _count(connection)
                rates.add(IMPORT.format(at_once), seconds)
            rates.add(BARE, _bare_copy(connection))
            rows = connection.cursor(binary=True).execute(ROWS).fetchall()
            rates.add(ARRAYS, _arrays(connection, rows))
            rates.add(STAGED, _staged(connection, rows))


async def import_seconds(runtime: Runtime, corpus: Corpus, source_id: UUID, body: Sequence[bytes]) -> float:
    """The time in which documents are imported, all of them new."""

    async def lines() -> AsyncIterator[bytes]:
        for line in body:
            yield line

    began = time.perf_counter()
    async for result in imports.import_documents(runtime, corpus, source_id, lines()):
        if result.status != "created":
            raise RuntimeError(result.error)
    return time.perf_counter() - began


def _bare_copy(connection: Connection) -> float:
    with connection.cursor().copy("COPY (SELECT * FROM passages) TO STDOUT (FORMAT binary)") as copy:
        block = b"".join(copy)
    connection.execute("TRUNCATE passages")
    began = time.perf_counter()
    with connection.cursor().copy("COPY passages FROM STDIN (FORMAT binary)") as copy:
        copy.write(block)
    return time.perf_counter() - began


def _arrays(connection: Connection, rows: Sequence[Row]) -> float:
    connection.execute("TRUNCATE passages")
    began = time.perf_counter()
    for batch in _batches(rows):
        columns = [list(column) for column in zip(*batch, strict=True)]
        connection.cursor(binary=True).execute(INSERT_ARRAYS, columns)
    return time.perf_counter() - began


def _staged(connection: Connection, rows: Sequence[Row]) -> float:
    connection.execute("TRUNCATE passages")
    began = time.perf_counter()
    for batch in _batches(rows):
        with connection.transaction():
            connection.execute(STAGING)
            with connection.cursor().copy(COPY_STAGED) as copy:
                copy.set_types(STAGED_TYPES)
                for row in batch:
                    copy.write_row(row)
            connection.execute(INSERT_STAGED, ("english",))
    return time.perf_counter() - began


def _batches(rows: Sequence[Row]) -> list[Sequence[Row]]:
    size = 256 * DOCUMENT_PASSAGES
    return [rows[at : at + size] for at in range(0, len(rows), size)]


def _count(connection: Connection) -> int:
    row = connection.execute("SELECT count(*) FROM passages").fetchone()
    return int(str(row[0])) if row else 0


def ndjson(documents: int, *, html: bool = False) -> list[bytes]:
    """Documents of several passages each, in sentences of invented words."""
    generator = np.random.default_rng(3)
    words = np.array(database.vocabulary())
    texts = database.passage_texts(words, documents * DOCUMENT_PASSAGES * 2, generator)
    proses = [_prose(texts[number::documents]) for number in range(documents)]
    rows = [{"content": _page(prose), "media_type": "text/html"} if html else {"content": prose} for prose in proses]
    return [json.dumps({"external_id": str(number), **row}).encode() for number, row in enumerate(rows)]


def _page(prose: str) -> str:
    """A web page with a paragraph for every five sentences."""
    sentences = prose.split(". ")
    paragraphs = [f"<p>{'. '.join(sentences[at : at + 5])}.</p>" for at in range(0, len(sentences), 5)]
    menu = "<nav><ul><li><a href='/'>Home</a></li><li><a href='/about'>About</a></li></ul></nav>"
    return f"<html><head><title>A page</title></head><body>{menu}<main>{''.join(paragraphs)}</main></body></html>"


def _prose(texts: Sequence[str]) -> str:
    words = " ".join(texts).split()
    sentences = [" ".join(words[at : at + SENTENCE_WORDS]) for at in range(0, len(words), SENTENCE_WORDS)]
    return ". ".join(sentences) + "."


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure, add_options=add_options))
