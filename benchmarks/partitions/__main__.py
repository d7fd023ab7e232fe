"""`python -m benchmarks.partitions`: how passages are partitioned by source and searched.

LIST, HASH and a mix hold the same passages of few, many and very many sources. Measured are the top passages of one
source (recall against exact search, and time) by scanning rows, by a key that includes the embedding, and by HNSW;
planning; the cost of a new source; COPY under every set of indexes; and the two statements of the service beside
their rivals: hybrid top passages of many sources in one round trip, and the candidate sources of a corpus.
"""

import time
from collections.abc import Sequence

from benchmarks.harness import Report, Timing, run
from benchmarks.partitions import BENCHMARK
from benchmarks.partitions.context import FULL, QUICK, TABLES, Context
from benchmarks.partitions.corpus import PassageGenerator
from benchmarks.partitions.hybrid import (
    BY_ROWS,
    OURS,
    OURS_EVERY,
    Candidates,
    agreement,
    candidates,
    hybrid,
    time_embeddings_alone,
)
from benchmarks.partitions.ingest import by_indexes, copy_rate, more_rows
from benchmarks.partitions.layout import (
    HNSW,
    Kind,
    Layout,
    connected,
    drop,
    generate,
    private_server,
    size,
)
from benchmarks.partitions.nearest import (
    RouteResult,
    fill_many_lists,
    nearest,
    nearest_by_hnsw,
    neighbours,
    new_sources,
    plans,
)


def measure(report: Report) -> None:
    """All parts, in one private server."""
    scale = QUICK if report.options.quick else FULL
    with private_server() as url, connected(url) as connection:
        context = Context(url, connection, PassageGenerator(seed=1), scale, report)
        start = time.perf_counter()
        generate(connection, context.generator, scale.rows)
        context.add("building", "generating", f"{scale.rows:,}", f"{time.perf_counter() - start:.0f}")
        for step in (
            _few_sources,
            _many_sources,
            _skewed_sources,
            _hnsw_of_a_corpus,
            _ingest,
            _moduli,
            _very_many_sources,
        ):
            step(context)
    for name, (title, columns) in TABLES.items():
        report.table(title, columns, context.rows[name])


def _few_sources(context: Context) -> None:
    layout = _compare(context, context.scale.few)
    _hybrid(context, layout, context.scale.rows, (1, context.scale.few))
    drop(context.connection, layout)


def _many_sources(context: Context) -> None:
    layout = _compare(context, context.scale.many)
    _hybrid(context, layout, context.scale.rows, sorted({1, 8, min(64, context.scale.many), context.scale.many}))
    query_parameters = context.parameters(context.scale.rows)
    questions = context.generator.questions(min(10, context.scale.questions))
    context.report.figure("agreement_of_exact_ways", agreement(query_parameters, layout, questions[:5]))
    for small in (False, True):
        results = candidates(query_parameters, questions, small=small)
        _add_candidates(context, layout, context.scale.rows, small, "exact", results)
        name = f"candidates_{'small' if small else 'large'}"
        context.report.figure(f"{name}_p50_ms", results["by source"].time.median * 1e3)
        context.report.figure(f"{name}_table_p50_ms", results["by table"].time.median * 1e3)
    for name in ("%pkey", "%lexemes%"):
        context.report.figure(f"mebibytes_{name.strip('%')}", size(context.connection, layout, name))
    drop(context.connection, layout)


def _compare(context: Context, sources: int) -> Layout:
    """LIST, then HASH, which stays for what follows, with full text."""
    listed, hashed = Layout(Kind.LIST, sources), Layout(Kind.HASH, sources)
    _choice(context, listed)
    drop(context.connection, listed)
    _choice(context, hashed)
    return hashed


def _choice(context: Context, layout: Layout) -> None:
    context.timed_fill(layout, context.scale.rows, full_text=layout.kind is Kind.HASH)
    if layout.sources == context.scale.many:
        _copy_by_layout(context, layout)
    _nearest(context, layout)
    _plans(context, layout)


def _copy_by_layout(context: Context, layout: Layout) -> None:
    """COPY of rows of all sources; both layouts have the covering key alone."""
    count = context.scale.side_rows // 10
    with context.connection.transaction(force_rollback=True):
        context.connection.execute("DROP INDEX IF EXISTS passages_lexemes")
        rate = copy_rate(context.connection, more_rows(context.connection, layout, count), count)
    context.connection.execute("VACUUM passages")
    what = f"{layout.title} of {layout.sources:,} sources, covering key"
    context.add("ingest", f"{context.scale.rows:,}", what, f"{rate:,.0f}", "", "")


def _nearest(context: Context, layout: Layout) -> None:
    connection = context.connection
    questions = context.generator.questions(context.scale.questions)
    sources = neighbours(layout, connection)
    results = nearest(connection, sources, questions)
    results |= nearest_by_hnsw(connection, layout, sources, questions)
    _add_nearest(context, layout, results)


def _add_nearest(context: Context, layout: Layout, results: dict[str, RouteResult]) -> None:
    for route, result in results.items():
        context.report.figure(f"nearest.{layout.schema}.{route}.recall", result.recall)
        context.add("nearest", f"{context.scale.rows:,}", f"{layout.sources:,}", layout.title, route, *result.cells())


def _plans(context: Context, layout: Layout) -> None:
    measured = plans(context.url, layout, context.generator.questions(context.scale.questions))
    context.add("plans", f"{layout.sources:,}", layout.title, *measured.cells())


def _hybrid(context: Context, layout: Layout, passages: int, counts: Sequence[int]) -> None:
    query_parameters = context.parameters(passages)
    for count in counts:
        heavy = count * passages // layout.sources
        questions = context.generator.questions(3 if heavy >= 100_000 else context.scale.questions)
        times = hybrid(query_parameters, layout, count, questions)
        for way in (OURS, OURS_EVERY, BY_ROWS):
            context.add(
                "hybrid", f"{passages:,}", f"{layout.sources:,}", layout.title, f"{count:,}", way, *_ms(times[way])
            )
        context.report.figure(f"hybrid_{layout.schema}_{count}_p50_ms", times[OURS].median * 1e3)
        context.report.figure(f"hybrid_{layout.schema}_{count}_rows_p50_ms", times[BY_ROWS].median * 1e3)


def _skewed_sources(context: Context) -> None:
    """Two sources of a third of the passages each beside many of a thousand: a mix against HASH alone."""
    passages = context.scale.side_rows
    small = max(1, passages // 3_000)
    owner = f"(CASE WHEN number / 10 % 3 < 2 THEN number / 10 % 3 ELSE 2 + number / 30 % {small} END)"
    for kind in (Kind.MIX, Kind.HASH):
        layout = context.timed_fill(Layout(kind, small + 2, listed=2, owner=owner), passages, full_text=True)
        query_parameters = context.parameters(passages)
        questions = context.generator.questions(context.scale.questions)
        for title, first, count in (("the 2 large", 0, 2), ("up to 8 small", 2, 8)):
            times = hybrid(query_parameters, layout, count, questions, first=first)
            context.add("hybrid", f"{passages:,}", f"{small + 2:,}", layout.title, title, OURS, *_ms(times[OURS]))
        drop(context.connection, layout)


def _hnsw_of_a_corpus(context: Context) -> None:
    """A corpus's candidates exactly and by HNSW, also those of a small corpus beside a large one."""
    passages = context.scale.side_rows
    layout = context.timed_fill(Layout(Kind.HASH, max(50, passages // 1_000)), passages, full_text=True)
    query_parameters = context.parameters(passages)
    questions = context.generator.questions(min(10, context.scale.questions))
    for small in (False, True):
        _add_candidates(context, layout, passages, small, "exact", candidates(query_parameters, questions, small=small))
    start = time.perf_counter()
    context.connection.execute(f"CREATE INDEX passages_embedding ON passages {HNSW}")
    context.add("building", "HNSW on all partitions", f"{passages:,}", f"{time.perf_counter() - start:.0f}")
    for small in (False, True):
        for mode in ("off", "strict_order"):
            results = candidates(query_parameters, questions, small=small, iterative_scan=mode)
            by_table = {"by table": results["by table"]}
            _add_candidates(context, layout, passages, small, f"HNSW, {mode.replace('_', ' ')}", by_table)
    drop(context.connection, layout)


def _add_candidates(
    context: Context, layout: Layout, passages: int, small: bool, search: str, results: dict[str, Candidates]
) -> None:
    corpus = "a fiftieth" if small else "nearly all"
    for order, result in results.items():
        cells = (f"{order}, {search}", *_ms(result.time), f"{result.recall:.3f}")
        context.add("candidates", f"{passages:,}", f"{layout.sources:,}", corpus, *cells)


def _ingest(context: Context) -> None:
    passages = context.scale.side_rows
    layout = context.timed_fill(Layout(Kind.HASH, 100), passages, full_text=True)
    bare = 0.0
    for step in by_indexes(context.connection, layout, passages // 5):
        bare = bare or step.rate
        share = f"{step.rate / bare:.2f}"
        context.add("ingest", f"{passages:,}", step.indexes, f"{step.rate:,.0f}", share, f"{step.mebibytes:.0f}")
        context.report.figure(f"ingest_share_{step.indexes.replace(', ', '_').replace(' ', '_')}", step.rate / bare)
    drop(context.connection, layout)


def _moduli(context: Context) -> None:
    for modulus in (4, 16, 64):
        layout = Layout(Kind.HASH, 100, modulus=modulus)
        context.timed_fill(layout, context.scale.side_rows, full_text=True)
        _plans(context, layout)
        _hybrid(context, layout, context.scale.side_rows, (8,))
        drop(context.connection, layout)


def _very_many_sources(context: Context) -> None:
    """HASH, then LIST, which is not dropped: dropping so many tables takes too many locks."""
    connection, scale = context.connection, context.scale
    hashed = context.timed_fill(Layout(Kind.HASH, scale.very_many), scale.rows, full_text=False)
    _nearest(context, hashed)
    _plans(context, hashed)
    alone = time_embeddings_alone(context.parameters(scale.rows), context.generator.questions(5))
    cells = ("by source, exact, embeddings alone", *_ms(alone), "1.000")
    context.add("candidates", f"{scale.rows:,}", f"{scale.very_many:,}", "nearly all", *cells)
    drop(connection, hashed)
    listed = Layout(Kind.LIST, scale.very_many)
    seconds = fill_many_lists(connection, listed, scale.rows // scale.very_many, scale.listed_filled)
    context.add("building", f"{listed.sources:,} LIST partitions, empty", "0", f"{seconds:.0f}")
    _add_nearest(
        context,
        listed,
        nearest(connection, neighbours(listed, connection), context.generator.questions(scale.questions)),
    )
    _plans(context, listed)
    milliseconds, lock = new_sources(connection, listed)
    context.add("sources", listed.title, f"{listed.sources:,}", f"{milliseconds:.1f}", lock)
    context.add("sources", hashed.title, "any", "0.0", "none: no DDL")


def _ms(timing: Timing) -> tuple[str, str]:
    return f"{timing.median * 1e3:.1f}", f"{timing.percentile(95) * 1e3:.1f}"


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
