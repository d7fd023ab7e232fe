"""When the circuit opens and closes, with a clock that the tests set."""

import pytest

from answering.errors import ModelUnavailable
from answering.models.limits import CircuitBreaker


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def circuit(clock: Clock) -> CircuitBreaker:
    return CircuitBreaker(failures=3, rest=10, setting="CREDENCE_READER_URL", clock=clock)


def fail(circuit: CircuitBreaker, times: int) -> None:
    for _ in range(times):
        circuit.before_call()
        circuit.record_failure()


def test_a_success_between_failures_keeps_it_closed(circuit: CircuitBreaker) -> None:
    for _ in range(5):
        fail(circuit, 2)
        circuit.before_call()
        circuit.record_success()
    assert not circuit.is_open


def test_failures_in_a_row_open_it_for_a_while(circuit: CircuitBreaker, clock: Clock) -> None:
    fail(circuit, 3)
    clock.now += 9
    with pytest.raises(ModelUnavailable) as raised:
        circuit.before_call()
    assert raised.value.retry_after == pytest.approx(1)


def test_after_the_rest_one_call_probes_the_server(circuit: CircuitBreaker, clock: Clock) -> None:
    fail(circuit, 3)
    clock.now += 10
    circuit.before_call()
    with pytest.raises(ModelUnavailable):
        circuit.before_call()


def test_a_successful_probe_closes_it(circuit: CircuitBreaker, clock: Clock) -> None:
    fail(circuit, 3)
    clock.now += 10
    circuit.before_call()
    circuit.record_success()
    fail(circuit, 2)
    assert not circuit.is_open


def test_a_failed_probe_opens_it_again(circuit: CircuitBreaker, clock: Clock) -> None:
    fail(circuit, 3)
    clock.now += 10
    fail(circuit, 1)
    clock.now += 9
    with pytest.raises(ModelUnavailable):
        circuit.before_call()


def test_after_a_cancelled_probe_the_next_call_probes(circuit: CircuitBreaker, clock: Clock) -> None:
    fail(circuit, 3)
    clock.now += 10
    circuit.before_call()
    circuit.record_cancellation()
    circuit.before_call()
    with pytest.raises(ModelUnavailable):
        circuit.before_call()
