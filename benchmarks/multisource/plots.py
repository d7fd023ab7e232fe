"""Figures of the paper's kind, drawn from rows into a folder."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.multisource.report import METHODS, NAMES, Figures
from benchmarks.multisource.score import Row
from benchmarks.multisource.settings import SPAMMERS

# matplotlib has no types that are checked here.
Axes: TypeAlias = Any
Canvas: TypeAlias = Any
Wanted: TypeAlias = Mapping[str, object]

# Ours stand out, rivals are muted, the oracle is a limit and not a rival.
STYLES: Mapping[str, tuple[str, str]] = {
    "oracle": ("#444444", ":"),
    "wmv": ("#1b9e77", "--"),
    "ra-rag": ("#1b9e77", "-"),
    "majority": ("#888888", "-"),
    "naive": ("#b04a3a", "-"),
    "pooled": ("#d98e2b", "-"),
    "no relevance check": ("#7b5ea7", "--"),
    "no alignment": ("#2f6f9f", ":"),
    "iwmv": ("#2f6f9f", "-"),
    "one_coin": ("#1b9e77", "-"),
    "auto": ("#d98e2b", "--"),
}


def draw(rows: Sequence[Row], folder: Path) -> list[Path]:
    """Every figure for which there are rows, as PNG; returns the files."""
    import matplotlib as mpl  # noqa: PLC0415 - the quick form draws nothing and needs no matplotlib

    mpl.use("agg")
    folder.mkdir(parents=True, exist_ok=True)
    figures = Figures(rows)
    return [path for figure in (_spammers, _reliability) if (path := figure(figures, folder)) is not None]


def _in_spammers(count: int) -> Wanted:
    return {"setting": "spammers", "subset": f"spammers={count}", "part": "all"}


def _after_queries(count: int) -> Wanted:
    return {"setting": "beta", "subset": "N=9", "part": "reliability", "queries": count}


def _line(axis: Axes, figures: Figures, name: str, xs: Sequence[int], wanted: Callable[[int], Wanted],
          method: str, label: str) -> None:  # fmt: skip
    measured = [(x, figures.of(name, method=method, **wanted(x))) for x in xs]
    points = [(x, mean) for x, mean in measured if mean is not None]
    if not points:
        return
    colour, line = STYLES[method]
    means = [interval.mean for _, interval in points]
    axis.plot([x for x, _ in points], means, line, color=colour, label=label, linewidth=2, marker="o", markersize=4)
    widths = [0.0 if interval.half_width != interval.half_width else interval.half_width for _, interval in points]
    low, high = ([mean + sign * width for mean, width in zip(means, widths, strict=True)] for sign in (-1, 1))
    axis.fill_between([x for x, _ in points], low, high, color=colour, alpha=0.12, linewidth=0)


def _finished(figure: Canvas, axes: Sequence[Axes], path: Path, columns: int = 4) -> Path:
    for axis in axes:
        axis.grid(alpha=0.3)
        axis.spines[["top", "right"]].set_visible(False)
    labels = dict(zip(*reversed(axes[0].get_legend_handles_labels()), strict=True))
    rows = -(-len(labels) // columns)
    figure.legend(labels.values(), labels.keys(), loc="lower center", ncols=columns, frameon=False)
    figure.tight_layout(rect=(0, 0.02 + 0.06 * rows, 1, 1))
    figure.savefig(path, dpi=110)
    from matplotlib import pyplot  # noqa: PLC0415 - after its backend is chosen

    pyplot.close(figure)
    return path


def _axes(count: int, width: float = 5.5) -> tuple[Canvas, list[Axes]]:
    from matplotlib import pyplot  # noqa: PLC0415 - after its backend is chosen

    figure, axes = pyplot.subplots(1, count, figsize=(width * count, 4.6), squeeze=False)
    return figure, list(axes[0])


def _spammers(figures: Figures, folder: Path) -> Path | None:
    if "spammers" not in figures.settings():
        return None
    figure, axes = _axes(1, 7)
    for method in METHODS[:6]:
        _line(axes[0], figures, "right", SPAMMERS, _in_spammers, method, NAMES[method])
    axes[0].set_xlabel("spammers among nine sources")
    axes[0].set_ylabel("right answers")
    return _finished(figure, axes, folder / "spammers.png", 3)


def _reliability(figures: Figures, folder: Path) -> Path | None:
    counts = sorted({int(count) for count in figures.values("queries", part="reliability", setting="beta")})
    if not counts:
        return None
    figure, axes = _axes(4, 4)
    shown = {
        "rmse": "RMSE to the truth",
        "rmse_votes": "RMSE to the share of votes that are right",
        "pearson": "Pearson's r to the truth",
        "spearman": "Spearman's rho to the truth",
    }
    for axis, (name, label) in zip(axes, shown.items(), strict=True):
        for method in ("majority", "iwmv", "one_coin", "auto"):
            _line(axis, figures, name, counts, _after_queries, method, method)
        axis.set(xscale="log", xlabel="unlabelled queries", ylabel=label)
        axis.set_xticks(counts, [str(count) for count in counts])
        axis.minorticks_off()
    return _finished(figure, axes, folder / "reliability.png")
