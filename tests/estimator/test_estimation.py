"""What every method brings, that results cannot be changed, and which answers turn if queries are left out."""

import dataclasses
import inspect
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from benchmarks.poisoning.worlds import draw
from estimator import Estimate, EstimatorError, VoteMatrix, estimate
from estimator.methods import METHODS, EstimationMethod, method_named
from estimator.policies import Doubt
from tests.estimator.tables import rows
from tests.tables import for_each

VOTES = rows("0 0 1").votes()


@pytest.mark.parametrize("labels", [0, -3])
def test_labels_start_at_one(labels: int) -> None:
    with pytest.raises(EstimatorError, match=f"labels is {labels}"):
        estimate(VOTES, labels=labels)


def test_at_least_one_round() -> None:
    with pytest.raises(EstimatorError, match="max_rounds is 0"):
        estimate(VOTES, max_rounds=0)


@for_each("tolerance", [-1e-9, 1.0, float("nan")])
def test_tolerance_is_a_share(tolerance: float) -> None:
    with pytest.raises(EstimatorError, match="tolerance is"):
        estimate(VOTES, tolerance=tolerance)


def test_true_reliability_belongs_to_the_oracle() -> None:
    with pytest.raises(EstimatorError, match="give both or neither"):
        estimate(VOTES, "oracle")
    with pytest.raises(EstimatorError, match="give both or neither"):
        estimate(VOTES, "iwmv", true_reliability=[1, 1, 1])


@for_each(
    ("truth", "message"),
    [([1.0, 1.0], "shape"), ([1.0, 1.0, 1.1], "from 0 to 1"), ([-0.1, 1, 1], "from 0 to 1"), ([np.nan, 1, 1], "NaN")],
)
def test_the_truth_is_a_share_for_every_source(truth: list[float], message: str) -> None:
    with pytest.raises(EstimatorError, match=message):
        estimate(VOTES, "oracle", true_reliability=truth)


def test_a_result_is_frozen_and_leaves_its_input_alone() -> None:
    truth = np.array([0.9, 0.9, 0.1])
    result = estimate(VOTES, "oracle", true_reliability=truth)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.rounds = 2  # type: ignore[misc]  # the point of the test
    for array in (result.reliability, result.weight, result.vote_count, result.answer, result.lead, result.tied):
        assert not array.flags.writeable
    truth[0] = 0.5
    assert result.reliability[0] == 0.9


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(EstimatorError, match="no estimation method 'magic'; choose auto, one_coin"):
        estimate(VOTES, "magic")


def _liars(count: int) -> VoteMatrix:
    """Nine honest sources of 200 queries, and liars who share 60 % of their lies."""
    return draw("lie everywhere, 60 % shared", 9, count, seed=703).votes


def test_where_liars_are_about_to_win_the_run_says_that_votes_cannot_tell() -> None:
    result = estimate(_liars(5), separate_runs=True)
    assert result.doubt is Doubt.SEPARATE_RUNS
    assert "of the answers change if some of the queries are left out" in result.reason
    assert (result.lower.max(), result.upper.min()) == (0.05, 0.95)
    assert estimate(_liars(5)).doubt is None


def test_answers_that_rest_on_few_are_told_and_nothing_else_changes() -> None:
    votes = _liars(1)
    plain, result = estimate(votes), estimate(votes, separate_runs=True)
    assert result.doubt is None
    assert np.array_equal(result.reliability, plain.reliability)
    assert plain.turned is None
    assert result.turned is not None
    assert 0 < result.diagnostics["turned"] < 0.15
    # Votes on the other queries decide these, so their own leave them open.
    assert result.confidence[result.turned > 0].mean() < result.confidence[result.turned == 0].mean() - 0.2


@pytest.mark.parametrize("queries", [30, 90])
def test_of_few_queries_nothing_is_said(queries: int) -> None:
    query, source = np.divmod(np.arange(3 * queries), 3)
    votes = VoteMatrix.from_triples(query, source, (query % 7) + (source == 0), query_count=queries, source_count=3)
    result: Estimate = estimate(votes, "majority", separate_runs=True)
    assert (result.turned is None) == (queries < 60)


ROOT = Path(__file__).parents[2]
README = (ROOT / "estimator/README.md").read_text(encoding="utf-8")


def test_names_are_unique() -> None:
    names = [method.name for method in METHODS]
    assert len(set(names)) == len(names)


@for_each("method", METHODS)
def test_methods_name_the_parameters_that_they_use(method: EstimationMethod) -> None:
    assert method.parameters <= inspect.signature(estimate).parameters.keys()
    assert method_named(method.name) is method


@for_each("method", METHODS)
def test_the_readme_has_a_row_for_every_method(method: EstimationMethod) -> None:
    assert f"| `{method.name}` | {method.summary} | {method.cost} |" in README


@for_each("method", METHODS)
def test_vote_weights_rise_with_the_reliability(method: EstimationMethod) -> None:
    weights = [method.vote_weight(reliability, 4) for reliability in (0.0, 0.25, 0.6, 0.9, 1.0)]
    assert all(lower < higher for lower, higher in pairwise(weights))
    assert weights[1] == pytest.approx(0.0)  # a source at chance weighs nothing


def test_models_weigh_a_vote_as_they_did_in_the_estimate() -> None:
    votes = rows("0 0 1\n0 0 0\n1 1 0\n0 0 0").votes()
    for method in ("iwmv", "one_coin", "dawid_skene"):
        result = estimate(votes, method)
        inside = (result.reliability > 0.01) & (result.reliability < 0.99)
        weigh = method_named(method).vote_weight
        expected = [weigh(reliability, result.labels) for reliability in result.reliability[inside].tolist()]
        assert result.weight[inside].tolist() == pytest.approx(expected, abs=0.3)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(EstimatorError, match="no estimation method 'magic'; choose auto, one_coin"):
        method_named("magic")
