"""Accuracy of the answers against the number of copiers, drawn."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.harness.plots import PLOTS, Panel, PlotStyle, draw_panels

_LINES = {
    "majority": ("#888888", "-"),
    "iwmv": ("#b04a3a", "-"),
    "one_coin": ("#d98e2b", "-"),
    "AccuCopy": ("#7b5ea7", "-"),
    "crowd-kit OneCoinDawidSkene": ("#d98e2b", ":"),
    "copies found, majority": ("#2f6f9f", "--"),
    "copies found, iwmv": ("#1b9e77", "-"),
}


def draw_accuracy(panels: Sequence[Panel], path: Path = PLOTS / "copies.png") -> None:
    """One panel for each share of votes that is copied."""
    x_label = "copiers of a source at 0.35, against 5 independent ones at 0.75"
    draw_panels(panels, PlotStyle(x_label, "right answers", _LINES, _limit, legend_columns=4), path)


def _limit(axis: Any) -> None:  # noqa: ANN401 - matplotlib ships no types
    axis.set_ylim(0.2, 1.0)
