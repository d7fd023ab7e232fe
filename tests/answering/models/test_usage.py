"""Budgets: which calls may begin, and what remains."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answering.errors import BadParameter
from answering.models.usage import Budget, Meter, Usage
from tests.tables import for_each


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_without_limits_every_call_may_begin() -> None:
    meter = Meter(Budget())
    assert all(meter.begin_call() for _ in range(1_000))
    assert meter.remaining.seconds is None


def test_calls_are_counted_when_they_begin() -> None:
    meter = Meter(Budget(calls=2))
    assert [meter.begin_call() for _ in range(4)] == [True, True, False, False]


def test_a_reading_without_a_model_call_does_not_count() -> None:
    meter = Meter(Budget(calls=1))
    for _ in range(5):
        assert meter.begin_call()
        meter.end_call(Usage(model_calls=0, input_tokens=9))
    assert not meter.exhausted


def test_input_and_output_tokens_count() -> None:
    meter = Meter(Budget(tokens=30))
    assert meter.begin_call()
    meter.end_call(Usage(1, 20, 9))
    assert meter.begin_call()
    meter.end_call(Usage(1, 0, 1))
    assert not meter.begin_call()


def test_usage_that_was_not_reserved_counts() -> None:
    meter = Meter(Budget(calls=5, tokens=100))
    meter.add(Usage(3, 50, 10))
    assert meter.remaining == Budget(calls=2, tokens=40)
    meter.add(Usage(3, 50, 10))
    assert meter.remaining == Budget(calls=0, tokens=0)
    assert not meter.begin_call()
    assert Meter(Budget()).remaining == Budget()


def test_seconds_begin_with_the_meter() -> None:
    clock = Clock()
    meter = Meter(Budget(seconds=2), clock)
    clock.now += 1.5
    assert (meter.remaining.seconds, meter.exhausted) == (0.5, False)
    clock.now += 1
    assert (meter.remaining.seconds, meter.exhausted, meter.begin_call()) == (0.0, True, False)


@for_each("wrong", [{"calls": -1}, {"tokens": -5}, {"seconds": -0.1}, {"seconds": float("nan")}])
def test_negative_limits_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(BadParameter):
        Budget(**wrong)  # type: ignore[arg-type]


@given(st.integers(0, 20), st.lists(st.integers(0, 3), max_size=40))
def test_calls_exceed_the_budget_by_at_most_the_last_one(limit: int, costs: list[int]) -> None:
    meter, spent = Meter(Budget(calls=limit)), 0
    for cost in costs:
        begun = meter.begin_call()
        assert begun == (spent < limit)
        if begun:
            meter.end_call(Usage(model_calls=cost))
            spent += cost
