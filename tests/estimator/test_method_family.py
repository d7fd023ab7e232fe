"""What every method of the list brings: a name, its parameters, its row in the README, and a weight for votes."""

import inspect
from itertools import pairwise
from pathlib import Path

import pytest

from estimator import EstimatorError, estimate
from estimator.methods import METHODS, EstimationMethod, method_named
from tests.estimator.tables import rows
from tests.tables import for_each

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
