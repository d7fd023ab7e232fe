"""What the steps of the partition benchmark share: the server, the scale, the tables filled so far."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.harness import Cell, Report
from benchmarks.partitions.corpus import PassageGenerator
from benchmarks.partitions.layout import Connection, Layout, create, fill
from benchmarks.partitions.queries import QueryParameters


@dataclass(frozen=True, slots=True)
class Scale:
    """Numbers of rows, sources and questions; `side_rows` are for skewed sources, HNSW, ingest and moduli."""

    rows: int
    few: int
    many: int
    very_many: int
    listed_filled: int
    questions: int
    side_rows: int


FULL = Scale(1_000_000, 10, 1_000, 20_000, listed_filled=100, questions=20, side_rows=150_000)
QUICK = Scale(20_000, 4, 20, 400, listed_filled=10, questions=5, side_rows=6_000)

TABLES = {
    "nearest": (
        "The three nearest passages of one source",
        ("passages", "sources", "layout", "route", "p50 ms", "p95 ms", "recall"),
    ),
    "plans": (
        "Planning, and eight sources in one statement",
        ("sources", "layout", "plan, first ms", "plan ms", "plan of 8 ms", "8 sources p50 ms"),
    ),
    "hybrid": (
        "Hybrid top three of each source, one round trip",
        ("passages", "sources", "layout", "asked", "way", "p50 ms", "p95 ms"),
    ),
    "candidates": (
        "Candidate sources of a corpus",
        ("passages", "sources", "corpus", "way", "p50 ms", "p95 ms", "recall"),
    ),
    "sources": ("What a new source costs", ("layout", "sources", "ms", "lock on all passages")),
    "ingest": ("COPY into indexes", ("passages", "indexes", "rows a second", "share of bare", "newest, MiB")),
    "building": ("Building", ("what", "passages", "seconds")),
}


@dataclass(slots=True)
class Context:
    """The server, the generator, the scale, and the rows measured so far by table."""

    url: str
    connection: Connection
    generator: PassageGenerator
    scale: Scale
    report: Report
    rows: dict[str, list[Sequence[Cell]]] = field(default_factory=lambda: {name: [] for name in TABLES})

    def add(self, table: str, *cells: Cell) -> None:
        """Add a row to a table."""
        self.rows[table].append(cells)

    def timed_fill(self, layout: Layout, rows: int, *, full_text: bool) -> Layout:
        """Create and fill a layout, and record the time."""
        start = time.perf_counter()
        create(self.connection, layout)
        fill(self.connection, layout, rows, full_text=full_text)
        what = f"{layout.title}, {layout.sources:,} sources{', full text' if full_text else ''}"
        self.add("building", what, f"{rows:,}", f"{time.perf_counter() - start:.0f}")
        return layout

    def parameters(self, passages: int) -> QueryParameters:
        """Parameters of statements, with the lexeme frequencies of the current layout."""
        parameters = QueryParameters(self.connection, passages)
        parameters.load_frequencies()
        return parameters
