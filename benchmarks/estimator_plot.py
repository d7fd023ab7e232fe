"""Error of the reliabilities against the number of queries, drawn."""

from collections.abc import Mapping, Sequence
from pathlib import Path

PLOT = Path(__file__).parent / "plots" / "estimator.png"

_STYLES = {
    "oracle, floor": ("#444444", ":"),
    "majority": ("#888888", "-"),
    "iwmv": ("#b04a3a", "-"),
    "bayes": ("#1b9e77", "-"),
    "crowd-kit OneCoin": ("#2f6f9f", "--"),
}


def draw_errors(panels: Mapping[str, Mapping[str, Sequence[float]]], queries: Sequence[int], path: Path = PLOT) -> None:
    """One panel for each prior and number of sources."""
    import matplotlib as mpl  # noqa: PLC0415 - the quick form draws nothing and needs no matplotlib

    mpl.use("agg")
    from matplotlib import pyplot  # noqa: PLC0415 - after its backend is chosen

    figure, axes = pyplot.subplots(1, len(panels), figsize=(14, 4.2), sharey=True)
    for axis, (title, curves) in zip(axes, panels.items(), strict=True):
        for name, values in curves.items():
            if name in _STYLES:
                colour, line = _STYLES[name]
                axis.loglog(queries, values, line, color=colour, label=name, linewidth=2, marker="o", markersize=3)
        axis.set_title(title)
        axis.set_xlabel("queries")
        axis.set_xticks(list(queries), [str(one) for one in queries])
        axis.minorticks_off()
        axis.grid(alpha=0.3)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("RMSE of the reliabilities")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="lower center", ncols=5, frameon=False)
    figure.tight_layout(rect=(0, 0.1, 1, 1))
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
