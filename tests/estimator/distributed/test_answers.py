"""Answers to the queries of votes in files."""

from pathlib import Path

import numpy as np
import pytest

from estimator import EstimatorError, TiePolicy, VoteMatrix, estimate
from estimator.distributed import Stage, estimate_files, values, write_votes
from estimator.methods import Options
from tests.estimator.distributed.test_workers import MortalWorkers
from tests.estimator.distributed.vote_sets import COPIES, drawn, written
from tests.tables import for_each

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
