"""Workers as actors of Ray, on this machine or on the cluster that Ray is connected to.

Ray moves all bytes: arguments and sums go through its object store. An actor that dies is started anew by Ray, which
repeats the call it was in; it reads its files again and goes on, while the others keep theirs.
"""

import os
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final

from estimator.distributed.overview import Numbering, Overview
from estimator.distributed.tasks import SumsT, Task
from estimator.distributed.workers import Worker
from estimator.errors import EstimatorError

_OBJECT_STORE: Final = 256 << 20
"""Bytes for what travels between the processes of one machine: arguments and sums."""
_MOST_RESTARTS: Final = 5
"""Of one worker; one that dies more often, as for want of memory, ends the estimate."""


class RayWorkers:
    """Each worker an actor with one core."""

    def __init__(self, paths: Sequence[str], rows: Sequence[int], memory: int, count: int) -> None:
        """Up to `count` workers, which share the files by their rows, and the bytes that votes may take between rounds.

        Raises EstimatorError where Ray is missing.
        """
        self._ray = _ray()
        self._started = not self._ray.is_initialized()
        if self._started:
            _start(self._ray, count)
        self._shares = shares(rows, min(count, len(paths)))
        actor = self._ray.remote(Worker).options(
            num_cpus=1, max_restarts=_MOST_RESTARTS, max_task_retries=_MOST_RESTARTS
        )
        of_each = memory // len(self._shares)
        self.actors = [actor.remote([paths[file] for file in share], of_each) for share in self._shares]
        self._numbering: Any = None

    def overviews(self, threshold: int) -> list[Overview]:
        """Of every file; `threshold` is that of the sample."""
        of_share = self._get([actor.overviews.remote(threshold) for actor in self.actors])
        numbers = (file for share in self._shares for file in share)
        found = dict(zip(numbers, (overview for share in of_share for overview in share), strict=True))
        return [found[file] for file in sorted(found)]

    def number(self, numbering: Numbering) -> None:
        """Tell all how sources and patterns are numbered, before the first `total`."""
        self._numbering = self._ray.put(numbering)

    def total(self, task: Task[SumsT]) -> SumsT:
        """The sums over all votes."""
        shared, total = self._ray.put(task), task.zero()
        waiting = [actor.total.remote(self._numbering, shared) for actor in self.actors]
        while waiting:
            ready, waiting = self._ray.wait(waiting)
            for sums in self._get(ready):
                total.add(sums)
        return total

    def close(self) -> None:
        """End the workers, and Ray if it was started for them."""
        for actor in self.actors:
            self._ray.kill(actor)
        if self._started:
            self._ray.shutdown()

    def _get(self, references: list[Any]) -> list[Any]:
        errors = self._ray.exceptions
        try:
            return list(self._ray.get(references))
        except errors.RayTaskError as error:
            if isinstance(error.cause, EstimatorError):
                raise EstimatorError(str(error.cause)) from error
            raise
        except errors.RayActorError as error:
            message = f"a worker died more than {_MOST_RESTARTS} times, perhaps for want of memory: {error}"
            raise EstimatorError(message) from error


def shares(rows: Sequence[int], count: int) -> list[list[int]]:
    """Which files each of `count` workers has, so that all have about as many rows: from the largest file on, each goes
    to the worker with the fewest.

    >>> shares([5, 3, 3, 1], 2)
    [[0, 3], [1, 2]]
    """
    loads = [0] * count
    files: list[list[int]] = [[] for _ in range(count)]
    for file in sorted(range(len(rows)), key=lambda file: -rows[file]):
        least = loads.index(min(loads))
        loads[least] += rows[file]
        files[least].append(file)
    return files


def _ray() -> Any:  # noqa: ANN401 - Ray is in an extra
    try:
        return import_module("ray")
    except ImportError as missing:
        raise EstimatorError("workers on several cores or machines need Ray: pip install 'credence[ray]'") from missing


def _start(ray: Any, count: int) -> None:  # noqa: ANN401 - Ray is in an extra
    """Connect to the cluster that RAY_ADDRESS names, or start Ray on this machine."""
    if os.environ.get("RAY_ADDRESS"):
        ray.init(log_to_driver=False)
    else:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        ray.init(
            num_cpus=count,
            include_dashboard=False,
            object_store_memory=_OBJECT_STORE,
            log_to_driver=False,
            logging_level="warning",
        )
