"""Wall-clock time of repeated calls."""

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Timing:
    """Wall-clock seconds of repeated runs."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median in seconds."""
        return statistics.median(self.seconds)

    def percentile(self, percent: float) -> float:
        """A percentile in seconds, interpolated linearly."""
        return float(np.percentile(self.seconds, percent))


def time_in_turn(functions: Mapping[str, Callable[[], object]], *, repeats: int, warmups: int = 1) -> dict[str, Timing]:
    """Time every function `repeats` times in turn, so that a slow moment of the machine hits all alike."""
    for function in functions.values():
        for _ in range(warmups):
            function()
    rounds = [{name: _seconds(function) for name, function in functions.items()} for _ in range(repeats)]
    return {name: Timing(tuple(times[name] for times in rounds)) for name in functions}


def time_of(function: Callable[[], object], *, repeats: int, warmups: int = 1) -> Timing:
    """Time one function, as `time_in_turn` does."""
    return time_in_turn({"": function}, repeats=repeats, warmups=warmups)[""]


def _seconds(function: Callable[[], object]) -> float:
    gc.collect()  # so that garbage of the previous function is not collected during this one
    start = time.perf_counter()
    function()
    return time.perf_counter() - start
