"""Error of the reliabilities against the number of votes, drawn."""

from collections.abc import Sequence
from typing import Any

from benchmarks.harness.plots import PLOTS, Panel, PlotStyle, draw_panels

_LINES = {
    "oracle, floor": ("#444444", ":"),
    "majority": ("#888888", "-"),
    "iwmv": ("#b04a3a", "-"),
    "one_coin": ("#1b9e77", "-"),
    "crowd-kit OneCoin": ("#2f6f9f", "--"),
}


def draw_errors(panels: Sequence[Panel]) -> None:
    """One panel for each prior and number of sources."""
    draw_panels(panels, PlotStyle("votes", "RMSE of the reliabilities", _LINES, _logarithmic), PLOTS / "estimator.png")


def _logarithmic(axis: Any) -> None:  # noqa: ANN401 - matplotlib ships no types
    axis.set_yscale("log")
    axis.set_xscale("log")
    axis.set_yticks([0.01, 0.02, 0.05, 0.1, 0.2], ["0.01", "0.02", "0.05", "0.10", "0.20"])
    axis.minorticks_off()
