"""Workers as actors of Ray, on this machine or on the cluster that Ray is connected to.

Ray moves all bytes: arguments and sums go through its object store. An actor that dies is started anew by Ray, which
repeats the call it was in; it reads its files again and goes on, while the others keep theirs.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from socket import create_connection
from threading import Lock
from typing import Any, Final

from estimator.distributed.workers import ResultT, Worker
from estimator.errors import EstimatorError, installing

_OBJECT_STORE: Final = 256 << 20
"""Bytes for what travels between the processes of one machine: arguments and sums."""
_CONNECT_SECONDS: Final = 10.0
_START_SECONDS: Final = 300.0
_SILENT_SECONDS: Final = 60.0
"""Seconds without any result after which the workers are asked whether they live; they have as long as a start to
answer."""
_HEALTH: Final = "health"
"""Calls of this group are answered while a worker counts."""
_MOST_RESTARTS: Final = 5
"""Most restarts of one worker; one that dies more often, as for want of memory, ends the estimate."""
_FILES_AHEAD: Final = 2
"""Files for each worker that are under way, or whose results wait for those of earlier files."""
_STARTED: Final = Lock()
"""Held while Ray runs for one estimate; another of this process would see it shut down."""


class RayWorkers:
    def __init__(self, paths: Sequence[str], rows: Sequence[int], memory: int, count: int) -> None:
        """Up to `count` workers, which share the files by their rows, and the bytes that votes may take between rounds.

        Raises EstimatorError where Ray is missing, cannot be started or has no free cores.
        """
        self._ray, self._paths = _ray(), paths
        self.actors: list[Any] = []
        self._started = _start(self._ray, count)
        try:
            self._employ(shares(rows, min(count, len(paths))), memory)
        except BaseException:
            self.close()
            raise

    def _employ(self, of_workers: list[list[int]], memory: int) -> None:
        as_actor = self._ray.remote(
            num_cpus=1,
            max_restarts=_MOST_RESTARTS,
            max_task_retries=_MOST_RESTARTS,
            concurrency_groups={_HEALTH: 1},
        )
        actor = as_actor(Worker)
        of_each = memory // len(of_workers)
        self.actors = [actor.remote([self._paths[file] for file in files], of_each) for files in of_workers]
        self._worker_of = {
            file: worker for files, worker in zip(of_workers, self.actors, strict=True) for file in files
        }
        if not self._are_ready():
            raise EstimatorError(f"Ray has no free cores for {len(self.actors)} workers; ask for fewer")

    def shared(self, value: Any) -> Any:  # noqa: ANN401 - any argument
        """A reference to the value in Ray's object store."""
        return self._ray.put(value)

    def by_worker(self, method: Callable[..., ResultT], *arguments: object) -> Iterator[ResultT]:
        """The results of all workers, in the order in which they finish."""
        waiting = [actor.__ray_call__.remote(method, *arguments) for actor in self.actors]
        while waiting:
            done = self._first_done(waiting)
            waiting.remove(done)
            yield self._get(done)

    def by_file(self, method: Callable[..., ResultT], *arguments: object) -> Iterator[ResultT]:
        """The results for all files, each by its worker, given the path first; in the order of the files.

        So many files at most are under way or done and not taken yet as keep the workers busy.
        """
        waiting = deque[Any]()
        for file, path in enumerate(self._paths):
            if len(waiting) == _FILES_AHEAD * len(self.actors):
                yield self._get(self._first_done([waiting.popleft()]))
            waiting.append(self._worker_of[file].__ray_call__.remote(method, path, *arguments))
        while waiting:
            yield self._get(self._first_done([waiting.popleft()]))

    def close(self) -> None:
        """End the workers, and Ray if it was started for them."""
        if not self._started:
            for actor in self.actors:
                self._ray.kill(actor)
            return
        self._started = False
        try:
            self._ray.shutdown()
        finally:
            _STARTED.release()

    def _first_done(self, waiting: list[Any]) -> Any:  # noqa: ANN401 - a reference
        """The first of these calls that ends, however long it takes while all workers live.

        The workers of a machine that is lost start on another one, but not before a core is free there.
        """
        while not (ready := self._ray.wait(waiting, timeout=_SILENT_SECONDS)[0]):
            if not self._are_ready():
                raise EstimatorError(
                    f"a worker has not answered for {_START_SECONDS:.0f} s: perhaps its machine is lost, "
                    "and Ray has no free core for another; ask for fewer workers"
                )
        return ready[0]

    def _are_ready(self) -> bool:
        """Whether all workers answer within the time of a start, or one of them has failed for good."""
        answers = [worker.__ray_ready__.options(concurrency_group=_HEALTH).remote() for worker in self.actors]
        try:
            self._ray.get(answers, timeout=_START_SECONDS)
        except self._ray.exceptions.GetTimeoutError:
            return False
        except self._ray.exceptions.RayActorError:
            return True  # the call that waits fails too, and says why
        return True

    def _get(self, reference: Any) -> Any:  # noqa: ANN401 - any result
        errors = self._ray.exceptions
        try:
            return self._ray.get(reference)
        except errors.RayTaskError as error:
            if isinstance(error.cause, EstimatorError):
                raise EstimatorError(str(error.cause)) from error
            raise
        except (errors.RayActorError, errors.OutOfMemoryError) as error:
            message = f"a worker died more than {_MOST_RESTARTS} times, perhaps for want of memory: {error}"
            raise EstimatorError(message) from error


def shares(rows: Sequence[int], count: int) -> list[list[int]]:
    """The files of each of `count` workers, with about equal numbers of rows: from the largest file on, each goes to
    the worker with the fewest.

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
        raise EstimatorError(f"workers on several cores or machines need Ray: {installing('ray')}") from missing


def _start(ray: Any, count: int) -> bool:  # noqa: ANN401 - Ray is in an extra
    """Start Ray on this machine, or connect to the cluster that RAY_ADDRESS names, unless the caller has done so; True
    if it is to be shut down. Waits for another estimate of this process that started it.
    """
    _STARTED.acquire()
    if ray.is_initialized():
        _STARTED.release()
        return False
    address = os.environ.get("RAY_ADDRESS", "")
    try:
        _init(ray, address, count)
    except BaseException as error:
        ray.shutdown()
        _STARTED.release()
        if isinstance(error, OSError | RuntimeError | ValueError):
            what = f"reached at {address}, which RAY_ADDRESS names" if address else "started"
            raise EstimatorError(f"Ray cannot be {what}: {error}") from error
        raise
    return True


def _init(ray: Any, address: str, count: int) -> None:  # noqa: ANN401 - Ray is in an extra
    if address:
        host, _, port = address.removeprefix("ray://").rpartition(":")
        if host and port.isdigit():  # where nothing listens, Ray tries again for minutes
            create_connection((host, int(port)), timeout=_CONNECT_SECONDS).close()
        ray.init(log_to_driver=False, logging_level="warning")
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(
        address="local",  # not a cluster that was left running here, or crashed
        num_cpus=count,
        include_dashboard=False,
        object_store_memory=_OBJECT_STORE,
        log_to_driver=False,
        logging_level="warning",
    )
