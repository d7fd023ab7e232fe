"""The page of results is generated from the saved objects, and every benchmark has headlines and a page."""

import json
from pathlib import Path

import pytest

from benchmarks.catalogue import BENCHMARKS
from benchmarks.harness import RESULTS, Benchmark, Headline
from benchmarks.results import __main__ as results
from tests.tables import for_each

ROOT = Path(__file__).parents[3]


def test_the_page_is_what_the_generator_writes() -> None:
    assert results.PAGE.read_text(encoding="utf-8") == results.results_page(), "run: python -m benchmarks.results"


@for_each("benchmark", BENCHMARKS)
def test_every_benchmark_has_a_page_a_saved_result_and_headlines(benchmark: Benchmark) -> None:
    page = ROOT / "docs" / "results" / f"{benchmark.page}.md"
    saved = results.load_result(benchmark)
    if not saved:
        assert "Not measured yet" in page.read_text(encoding="utf-8")
        return
    assert page.exists()
    assert saved["command"].startswith(benchmark.program)
    assert set(saved["machine"]) >= {"processor", "cores", "python"}
    for headline in benchmark.headlines:
        assert headline.figure in saved["figures"]


def test_nothing_saved_depends_on_the_machine() -> None:
    for path in RESULTS.glob("*.json"):
        assert "/work" not in path.read_text(encoding="utf-8")
        assert "/home" not in path.read_text(encoding="utf-8")


def test_rows_tell_figure_rivals_and_aim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    headline = Headline(
        "time", "ours", {"theirs": "rival", "other": "absent"}, 1.5, higher_is_better=False, form=".1f ms"
    )
    monkeypatch.setattr(results, "BENCHMARKS", (Benchmark("demo", "a demonstration", "demo", (headline,)),))
    machine = {"processor": "X", "cores": 2, "python": "Python 3.11"}
    saved = {
        "command": "python -m benchmarks.demo",
        "date": "2026-01-02T00:00:00",
        "machine": machine,
        "figures": {"ours": 2.0, "rival": 3.0},
    }
    (tmp_path / "demo.json").write_text(json.dumps(saved))
    page = results.results_page(tmp_path)
    assert (
        "| [demo](../docs/results/demo.md): a demonstration<br>`python -m benchmarks.demo`, 2026-01-02 | time"
        " | **2.0 ms** | theirs 3.0 ms, other not measured | at most 1.5 ms: **missed** |"
    ) in page
    assert "- X, 2 cores, Python 3.11: demo" in page
