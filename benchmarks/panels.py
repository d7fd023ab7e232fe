"""Curves side by side under one legend, drawn into a PNG."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PLOTS = Path(__file__).parent / "plots"


@dataclass(frozen=True, slots=True)
class Panel:
    """One set of axes: where the points lie, and the curves by name."""

    title: str
    places: Sequence[float]
    curves: Mapping[str, Sequence[float]]


@dataclass(frozen=True, slots=True)
class Look:
    """What all panels of a picture share."""

    across: str
    up: str
    styles: Mapping[str, tuple[str, str]]
    """Colour and line of the curves that are drawn; others are not."""
    finish: Callable[[Any], None]
    """What else is done to each set of axes."""


def draw_panels(panels: Sequence[Panel], look: Look, path: Path) -> None:
    """Draw them in a row."""
    import matplotlib as mpl  # noqa: PLC0415 - the quick form draws nothing and needs no matplotlib

    mpl.use("agg")
    from matplotlib import pyplot  # noqa: PLC0415 - after its backend is chosen

    figure, axes = pyplot.subplots(1, len(panels), figsize=(14, 4.2), sharey=True)
    for axis, panel in zip(axes, panels, strict=True):
        for name, (colour, line) in look.styles.items():
            if name in panel.curves:
                values = panel.curves[name]
                axis.plot(panel.places, values, line, color=colour, label=name, linewidth=2, marker="o", markersize=3)
        axis.set_title(panel.title)
        axis.set_xlabel(look.across)
        look.finish(axis)
        axis.set_xticks(list(panel.places), [f"{place:,.0f}" for place in panel.places])
        axis.grid(alpha=0.3)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel(look.up)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="lower center", ncols=len(look.styles), frameon=False)
    figure.tight_layout(rect=(0, 0.1, 1, 1))
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
