"""Accuracy against copiers, drawn."""

from collections.abc import Mapping, Sequence
from pathlib import Path

Curves = Mapping[str, Sequence[float]]

# Ours stand out; those that share a fate share a colour.
_STYLES = {
    "majority": ("#888888", "-"),
    "iwmv": ("#b04a3a", "-"),
    "bayes": ("#d98e2b", "-"),
    "AccuCopy": ("#7b5ea7", "-"),
    "crowd-kit OneCoinDawidSkene": ("#d98e2b", ":"),
    "copies found, majority": ("#2f6f9f", "--"),
    "copies found, iwmv": ("#1b9e77", "-"),
}


def draw(panels: Mapping[str, Curves], copiers: Sequence[int], path: Path) -> None:
    """One panel for each share that is copied, with a legend for all."""
    import matplotlib as mpl  # noqa: PLC0415 - the quick form draws nothing and needs no matplotlib

    mpl.use("agg")
    from matplotlib import pyplot  # noqa: PLC0415 - after its backend is chosen

    figure, axes = pyplot.subplots(1, len(panels), figsize=(11, 4.4), sharey=True)
    for axis, (title, curves) in zip(axes, panels.items(), strict=True):
        for name, values in curves.items():
            if name in _STYLES:
                colour, line = _STYLES[name]
                axis.plot(copiers, values, line, color=colour, label=name, linewidth=2, marker="o", markersize=3)
        axis.set_title(title)
        axis.set_xlabel("copiers of a source at 0.35, against 5 independent ones at 0.75")
        axis.set_xticks(list(copiers))
        axis.set_ylim(0.2, 1.0)
        axis.grid(alpha=0.3)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("answers that are right")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="lower center", ncols=4, frameon=False)
    figure.tight_layout(rect=(0, 0.13, 1, 1))
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
