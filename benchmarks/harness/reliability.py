"""Reliability diagrams (Guo et al. 2017, arXiv:1706.04599): the share of right answers by confidence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness.plots import PLOTS
from benchmarks.harness.report import Cell, Report

BINS = 5
"""As many as the service's own evaluation has."""
ERROR_BINS = 10


@dataclass(frozen=True, slots=True)
class Judged:
    """How probable each of some answers (n,) is said to be, and whether it is right (n,)."""

    confidence: NDArray[np.float64]
    right: NDArray[np.bool_]

    @property
    def error(self) -> float:
        """The expected calibration error, over ten bins of equal width.

        >>> round(Judged(np.array([0.55, 0.95]), np.array([True, False])).error, 2)
        0.7
        """
        return self.error_in(ERROR_BINS)

    def error_in(self, count: int) -> float:
        """The expected calibration error, over so many bins of equal width; 0 without answers."""
        bins = np.minimum((self.confidence * count).astype(int), count - 1)
        return sum(
            abs(float(self.confidence[bins == number].mean() - self.right[bins == number].mean()))
            * float((bins == number).mean())
            for number in np.unique(bins)
        )

    def joined(self, other: "Judged") -> "Judged":
        """Both together."""
        return Judged(np.append(self.confidence, other.confidence), np.append(self.right, other.right))


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers whose confidence lies in [lower, upper)."""

    lower: float
    upper: float
    count: int
    confidence: float
    """Their mean confidence."""
    right: float
    """The share of them that is right, and its 95 % interval (Wilson 1927)."""
    low: float
    high: float

    @property
    def holds(self) -> bool:
        """Whether the mean confidence lies in the interval."""
        return self.low <= self.confidence <= self.high


def bins_of(judged: Judged) -> list[Bin]:
    """Those that hold answers.

    >>> (only,) = bins_of(Judged(np.array([0.9, 0.9]), np.array([True, False])))
    >>> only.count, only.right, round(only.low, 2), round(only.high, 2)
    (2, 0.5, 0.09, 0.91)
    """
    number = np.minimum((judged.confidence * BINS).astype(int), BINS - 1)
    return [_bin(int(place), judged, number == place) for place in np.unique(number)]


def _bin(place: int, judged: Judged, members: np.ndarray) -> Bin:
    count, right = int(members.sum()), int(judged.right[members].sum())
    from scipy.stats import binomtest  # noqa: PLC0415  (takes most of a second)

    wilson = binomtest(right, count).proportion_ci(method="wilson")
    confidence = float(judged.confidence[members].mean())
    return Bin(
        place / BINS, (place + 1) / BINS, count, confidence, right / count, float(wilson.low), float(wilson.high)
    )


def measure_reliability(report: Report, title: str, measured: Mapping[str, Judged], plot: str) -> None:
    """A table of the bins of every set, its calibration error as the figure `SET/error`, the plot with `--save`."""
    diagrams = {name: bins_of(judged) for name, judged in measured.items()}
    rows: list[list[Cell]] = []
    for name, judged in measured.items():
        report.figure(f"{name}/error", judged.error)
        rows += [
            [
                name,
                f"{bin_.lower:.1f} to {bin_.upper:.1f}",
                bin_.count,
                f"{bin_.confidence:.3f}",
                f"{bin_.right:.3f} [{bin_.low:.3f}, {bin_.high:.3f}]",
                "yes" if bin_.holds else "no",
            ]
            for bin_ in diagrams[name]
        ]
        mean, right = f"{judged.confidence.mean():.3f}", f"{judged.right.mean():.3f}"
        rows.append([name, "all", judged.right.size, mean, right, f"error {judged.error:.3f}"])
    columns = ["data", "confidence", "answers", "mean confidence", "right, 95 % interval", "holds"]
    report.table(title, columns, rows)
    if report.options.save is not None:
        draw(diagrams, plot)


def draw(diagrams: Mapping[str, Sequence[Bin]], name: str) -> None:
    """Draw the diagrams side by side into a file of the results."""
    import matplotlib as mpl  # noqa: PLC0415 - the quick form draws nothing and needs no matplotlib

    mpl.use("agg")
    from matplotlib import pyplot  # noqa: PLC0415 - after its backend is chosen

    figure, axes = pyplot.subplots(1, len(diagrams), figsize=(4.0 * len(diagrams), 4.0), sharey=True, squeeze=False)
    for axis, (title, bins) in zip(axes[0], diagrams.items(), strict=True):
        right = np.array([bin_.right for bin_ in bins])
        open_ = np.array([[bin_.right - bin_.low, bin_.high - bin_.right] for bin_ in bins]).T
        axis.plot([0, 1], [0, 1], "--", color="grey", linewidth=1)
        axis.errorbar([bin_.confidence for bin_ in bins], right, yerr=np.maximum(open_, 0), fmt="o", capsize=4)
        for bin_ in bins:
            axis.annotate(str(bin_.count), (bin_.confidence, bin_.right), textcoords="offset points", xytext=(6, 4))
        axis.set(title=title, xlabel="confidence", xlim=(0, 1), ylim=(0, 1))
    axes[0][0].set_ylabel("right")
    figure.tight_layout()
    figure.savefig(PLOTS / name, dpi=110)
    pyplot.close(figure)
