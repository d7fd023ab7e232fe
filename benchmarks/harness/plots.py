"""Curves side by side under one legend, written as a PNG."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

PLOTS = Path(__file__).parents[2] / "docs" / "results" / "plots"


@dataclass(frozen=True, slots=True)
class Panel:
    """One set of axes: the positions on the x axis, and the curves by name, NaN where there is no value."""

    title: str
    x: Sequence[float]
    curves: Mapping[str, Sequence[float]]
    widths: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """Half widths of the bands around curves."""
    mark: float | None = None
    """A position on the x axis that a dotted line shows."""


@dataclass(frozen=True, slots=True)
class PlotStyle:
    """What all panels of a plot share."""

    x_label: str
    y_label: str
    lines: Mapping[str, tuple[str, str]]
    """Colour and line style by name; curves without one are not drawn."""
    finish: Callable[[Any], None] | None = None
    """Sets scales and limits of each set of axes; without it the y axis goes from 0 to `top`."""
    top: float | None = 1.0
    legend_columns: int = 5
    ticks: Sequence[float] = ()
    """Ticks of the x axis; the positions of the panel if there are none."""
    tick_form: str = ",.0f"
    shared: bool = True
    """Whether the axes share their y axis."""


def draw_panels(panels: Sequence[Panel], style: PlotStyle, path: Path) -> None:
    """Draw the panels in a row and write the file."""
    import matplotlib as mpl  # noqa: PLC0415 - the quick form draws nothing and needs no matplotlib

    mpl.use("agg")
    from matplotlib import pyplot  # noqa: PLC0415 - after its backend is chosen

    size = (max(11.0, 3.5 * len(panels)), 4.3)
    figure, (axes,) = pyplot.subplots(1, len(panels), figsize=size, sharey=style.shared, squeeze=False)
    for axis, panel in zip(axes, panels, strict=True):
        # Wide to narrow, so that curves which coincide are both seen.
        line_widths = np.linspace(3.5, 1.5, len(style.lines))
        for (name, (colour, line)), width in zip(style.lines.items(), line_widths, strict=True):
            if name in panel.curves:
                widths = panel.widths.get(name, [0.0] * len(panel.x))
                points = zip(panel.x, panel.curves[name], widths, strict=True)
                x, values, half = np.array([point for point in points if not np.isnan(point[1])]).reshape(-1, 3).T
                axis.plot(x, values, line, color=colour, label=name, linewidth=width, marker="o", markersize=3)
                half = np.nan_to_num(half)
                axis.fill_between(x, values - half, values + half, color=colour, alpha=0.12, linewidth=0)
        axis.set_title(panel.title)
        axis.set_xlabel(style.x_label)
        if style.finish is None:
            axis.set_ylim(0, style.top)
        else:
            style.finish(axis)
        if panel.mark is not None:
            axis.axvline(panel.mark, color="#d55e00", linestyle=":")
        ticks = list(style.ticks or panel.x)
        axis.set_xticks(ticks, [f"{x:{style.tick_form}}" for x in ticks])
        axis.grid(alpha=0.3)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel(style.y_label)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=style.legend_columns, frameon=False)
    figure.tight_layout(rect=(0, 0.13, 1, 1))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
