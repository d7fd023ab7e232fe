"""Figures of the paper's kind, drawn from rows into a folder."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.harness.plots import Panel, PlotStyle, draw_panels
from benchmarks.multisource.report import METHODS, NAMES, Figures
from benchmarks.multisource.score import LEARNED, Row
from benchmarks.multisource.settings import SPAMMERS

# Ours stand out, rivals are muted, the oracle is a limit and not a rival.
LINES: Mapping[str, tuple[str, str]] = {
    "oracle": ("#444444", ":"),
    "wmv": ("#1b9e77", "--"),
    "ra-rag": ("#1b9e77", "-"),
    "majority": ("#888888", "-"),
    "naive": ("#b04a3a", "-"),
    "pooled": ("#d98e2b", "-"),
    "iwmv": ("#2f6f9f", "-"),
    "one_coin": ("#1b9e77", "-"),
    "auto": ("#d98e2b", "--"),
}
_ERRORS = {
    "rmse": "RMSE to the truth",
    "rmse_votes": "RMSE to the share of right votes",
    "pearson": "Pearson's r to the truth",
    "spearman": "Spearman's rho to the truth",
}


def draw(rows: Sequence[Row], folder: Path) -> list[Path]:
    """Every figure for which there are rows, as PNG; returns the files."""
    figures = Figures(rows)
    drawn = []
    if "spammers" in figures.settings():
        panel = _panel(
            figures, "", "right", SPAMMERS, METHODS[:6],
            lambda count: {"setting": "spammers", "subset": f"spammers={count}", "part": "all"},
        )  # fmt: skip
        lines = {NAMES[method]: LINES[method] for method in METHODS[:6]}
        drawn.append(folder / "spammers.png")
        style = PlotStyle("spammers among nine sources", "right answers", lines, legend_columns=3)
        draw_panels([panel], style, drawn[-1])
    counts = sorted({int(count) for count in figures.values("queries", part="reliability", setting="beta")})
    if counts:
        panels = [
            _panel(figures, title, name, counts, LEARNED, _after_queries) for name, title in _ERRORS.items()
        ]  # fmt: skip
        drawn.append(folder / "reliability.png")
        lines = {method: LINES[method] for method in LEARNED}
        draw_panels(panels, PlotStyle("unlabelled queries", "", lines, _logarithmic, shared=False), drawn[-1])
    return drawn


def _after_queries(count: int) -> Mapping[str, object]:
    return {"setting": "beta", "subset": "N=9", "part": "reliability", "queries": count}


def _logarithmic(axis: Any) -> None:  # noqa: ANN401  (matplotlib is not typed)
    axis.set_xscale("log")
    axis.minorticks_off()


def _panel(
    figures: Figures,
    title: str,
    what: str,
    xs: Sequence[int],
    methods: Sequence[str],
    wanted: Callable[[int], Mapping[str, object]],
) -> Panel:
    """The curves of the methods with their intervals; NaN where nothing was measured."""
    curves, widths = dict[str, list[float]](), dict[str, list[float]]()
    for method in methods:
        measured = [figures.of(what, method=method, **wanted(x)) for x in xs]
        name = NAMES.get(method, method)
        curves[name] = [float("nan") if each is None else each.mean for each in measured]
        widths[name] = [0.0 if each is None else each.half_width for each in measured]
    return Panel(title, xs, curves, widths=widths)
