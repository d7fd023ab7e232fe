"""How passages are partitioned by source, and how they are searched: measured before it was chosen.

LIST, HASH and a mix hold the same passages of few, many and very many sources. Measured are one source's top
passages (recall against exact search, and time) by the rows, by a key that carries the embedding, and by HNSW;
planning; what a new source costs; COPY under every set of indexes; and the two statements of the service, beside
their rivals: hybrid top passages of many sources in one round trip, and a corpus's candidate sources.
"""

import time
from collections.abc import Sequence

from benchmarks.harness import Report, Timing, run
from benchmarks.partitions_bench import FULL, QUICK, TABLES, Bench
from benchmarks.partitions_choice import (
    Found,
    list_of_many,
    nearest,
    nearest_by_hnsw,
    neighbours,
    new_sources,
    plans,
)
from benchmarks.partitions_corpus import Maker
from benchmarks.partitions_hybrid import (
    BY_ROWS,
    OURS,
    OURS_EVERY,
    Candidates,
    agreement,
    candidates,
    hybrid,
    near_alone,
)
from benchmarks.partitions_ingest import by_indexes, copy_rate, more_rows
from benchmarks.partitions_layout import (
    HNSW,
    Kind,
    Layout,
    connected,
    draw,
    drop,
    private_server,
    size,
)


def measure(report: Report) -> None:
    """All of it, in one private server."""
    scale = QUICK if report.options.quick else FULL
    with private_server() as url, connected(url) as connection:
        bench = Bench(url, connection, Maker(seed=1), scale, report)
        start = time.perf_counter()
        draw(connection, bench.maker, scale.rows)
        bench.add("building", "drawing", f"{scale.rows:,}", f"{time.perf_counter() - start:.0f}")
        for step in (_few, _many, _skewed, _hnsw_over_a_corpus, _ingest, _moduli, _very_many):
            step(bench)
    for name, (title, columns) in TABLES.items():
        report.table(title, columns, bench.rows[name])


def _few(bench: Bench) -> None:
    layout = _compare(bench, bench.scale.few)
    _hybrid(bench, layout, bench.scale.rows, (1, bench.scale.few))
    drop(bench.connection, layout)


def _many(bench: Bench) -> None:
    layout = _compare(bench, bench.scale.many)
    _hybrid(bench, layout, bench.scale.rows, sorted({1, 8, min(64, bench.scale.many), bench.scale.many}))
    asker = bench.asker(bench.scale.rows)
    questions = bench.maker.questions(min(10, bench.scale.questions))
    bench.report.figure("agreement_of_exact_ways", agreement(asker, layout, questions[:5]))
    for small in (False, True):
        found = candidates(asker, questions, small=small)
        _add_candidates(bench, layout, bench.scale.rows, small, "exact", found)
        bench.report.figure(f"candidates_{'small' if small else 'large'}_p50_ms", found["by source"].time.median * 1e3)
    for name in ("%pkey", "%lexemes%"):
        bench.report.figure(f"mebibytes_{name.strip('%')}", size(bench.connection, layout, name))
    drop(bench.connection, layout)


def _compare(bench: Bench, sources: int) -> Layout:
    """LIST, then HASH, which stays for what follows, with full text."""
    listed, hashed = Layout(Kind.LIST, sources), Layout(Kind.HASH, sources)
    _choice(bench, listed)
    drop(bench.connection, listed)
    _choice(bench, hashed)
    return hashed


def _choice(bench: Bench, layout: Layout) -> None:
    bench.timed_fill(layout, bench.scale.rows, full_text=layout.kind is Kind.HASH)
    if layout.sources == bench.scale.many:
        _copy_by_layout(bench, layout)
    _nearest(bench, layout)
    _plans(bench, layout)


def _copy_by_layout(bench: Bench, layout: Layout) -> None:
    """COPY of rows of all sources; both layouts have the covering key alone."""
    count = bench.scale.side_rows // 10
    with bench.connection.transaction(force_rollback=True):
        bench.connection.execute("DROP INDEX IF EXISTS passages_lexemes")
        rate = copy_rate(bench.connection, more_rows(bench.connection, layout, count), count)
    bench.connection.execute("VACUUM passages")
    what = f"{layout.title} of {layout.sources:,} sources, covering key"
    bench.add("ingest", f"{bench.scale.rows:,}", what, f"{rate:,.0f}", "", "")


def _nearest(bench: Bench, layout: Layout) -> None:
    connection = bench.connection
    questions = bench.maker.questions(bench.scale.questions)
    sources = neighbours(layout, connection)
    found = nearest(connection, sources, questions)
    found |= nearest_by_hnsw(connection, layout, sources, questions)
    _add_nearest(bench, layout, found)


def _add_nearest(bench: Bench, layout: Layout, found: dict[str, Found]) -> None:
    for route, result in found.items():
        bench.add("nearest", f"{bench.scale.rows:,}", f"{layout.sources:,}", layout.title, route, *result.cells())


def _plans(bench: Bench, layout: Layout) -> None:
    measured = plans(bench.url, layout, bench.maker.questions(bench.scale.questions))
    bench.add("plans", f"{layout.sources:,}", layout.title, *measured.cells())


def _hybrid(bench: Bench, layout: Layout, passages: int, counts: Sequence[int]) -> None:
    asker = bench.asker(passages)
    for count in counts:
        heavy = count * passages // layout.sources
        questions = bench.maker.questions(3 if heavy >= 100_000 else bench.scale.questions)
        times = hybrid(asker, layout, count, questions).times
        for way in (OURS, OURS_EVERY, BY_ROWS):
            bench.add(
                "hybrid", f"{passages:,}", f"{layout.sources:,}", layout.title, f"{count:,}", way, *_ms(times[way])
            )
        ratio = times[BY_ROWS].median / times[OURS].median
        bench.report.figure(f"hybrid_{layout.schema}_{count}_p50_ms", times[OURS].median * 1e3)
        bench.report.figure(f"hybrid_{layout.schema}_{count}_rows_over_ours", ratio)


def _skewed(bench: Bench) -> None:
    """Two sources of a third of the passages each beside many of a thousand: a mix against HASH alone."""
    passages = bench.scale.side_rows
    small = max(1, passages // 3_000)
    owner = f"(CASE WHEN number / 10 % 3 < 2 THEN number / 10 % 3 ELSE 2 + number / 30 % {small} END)"
    for kind in (Kind.MIX, Kind.HASH):
        layout = bench.timed_fill(Layout(kind, small + 2, listed=2, owner=owner), passages, full_text=True)
        asker = bench.asker(passages)
        questions = bench.maker.questions(bench.scale.questions)
        for title, first, count in (("the 2 large", 0, 2), ("up to 8 small", 2, 8)):
            times = hybrid(asker, layout, count, questions, first=first).times
            bench.add("hybrid", f"{passages:,}", f"{small + 2:,}", layout.title, title, OURS, *_ms(times[OURS]))
        drop(bench.connection, layout)


def _hnsw_over_a_corpus(bench: Bench) -> None:
    """A corpus's candidates exactly and by HNSW, also those of a small corpus beside a large one."""
    passages = bench.scale.side_rows
    layout = bench.timed_fill(Layout(Kind.HASH, max(50, passages // 1_000)), passages, full_text=True)
    asker = bench.asker(passages)
    questions = bench.maker.questions(min(10, bench.scale.questions))
    for small in (False, True):
        _add_candidates(bench, layout, passages, small, "exact", candidates(asker, questions, small=small))
    start = time.perf_counter()
    bench.connection.execute(f"CREATE INDEX passages_embedding ON passages {HNSW}")
    bench.add("building", "HNSW on all partitions", f"{passages:,}", f"{time.perf_counter() - start:.0f}")
    for small in (False, True):
        for mode in ("off", "strict_order"):
            found = candidates(asker, questions, small=small, iterative_scan=mode)
            by_table = {"by table": found["by table"]}
            _add_candidates(bench, layout, passages, small, f"HNSW, {mode.replace('_', ' ')}", by_table)
    drop(bench.connection, layout)


def _add_candidates(
    bench: Bench, layout: Layout, passages: int, small: bool, how: str, found: dict[str, Candidates]
) -> None:
    corpus = "a fiftieth" if small else "nearly all"
    for way, result in found.items():
        cells = (f"{way}, {how}", *_ms(result.time), f"{result.recall:.3f}")
        bench.add("candidates", f"{passages:,}", f"{layout.sources:,}", corpus, *cells)


def _ingest(bench: Bench) -> None:
    passages = bench.scale.side_rows
    layout = bench.timed_fill(Layout(Kind.HASH, 100), passages, full_text=True)
    bare = 0.0
    for step in by_indexes(bench.connection, layout, passages // 5):
        bare = bare or step.rate
        share = f"{step.rate / bare:.2f}"
        bench.add("ingest", f"{passages:,}", step.indexes, f"{step.rate:,.0f}", share, f"{step.mebibytes:.0f}")
        bench.report.figure(f"ingest_share_{step.indexes.replace(', ', '_').replace(' ', '_')}", step.rate / bare)
    drop(bench.connection, layout)


def _moduli(bench: Bench) -> None:
    for modulus in (4, 16, 64):
        layout = Layout(Kind.HASH, 100, modulus=modulus)
        bench.timed_fill(layout, bench.scale.side_rows, full_text=True)
        _plans(bench, layout)
        _hybrid(bench, layout, bench.scale.side_rows, (8,))
        drop(bench.connection, layout)


def _very_many(bench: Bench) -> None:
    """HASH, then LIST, which stays until the server goes: to drop so many tables takes many locks."""
    connection, scale = bench.connection, bench.scale
    hashed = bench.timed_fill(Layout(Kind.HASH, scale.very_many), scale.rows, full_text=False)
    _nearest(bench, hashed)
    _plans(bench, hashed)
    alone = near_alone(bench.asker(scale.rows), bench.maker.questions(5))
    cells = ("by source, exact, embeddings alone", *_ms(alone), "1.000")
    bench.add("candidates", f"{scale.rows:,}", f"{scale.very_many:,}", "nearly all", *cells)
    drop(connection, hashed)
    listed = Layout(Kind.LIST, scale.very_many)
    seconds = list_of_many(connection, listed, scale.rows // scale.very_many, scale.listed_filled)
    bench.add("building", f"{listed.sources:,} LIST partitions, empty", "0", f"{seconds:.0f}")
    _add_nearest(
        bench, listed, nearest(connection, neighbours(listed, connection), bench.maker.questions(scale.questions))
    )
    _plans(bench, listed)
    milliseconds, lock = new_sources(connection, listed)
    bench.add("sources", listed.title, f"{listed.sources:,}", f"{milliseconds:.1f}", lock)
    bench.add("sources", hashed.title, "any", "0.0", "none: no DDL")


def _ms(timing: Timing) -> tuple[str, str]:
    return f"{timing.median * 1e3:.1f}", f"{timing.percentile(95) * 1e3:.1f}"


if __name__ == "__main__":
    raise SystemExit(run("partitions", measure))
