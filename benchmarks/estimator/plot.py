"""Error of the reliabilities, and coverage of their intervals, against the number of votes, drawn."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.harness.plots import PLOTS, Panel, PlotStyle, draw_panels

_LINES = {
    "oracle, floor": ("#444444", ":"),
    "majority": ("#888888", "-"),
    "iwmv": ("#b04a3a", "-"),
    "one_coin": ("#1b9e77", "-"),
    "crowd-kit OneCoin": ("#2f6f9f", "--"),
}


def draw_errors(panels: Sequence[Panel], path: Path = PLOTS / "estimator.png") -> None:
    """One panel for each prior and number of sources."""
    draw_panels(panels, PlotStyle("votes", "RMSE of the reliabilities", _LINES, _logarithmic), path)


def draw_coverage(panels: Sequence[Panel], path: Path = PLOTS / "estimator_coverage.png") -> None:
    """The same panels; the band marks coverage between 0.87 and 0.93."""
    draw_panels(panels, PlotStyle("votes", "true reliabilities in their 90 % intervals", _LINES, _banded), path)


def _logarithmic(axis: Any) -> None:  # noqa: ANN401 - matplotlib ships no types
    axis.set_yscale("log")
    _logarithmic_x(axis)
    axis.set_yticks([0.01, 0.02, 0.05, 0.1, 0.2], ["0.01", "0.02", "0.05", "0.10", "0.20"])
    axis.minorticks_off()


def _banded(axis: Any) -> None:  # noqa: ANN401 - matplotlib ships no types
    _logarithmic_x(axis)
    axis.axhspan(0.87, 0.93, color="#1b9e77", alpha=0.12, linewidth=0)
    axis.set_ylim(0, 1)


def _logarithmic_x(axis: Any) -> None:  # noqa: ANN401 - matplotlib ships no types
    axis.set_xscale("log")
    axis.minorticks_off()
