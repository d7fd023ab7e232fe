"""Parameters of estimations, and what holds where none is named."""

from inspect import signature

from estimator import estimate
from estimator.distributed.estimation import estimate_files
from estimator.methods import DEFAULT_METHOD
from registry.estimations.schemas import EstimationParameters
from tests.tables import for_each


def test_the_default_method_of_the_library_is_that_of_the_service() -> None:
    defaults = [signature(function).parameters["method"].default for function in (estimate, estimate_files)]
    assert [*defaults, EstimationParameters().method] == [DEFAULT_METHOD] * 3


@for_each("former, name", [("bayes", "one_coin"), ("confusion", "dawid_skene")])
def test_former_names_of_methods_are_accepted(former: str, name: str) -> None:
    assert EstimationParameters.model_validate({"method": former}).method == name
