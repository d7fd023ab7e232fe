"""Reliability diagrams: the share of right answers by confidence, with what so few answers leave open."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.calibration.worlds import Judged
from benchmarks.harness.plots import PLOTS

BINS = 5
"""As many as the service's own evaluation has."""


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
