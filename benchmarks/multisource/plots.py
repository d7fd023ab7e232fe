"""Figures of the paper's kind, drawn from rows into a folder."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.multisource.report import METHODS, NAMES, VARIATIONS, Figures
from benchmarks.multisource.score import READING_KINDS, Row
from benchmarks.multisource.settings import COUNTS, MANY, SPAMMERS

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
    return [path for figure in _FIGURES if (path := figure(figures, folder)) is not None]


def _in_beta(count: int) -> Wanted:
    return {"setting": "beta", "subset": f"N={count}", "part": "all"}


def _in_many(count: int) -> Wanted:
    return {"setting": "many", "subset": f"N={count}", "part": "all"}


def _in_spammers(count: int) -> Wanted:
    return {"setting": "spammers", "subset": f"spammers={count}", "part": "all"}


def _after_queries(count: int) -> Wanted:
    return {"setting": "beta", "subset": "N=9", "part": "reliability", "queries": count}


def _timed(count: int) -> Wanted:
    return {"subset": f"N={count}", "part": "seconds"}


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


def _sources(figures: Figures, folder: Path) -> Path | None:
    if "beta" not in figures.settings():
        return None
    figure, axes = _axes(2)
    for axis, name, label in zip(axes, ("right", "f1"), ("right answers", "F1"), strict=True):
        for method in METHODS[:6]:
            _line(axis, figures, name, COUNTS, _in_beta, method, NAMES[method])
        axis.set_xlabel("sources, reliabilities from Beta(6, 4)")
        axis.set_ylabel(label)
    return _finished(figure, axes, folder / "sources.png", 3)


def _spammers(figures: Figures, folder: Path) -> Path | None:
    if "spammers" not in figures.settings():
        return None
    figure, axes = _axes(1, 7)
    for method in METHODS[:6]:
        _line(axes[0], figures, "right", SPAMMERS, _in_spammers, method, NAMES[method])
    axes[0].set_xlabel("spammers among nine sources")
    axes[0].set_ylabel("right answers")
    return _finished(figure, axes, folder / "spammers.png", 3)


def _kappa(figures: Figures, folder: Path) -> Path | None:
    if figures.of("right", setting="beta", method="kappa=1") is None:
        return None
    figure, axes = _axes(2)
    xs = range(1, 10)
    for axis, name, label in zip(axes, ("right", "readings"), ("right answers", "sources read"), strict=True):
        for setting, subset, colour in (("beta", "N=9", "#1b9e77"), ("spammers", "spammers=6", "#b04a3a")):
            measured = [
                (k, figures.of(name, setting=setting, subset=subset, method=f"kappa={k}", part="all")) for k in xs
            ]
            points = [(k, mean.mean) for k, mean in measured if mean is not None]
            axis.plot(
                [k for k, _ in points],
                [mean for _, mean in points],
                color=colour,
                marker="o",
                label=f"{setting}, {subset}",
            )
            for method, line in (("majority", "--"), ("oracle", ":")):
                level = figures.of(name, setting=setting, subset=subset, method=method, part="all")
                if level is not None and name == "right":
                    axis.axhline(level.mean, color=colour, linestyle=line, alpha=0.6, label=f"{setting}: {method}")
        axis.set_xlabel("kappa")
        axis.set_ylabel(label)
    return _finished(figure, axes, folder / "kappa.png", 3)


def _cost(figures: Figures, folder: Path) -> Path | None:
    subsets = figures.values("subset", part="seconds")
    if not subsets:
        return None
    figure, axes = _axes(2)
    counts = [int(subset.removeprefix("N=")) for subset in subsets]
    for axis, name, label in zip(axes, ("readings", "seconds"), ("sources read", "seconds"), strict=True):
        for method in ("ra-rag", "wmv"):
            _line(
                axis,
                figures,
                name,
                counts,
                lambda count: {"subset": f"N={count}", "part": "seconds"},
                method,
                NAMES[method],
            )
        axis.set(xscale="log", yscale="log", xlabel="sources", ylabel=f"{label} for a question")
    return _finished(figure, axes, folder / "cost.png")


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


def _readings(figures: Figures, folder: Path) -> Path | None:
    stances = ("factual", "misinformation", "irrelevant")
    if not figures.values("subset", part="reading"):
        return None
    figure, axes = _axes(1, 8)
    bars = [(stance, method) for stance in stances for method in ("as read", "aligned")]
    bottom = [0.0] * len(bars)
    for kind, colour in zip(READING_KINDS, ("#1b9e77", "#b04a3a", "#cccccc", "#d98e2b"), strict=True):
        measured = [figures.of(kind, subset=stance, method=method, part="reading") for stance, method in bars]
        heights = [0.0 if interval is None else interval.mean for interval in measured]
        axes[0].bar(range(len(bars)), heights, bottom=bottom, color=colour, label=kind)
        bottom = [height + other for height, other in zip(bottom, heights, strict=True)]
    axes[0].set_xticks(range(len(bars)), [f"{stance}\n{method}" for stance, method in bars])
    axes[0].set_ylabel("share of the sources' readings")
    return _finished(figure, axes, folder / "readings.png")


def _variations(figures: Figures, folder: Path) -> Path | None:
    measured = [(setting, part) for setting, part in VARIATIONS if setting in figures.settings()]
    if not measured:
        return None
    figure, axes = _axes(1, 11)
    methods = METHODS[:6]
    for at, method in enumerate(methods):
        values = [figures.of("right", setting=setting, method=method, part=part) for setting, part in measured]
        heights = [0.0 if interval is None else interval.mean for interval in values]
        errors = [
            0.0 if interval is None or interval.half_width != interval.half_width else interval.half_width
            for interval in values
        ]
        xs = [x + at * 0.13 - 0.33 for x in range(len(measured))]
        axes[0].bar(
            xs,
            heights,
            0.12,
            yerr=errors,
            color=STYLES[method][0],
            alpha=0.6 if method == "wmv" else 1,
            label=NAMES[method],
        )
    axes[0].set_xticks(
        range(len(measured)), [setting if part == "all" else f"{setting},\n{part} ones" for setting, part in measured]
    )
    axes[0].set_ylabel("right answers")
    return _finished(figure, axes, folder / "variations.png", 3)


def _many(figures: Figures, folder: Path) -> Path | None:
    if "many" not in figures.settings():
        return None
    figure, axes = _axes(2)
    for axis, name, label in zip(axes, ("right", "readings"), ("right answers", "sources read"), strict=True):
        for method in METHODS[:6]:
            _line(axis, figures, name, MANY, _in_many, method, NAMES[method])
        axis.set(xscale="log", xlabel="sources", ylabel=label)
        axis.set_xticks(list(MANY), [str(count) for count in MANY])
        axis.minorticks_off()
    axes[1].set_yscale("log")
    return _finished(figure, axes, folder / "many.png")


_FIGURES: Sequence[Callable[[Figures, Path], Path | None]] = (
    _sources, _spammers, _kappa, _cost, _reliability, _readings, _variations, _many,
)  # fmt: skip
