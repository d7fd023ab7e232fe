"""Workers: which files each has, and what it costs when one dies."""

import contextlib
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest

from estimator import EstimatorError
from estimator.distributed import estimate_files, ray_workers, workers
from estimator.distributed.ray_workers import RayWorkers, shares
from estimator.distributed.vote_files import FileVotes, read_votes
from estimator.distributed.workers import ResultT, Worker
from tests.estimator.distributed.vote_sets import COPIES, bits, drawn, written

pytest.importorskip("pyarrow", reason="votes in Parquet files need the extra `parquet`")

Value = TypeVar("Value")


class MortalWorkers:
    """Workers in this process, the first of which starts anew before the second round, as actors of Ray do."""

    def __init__(self, paths: Sequence[str], rows: Sequence[int], memory: int) -> None:
        self._shares = [[paths[file] for file in share] for share in shares(rows, 3)]
        self._workers = [Worker(share, memory) for share in self._shares]
        self._paths, self._memory, self._rounds = paths, memory, 0

    def shared(self, value: Value) -> Value:
        return value

    def by_worker(self, method: Callable[..., ResultT], *arguments: object) -> Iterator[ResultT]:
        self._rounds += 1
        if self._rounds == 2:
            self._workers[0] = Worker(self._shares[0], self._memory)
        return (method(worker, *arguments) for worker in reversed(self._workers))

    def by_file(self, method: Callable[..., ResultT], *arguments: object) -> Iterator[ResultT]:
        for path in self._paths:
            (number,) = (number for number, share in enumerate(self._shares) if path in share)
            yield method(self._workers[number], path, *arguments)

    def close(self) -> None:
        pass


def test_a_worker_that_dies_reads_its_own_files_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    votes = drawn()
    paths = written(tmp_path, votes, np.arange(votes.query_count) % 6)
    whole, read = estimate_files(paths, "one_coin"), []

    def reading(path: str) -> FileVotes:
        read.append(path)
        return read_votes(path)

    monkeypatch.setattr(workers, "read_votes", reading)
    assert bits(estimate_files(paths, "one_coin", workers=MortalWorkers)) == bits(whole)
    assert len(read) == 6 + 2
    copies = written(tmp_path / "copies", COPIES, np.arange(COPIES.query_count) % 6)
    grouped = estimate_files(copies, "auto")
    read.clear()
    assert bits(estimate_files(copies, "auto", workers=MortalWorkers)) == bits(grouped)
    assert len(read) == 6 + 2 + 6
    read.clear()
    estimate_files(paths, "majority", memory=0)
    assert len(read) == 6 + 6


def test_files_are_shared_by_their_rows() -> None:
    assert shares([10, 1, 1, 9, 8], 3) == [[0], [3, 2], [4, 1]]


@pytest.mark.ray
@pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra `ray`")
@pytest.mark.filterwarnings("ignore")
def test_ray_gives_the_bits_of_this_process_though_an_actor_is_killed(tmp_path: Path) -> None:
    votes = drawn()
    paths = written(tmp_path, votes, np.arange(votes.query_count) % 4)
    crews = []

    class Killed(RayWorkers):
        rounds = 0

        def by_worker(self, method: Callable[..., ResultT], *arguments: object) -> Iterator[ResultT]:
            self.rounds += 1
            if self.rounds == 2:
                self._ray.kill(self.actors[0], no_restart=False)
            return super().by_worker(method, *arguments)

    def workers(paths: Sequence[str], rows: Sequence[int], memory: int) -> Killed:
        crews.append(Killed(paths, rows, memory, count=2))
        return crews[-1]

    copies = written(tmp_path / "copies", COPIES, np.arange(COPIES.query_count) % 4)
    for files, method in ((paths, "iwmv"), (paths, "one_coin"), (copies, "auto")):
        answers = [tmp_path / f"{engine}.parquet" for engine in ("ray", "local")]
        by_ray = estimate_files(files, method, workers=workers, answers=str(answers[0]))
        assert bits(by_ray) == bits(estimate_files(files, method, answers=str(answers[1])))
        assert answers[0].read_bytes() == answers[1].read_bytes()
    assert [workers.rounds > 2 for workers in crews] == [True, True, True]


@pytest.mark.ray
@pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra `ray`")
@pytest.mark.filterwarnings("ignore")
def test_ray_does_not_wait_for_ever_for_a_worker_that_does_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped: list[int] = []

    class Stopped(RayWorkers):
        def by_worker(self, method: Callable[..., ResultT], *arguments: object) -> Iterator[ResultT]:
            if not stopped:
                stopped.append(self._ray.get(self.actors[0].__ray_call__.remote(lambda _: os.getpid())))
                os.kill(stopped[0], signal.SIGSTOP)
                monkeypatch.setattr(ray_workers, "_SILENT_SECONDS", 0.2)
                monkeypatch.setattr(ray_workers, "_START_SECONDS", 1.0)
            return super().by_worker(method, *arguments)

    paths = written(tmp_path, votes := drawn(), np.arange(votes.query_count) % 4)
    try:
        with pytest.raises(EstimatorError, match="a worker has not answered for 1 s"):
            estimate_files(paths, "iwmv", workers=partial(Stopped, count=2))
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(stopped[0], signal.SIGCONT)
