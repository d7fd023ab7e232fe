"""Parameters out of range are refused, and results cannot be changed."""

import dataclasses

import numpy as np
import pytest

from estimator import EstimatorError, estimate
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
