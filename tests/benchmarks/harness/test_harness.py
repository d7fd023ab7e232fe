"""Options, statistics, skips, and the JSON object of a benchmark."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.harness import (
    Benchmark,
    Report,
    interval,
    parse,
    run,
)

DEMO = Benchmark("demo", "a benchmark of the tests", page="demo")


def last_line(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    summary: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return summary


def test_a_report_ends_in_one_object(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    def measure(report: Report) -> None:
        assert report.options.quick
        report.table("Speed [bold]", ["who", "seconds"], [["ours", 0.5], ["[red]theirs", None]])
        report.figure("ratio", 2.5)
        report.figure("unknown", float("nan"))
        report.rival_skipped("rival", "not installed")

    saved = tmp_path / "summary.json"
    assert run(DEMO, measure, ["--quick", "--json", "--seeds", "3", "--save", str(saved)]) == 0
    summary = last_line(capsys)
    assert summary["command"] == "python -m benchmarks.demo --quick --seeds 3"
    assert summary == json.loads(saved.read_text(encoding="utf-8"))
    assert (summary["benchmark"], summary["quick"], summary["seeds"]) == ("demo", True, 3)
    assert summary["figures"] == {"ratio": 2.5, "unknown": None}
    assert summary["rivals_skipped"] == {"rival": "not installed"}
    assert summary["tables"][0]["rows"] == [["ours", 0.5], ["[red]theirs", None]]
    assert summary["skipped"] is None
    assert summary["machine"]["cores"] >= 1


def test_missing_data_is_a_skip_with_its_reason(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(DEMO, lambda report: print(report.folder("books")), ["--json", "--data", str(tmp_path)]) == 0
    assert "no data set 'books'" in last_line(capsys)["skipped"]


def test_a_failure_is_not_swallowed() -> None:
    with pytest.raises(ZeroDivisionError):
        run(DEMO, lambda report: report.figure("impossible", 1 / 0), [])


@pytest.mark.parametrize("seeds", ["0", "-1", "many"])
def test_seeds_are_a_count(seeds: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse("demo", [f"--seeds={seeds}"])
    assert "give 1 or more" in capsys.readouterr().err


def test_interval_is_students() -> None:
    """Mean 2, standard deviation 1, t(0.975, 2) = 4.3027: 4.3027 / sqrt(3) = 2.4841."""
    measured = interval([1, 2, 3])
    assert measured.mean == 2
    assert measured.half_width == pytest.approx(2.4841, abs=1e-4)
    assert str(interval([0.5])) == "0.500 ± nan"
