"""Estimates by votes in files: the same bits however the votes are spread, and those of the votes in memory."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator import EstimatorError, LabelCount, NegativeWeights, SilentSources, TiePolicy, VoteMatrix, estimate
from estimator.distributed import (
    DISTRIBUTED_METHODS,
    estimate_files,
    values,
    write_votes,
)
from estimator.methods import Options
from estimator.methods.one_coin_model import OneCoin
from tests.estimator.distributed.vote_sets import COPIES, FITTED, bits, drawn, written
from tests.estimator.tables import Case, cases
from tests.tables import for_each

pytest.importorskip("pyarrow", reason="votes in Parquet files need the extra `parquet`")


@settings(max_examples=12, deadline=None)
@given(cases(), st.data())
def test_files_and_memory_change_no_bit(case: Case, data: st.DataObject) -> None:
    votes = case.votes()
    places = data.draw(st.lists(st.integers(0, 3), min_size=case.query_count, max_size=case.query_count))
    memory, method = data.draw(st.sampled_from([0, 10, 1 << 20])), data.draw(st.sampled_from(list(DISTRIBUTED_METHODS)))
    labels: list[int | LabelCount] = [LabelCount.SOURCES, LabelCount.ESTIMATED, 3]
    options = Options(
        labels=data.draw(st.sampled_from(labels)),
        ties=data.draw(st.sampled_from(TiePolicy)),
        negative_weights=data.draw(st.sampled_from(NegativeWeights)),
        silent_sources=data.draw(st.sampled_from(SilentSources)),
    )
    if not votes.vote_count:
        return
    with TemporaryDirectory() as folder:
        answers = [str(Path(folder, name)) for name in ("a.parquet", "b.parquet")]
        one = written(Path(folder, "a"), votes, [0] * case.query_count)
        whole = estimate_files(one, method, options=options, answers=answers[0])
        spread = written(Path(folder, "b"), votes, places)[::-1]
        result = estimate_files(spread, method, options=options, memory=memory, answers=answers[1])
        assert bits(result) == bits(whole)
        first, second = (values.arrow("pyarrow.parquet").read_table(path).sort_by("query") for path in answers)
        assert second == first


@for_each(
    ("method", "options"),
    [
        ("majority", Options()),
        ("majority", Options(ties=TiePolicy.NO_ANSWER, labels=4)),
        ("iwmv", Options()),
        ("iwmv", Options(ties=TiePolicy.NO_ANSWER, labels=LabelCount.ESTIMATED)),
        ("iwmv", Options(ties=TiePolicy.SMALLEST_ID, negative_weights=NegativeWeights.ZERO)),
    ],
)
def test_counting_methods_have_the_bits_of_votes_in_memory(method: str, options: Options, tmp_path: Path) -> None:
    votes = drawn()
    paths = written(tmp_path, votes, np.arange(votes.query_count) % 3)
    fit, memory = (
        estimate_files(paths, method, options=options).fit,
        estimate(
            votes,
            method,
            labels=options.labels,
            ties=options.ties,
            negative_weights=options.negative_weights,
        ),
    )
    assert [getattr(fit, name).tobytes() for name in FITTED] == [getattr(memory, name).tobytes() for name in FITTED]
    assert (fit.rounds, fit.stop_reason, fit.labels, fit.prior) == (
        memory.rounds,
        memory.stop_reason,
        memory.labels,
        memory.prior,
    )


def test_the_one_coin_model_is_fitted_as_in_memory(tmp_path: Path) -> None:
    votes = drawn()
    fit = OneCoin.of(votes.table()).fit(Options())
    result = estimate_files(written(tmp_path, votes, np.arange(votes.query_count) % 5, texts=True), "one_coin").fit
    assert (result.rounds, result.stop_reason) == (fit.rounds, fit.stop_reason)
    np.testing.assert_allclose(result.reliability, fit.state.reliability, atol=1e-9, rtol=0)
    assert result.diagnostics["log_evidence"] == pytest.approx(fit.log_evidence, abs=1e-3)


@for_each(("votes", "method"), [(drawn(), "one_coin"), (drawn(), "auto"), (COPIES, "auto")])
def test_intervals_and_copies_are_those_of_votes_in_memory(
    votes: VoteMatrix, method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("estimator.methods.one_coin_sampling._LARGEST", 0)
    memory = estimate(votes, method)
    result = estimate_files(written(tmp_path / method, votes, np.arange(votes.query_count) % 3), method)
    for name in FITTED:
        np.testing.assert_allclose(getattr(result.fit, name), getattr(memory, name), atol=1e-9, rtol=0)
    assert [group.members for group in result.copies] == [group.members for group in memory.copies]
    assert result.groups.tolist() == memory.groups.tolist()
    assert result.systematic is not None
    assert memory.systematic is not None
    np.testing.assert_allclose(result.systematic, memory.systematic, atol=1e-9, rtol=0)
    assert result.fit.diagnostics["gain_over_chance"] == pytest.approx(memory.diagnostics["gain_over_chance"], abs=1e-3)


def test_identifiers_and_abstentions(tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in ("a.parquet", "b.parquet")]
    write_votes(paths[0], [([-5, 2**40, 2**40, 2], ["é", "é", "a", "silent"], [None, "x", "y", None])])
    write_votes(paths[1], [([7, 7], ["b", "a"], ["x", "x"])])
    result = estimate_files(paths, "majority")
    assert result.sources == ["a", "b", "é"]
    assert result.vote_count.tolist() == [2, 1, 1]
    assert result.totals == {"votes": 4, "queries": 2, "classes": 3}


def test_votes_that_tell_nothing_are_said_to(tmp_path: Path) -> None:
    path = str(tmp_path / "a.parquet")
    query, source = np.divmod(np.arange(80), 2)
    write_votes(path, [(query, source, np.full(80, 7))])
    result = estimate_files([path], "iwmv")
    assert "one answer takes 100%" in result.reason
    assert result.fit.lower.max() <= 0.05
    assert result.systematic is None


@for_each("method", ["one_coin", "auto"])
def test_answers_at_random_are_said_to_tell_nothing(method: str, tmp_path: Path) -> None:
    query, source = np.divmod(np.arange(1_000), 5)
    at_random = np.random.default_rng(0).integers(10, size=query.size)
    votes = VoteMatrix.from_triples(query, source, at_random, query_count=200, source_count=5)
    result = estimate_files(written(tmp_path / method, votes, np.arange(200) % 3), method)
    assert "random answers explain them as well" in result.reason
    assert result.fit.lower.max() <= 0.05
    assert result.fit.upper.min() >= 0.95


@for_each(
    ("files", "message"),
    [
        (
            [([1, 9], [1, 1], [1, 1]), ([5, 9, 8], [2, 2, 2], [1, 1, 1])],
            r"query 9 has votes in .*0.parquet and .*1.par",
        ),
        ([(["k", "k"], ["a", "a"], [1, 2])], "0.parquet: source a votes more than once on query k"),
        ([([1.5], [1], [1])], "0.parquet: the column query holds double"),
        ([([-(2**63), 7], [1, 2], [1, 1])], f"0.parquet: the column query holds numbers from {-(2**63)} to 7"),
        ([([1], [1], [1]), ([2], ["a"], [1])], "1.parquet: the column source holds texts, but integers in .*0.parquet"),
    ],
)
def test_files_that_hold_no_votes_are_refused(
    files: list[tuple[list[int], list[int], list[int]]], message: str, tmp_path: Path
) -> None:
    paths = [str(tmp_path / f"{number}.parquet") for number in range(len(files))]
    for path, columns in zip(paths, files, strict=True):
        write_votes(path, [columns])
    with pytest.raises(EstimatorError, match=message):
        estimate_files(paths)


def test_what_is_no_file_of_votes_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1 or not")
    with pytest.raises(EstimatorError, match=r"a\.parquet cannot be read as a Parquet file"):
        estimate_files([str(path)])
    pyarrow, parquet = values.arrow(), values.arrow("pyarrow.parquet")
    parquet.write_table(pyarrow.table({"query": [1], "source": [1], "answers": [1]}), path)
    with pytest.raises(EstimatorError, match=r"a\.parquet: votes have the columns query, source, answer, or"):
        estimate_files([str(path)])
    with pytest.raises(EstimatorError, match="none of them twice"):
        estimate_files([])
    with pytest.raises(EstimatorError, match="wawa cannot be fitted"):
        estimate_files([str(path)], "wawa")
    path.unlink()
    with pytest.raises(EstimatorError, match=r"a\.parquet cannot be read .* No such file"):
        estimate_files([str(path)])
