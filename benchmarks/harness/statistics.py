"""Means with 95 % intervals, Student's for repeated seeds, the bootstrap for questions; slopes likewise."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

RESAMPLES = 4_000
SEED = 5


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and the half width of its interval, of 95 % where nothing else is said."""

    mean: float
    half_width: float

    def __str__(self) -> str:
        """`mean ± half width` with three decimals."""
        return f"{self.mean:.3f} ± {self.half_width:.3f}"


def interval(values: Sequence[float]) -> Interval:
    """The mean of independent values with Student's 95 % interval; of a single value the half width is NaN."""
    sample = np.asarray(values, dtype=np.float64)
    if sample.size < 2:
        return Interval(float(sample.mean()), float("nan"))
    error = float(sample.std(ddof=1)) / sample.size**0.5
    return Interval(float(sample.mean()), float(stdtrit(sample.size - 1, 0.975)) * error)


def slope(x: Sequence[float], y: Sequence[float], confidence: float = 0.95) -> Interval:
    """The slope of the straight line of least squares with Student's interval; NaN for fewer than three points."""
    if len(x) < 3:
        return Interval(float("nan"), float("nan"))
    if min(y) == max(y):
        return Interval(0.0, 0.0)
    across, up = (np.asarray(values, dtype=np.float64) - np.mean(values) for values in (x, y))
    rise = float(across @ up / (across @ across))
    rest = up - rise * across
    error = float(rest @ rest / (len(x) - 2) / (across @ across)) ** 0.5
    return Interval(rise, float(stdtrit(len(x) - 2, (1 + confidence) / 2)) * error)


@dataclass(frozen=True, slots=True)
class BootstrapMean:
    """A mean and its 95 % percentile bootstrap interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return self.formatted(3)

    def formatted(self, digits: int) -> str:
        """`mean [low, high]` with so many decimals."""
        return f"{self.mean:.{digits}f} [{self.low:.{digits}f}, {self.high:.{digits}f}]"

    @property
    def signed(self) -> str:
        """The same with signs, for a difference."""
        return f"{self.mean:+.3f} [{self.low:+.3f}, {self.high:+.3f}]"


def bootstrap_mean(values: Sequence[float]) -> BootstrapMean:
    """The mean of values that are resampled with replacement; the same values give the same interval."""
    sample = np.asarray(values, dtype=np.float64)
    generator = np.random.default_rng(SEED)
    means = sample[generator.integers(0, sample.size, (RESAMPLES, sample.size))].mean(axis=1)
    low, high = np.percentile(means, (2.5, 97.5))
    return BootstrapMean(float(sample.mean()), float(low), float(high))
