"""Workers add up votes alike however many they are, and answers have their probabilities."""

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

from estimator import EstimatorError, TiePolicy, VoteMatrix, estimate
from estimator.distributed import Stage, estimate_files, ray_workers, values, workers, write_votes
from estimator.distributed.ray_workers import RayWorkers, shares
from estimator.distributed.vote_files import FileVotes, read_votes
from estimator.distributed.workers import ResultT, Worker
from estimator.methods import Options
from tests.estimator.distributed.vote_sets import COPIES, bits, drawn, written
from tests.tables import for_each

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


pytest.importorskip("pyarrow", reason="votes in Parquet files need the extra `parquet`")


@for_each(("votes", "method"), [(drawn(), "majority"), (drawn(), "iwmv"), (drawn(), "one_coin"), (COPIES, "auto")])
def test_answers_are_those_of_votes_in_memory_for_any_number_of_workers(
    votes: VoteMatrix, method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("estimator.methods.one_coin_sampling._LARGEST", 0)
    files = [str(tmp_path / f"{method}-{workers}.parquet") for workers in (1, 3)]
    paths = written(tmp_path / method, votes, np.arange(votes.query_count) % 4)
    options = Options(ties=TiePolicy.NO_ANSWER)
    estimate_files(paths, method, options=options, answers=files[0])
    estimate_files(paths, method, options=options, answers=files[1], workers=MortalWorkers)
    assert Path(files[0]).read_bytes() == Path(files[1]).read_bytes()
    memory, table = (
        estimate(votes, method, ties=TiePolicy.NO_ANSWER),
        values.arrow("pyarrow.parquet").read_table(files[0]),
    )
    query = table["query"].to_numpy()
    assert np.unique(query).size == query.size == votes.query_count
    assert table["answer"].fill_null(-1).to_pylist() == memory.answer[query].tolist()
    assert table["tied"].to_pylist() == memory.tied[query].tolist()
    for name in ("lead", "confidence"):
        np.testing.assert_allclose(table[name].to_numpy(), getattr(memory, name)[query], atol=1e-9, rtol=0)


def test_ties_and_abstentions_have_no_answer(tmp_path: Path) -> None:
    paths, answers = [str(tmp_path / f"{number}.parquet") for number in range(2)], str(tmp_path / "answers.parquet")
    write_votes(paths[0], [([1], [7], [None])])
    write_votes(paths[1], [(["q", "q", "p", "r"], ["a", "b", "a", "a"], ["x", "y", "z", None])])
    with pytest.raises(EstimatorError, match="the column query holds texts, but integers in"):
        estimate_files(paths, answers=answers)
    write_votes(paths[0], [(["q0"], ["a"], [None])])
    estimate_files(paths, "majority", options=Options(ties=TiePolicy.NO_ANSWER), answers=answers)
    assert values.arrow("pyarrow.parquet").read_table(answers).to_pylist() == [
        {"query": "p", "answer": "z", "confidence": None, "lead": 1.0, "tied": False},
        {"query": "q", "answer": None, "confidence": None, "lead": 0.0, "tied": True},
    ]
    estimate_files(paths[:1], answers=answers)
    assert values.arrow("pyarrow.parquet").read_table(answers).num_rows == 0


def test_what_ends_in_the_middle_leaves_no_file(tmp_path: Path) -> None:
    paths, folder = written(tmp_path / "votes", drawn(), [0] * 300), tmp_path / "answers"
    folder.mkdir()

    def interrupt(stage: Stage, _done: int) -> None:
        if stage is Stage.ANSWERING:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        estimate_files(paths, "majority", answers=str(folder / "a.parquet"), progress=interrupt)
    assert not list(folder.iterdir())
    with pytest.raises(EstimatorError, match=r"a\.parquet cannot be written"):
        estimate_files(paths, "majority", answers=str(folder / "none" / "a.parquet"))
