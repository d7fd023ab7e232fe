"""Adoption of the lies against the number of liars, drawn."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.harness.plots import PLOTS, Panel, PlotStyle, draw_panels

_LINES = {
    "majority": ("#888888", "-"),
    "independent set": ("#888888", ":"),
    "isolate-and-aggregate": ("#7b5ea7", ":"),
    "iwmv": ("#b04a3a", "-"),
    "crowd-kit OneCoin": ("#d98e2b", ":"),
    "one_coin": ("#d98e2b", "-"),
    "auto": ("#1b9e77", "-"),
}


def draw_adoption(panels: Sequence[Panel], path: Path = PLOTS / "poisoning.png") -> None:
    """One panel for each attack; a curve ends where nine in ten targets are adopted."""
    draw_panels(panels, PlotStyle("liars beside the honest sources", "targets adopted", _LINES, _limit), path)


def _limit(axis: Any) -> None:  # noqa: ANN401 - matplotlib ships no types
    axis.set_ylim(-0.02, 1.02)
