"""Workers: which files each has, and what it costs when one dies."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from estimator.distributed import estimate_files, workers
from estimator.distributed.overview import Grouping, Numbering, Overview, VoteCounts
from estimator.distributed.ray_workers import RayWorkers, shares
from estimator.distributed.tasks import Expectation, ExpectedSums, SumsT, Task
from estimator.distributed.vote_files import FileVotes, read_votes
from estimator.distributed.workers import Layout, Worker
from tests.estimator.distributed.vote_sets import COPIES, bits, drawn, written

pytest.importorskip("pyarrow", reason="votes in Parquet files need the extra `parquet`")


class MortalWorkers:
    """Workers in this process, the first of which starts anew before a round, as actors of Ray do."""

    def __init__(self, paths: Sequence[str], rows: Sequence[int], memory: int) -> None:
        self._shares = [[paths[file] for file in share] for share in shares(rows, 3)]
        self._workers = [Worker(share, memory) for share in self._shares]
        self._memory, self._rounds, self._layout = memory, 0, Layout(Numbering.empty())

    def overviews(self, threshold: int) -> list[Overview]:
        return [overview for worker in self._workers for overview in worker.overviews(threshold)]

    def group(self, grouping: Grouping) -> list[VoteCounts]:
        return [counts for worker in self._workers for counts in worker.group(grouping)]

    def lay_out(self, layout: Layout) -> None:
        self._layout = layout

    def total(self, task: Task[SumsT]) -> SumsT:
        self._rounds += 1
        if self._rounds == 2:
            self._workers[0] = Worker(self._shares[0], self._memory)
        total = task.zero()
        for worker in self._workers:
            total.add(worker.total(self._layout, task))
        return total

    def member_total(self, task: Expectation) -> ExpectedSums:
        total = task.zero(self._layout.member_count)
        for worker in self._workers:
            total.add(worker.member_total(self._layout, task))
        return total

    def close(self) -> None:
        pass


def test_a_worker_that_dies_reads_its_own_files_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    votes = drawn()
    paths = written(tmp_path, votes, np.arange(votes.query_count) % 6)
    whole, read = estimate_files(paths, "bayes"), []

    def reading(path: str) -> FileVotes:
        read.append(path)
        return read_votes(path)

    monkeypatch.setattr(workers, "read_votes", reading)
    assert bits(estimate_files(paths, "bayes", workers=MortalWorkers)) == bits(whole)
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

        def total(self, task: Task[SumsT]) -> SumsT:
            self.rounds += 1
            if self.rounds == 2:
                self._ray.kill(self.actors[0], no_restart=False)
            return super().total(task)

    def crew(paths: Sequence[str], rows: Sequence[int], memory: int) -> Killed:
        crews.append(Killed(paths, rows, memory, count=2))
        return crews[-1]

    copies = written(tmp_path / "copies", COPIES, np.arange(COPIES.query_count) % 4)
    for files, method in ((paths, "iwmv"), (paths, "bayes"), (copies, "auto")):
        assert bits(estimate_files(files, method, workers=crew)) == bits(estimate_files(files, method))
    assert [crew.rounds > 2 for crew in crews] == [True, True, True]
