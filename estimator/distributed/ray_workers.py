"""Workers as actors of Ray, on this machine or on the cluster that Ray is connected to.

Ray moves all bytes: arguments and sums go through its object store. An actor that dies is started anew by Ray, which
repeats the call it was in; it reads its files again and goes on, while the others keep theirs.
"""

import os
from collections.abc import Sequence
from importlib import import_module
from itertools import chain
from operator import itemgetter
from typing import Any, Final, TypeVar

from estimator.distributed.overview import Grouping, Overview, VoteCounts
from estimator.distributed.tasks import Expectation, ExpectedSums, SumsT, Task
from estimator.distributed.workers import Layout, Worker
from estimator.errors import EstimatorError

Item = TypeVar("Item")

_OBJECT_STORE: Final = 256 << 20
"""Bytes for what travels between the processes of one machine: arguments and sums."""
_START_SECONDS: Final = 300.0
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
        try:
            self._ray.get([worker.__ray_ready__.remote() for worker in self.actors], timeout=_START_SECONDS)
        except self._ray.exceptions.GetTimeoutError as late:
            self.close()
            raise EstimatorError(f"Ray has no free cores for {len(self.actors)} workers; ask for fewer") from late
        self._layout: Any = None
        self._member_count = 0

    def overviews(self, threshold: int) -> list[Overview]:
        """Of every file; `threshold` is that of the sample."""
        of_share: list[list[Overview]] = self._get([actor.overviews.remote(threshold) for actor in self.actors])
        return self._by_file(of_share)

    def group(self, grouping: Grouping) -> list[VoteCounts]:
        """Of every file, once copy groups are in the place of sources."""
        shared = self._ray.put(grouping)
        of_share: list[list[VoteCounts]] = self._get([actor.group.remote(shared) for actor in self.actors])
        return self._by_file(of_share)

    def lay_out(self, layout: Layout) -> None:
        """Tell all how sources and patterns are numbered, before the first `total`."""
        self._member_count, self._layout = layout.member_count, self._ray.put(layout)

    def total(self, task: Task[SumsT]) -> SumsT:
        """The sums over all votes."""
        shared = self._ray.put(task)
        return self._sum([actor.total.remote(self._layout, shared) for actor in self.actors], task.zero())

    def member_total(self, task: Expectation) -> ExpectedSums:
        """The sums over the votes of all members of copy groups."""
        shared, zero = self._ray.put(task), task.zero(self._member_count)
        return self._sum([actor.member_total.remote(self._layout, shared) for actor in self.actors], zero)

    def close(self) -> None:
        """End the workers, and Ray if it was started for them."""
        for actor in self.actors:
            self._ray.kill(actor)
        if self._started:
            self._ray.shutdown()

    def _sum(self, waiting: list[Any], total: SumsT) -> SumsT:
        while waiting:
            ready, waiting = self._ray.wait(waiting)
            for sums in self._get(ready):
                total.add(sums)
        return total

    def _by_file(self, of_shares: list[list[Item]]) -> list[Item]:
        """What every worker found of each of its files, in the order of the files."""
        found = zip(chain(*self._shares), chain(*of_shares), strict=True)
        return [item for _, item in sorted(found, key=itemgetter(0))]

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
