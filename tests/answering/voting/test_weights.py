"""Weights of votes by the date of the answer, and within copy groups."""

from datetime import UTC, datetime, timedelta

import pytest

from answering.voting import Voter, VoteWeights

TURN = datetime(2026, 3, 1, tzinfo=UTC)
DAY = timedelta(days=1)
TURNED = Voter("turned", 0.2, lower=0.1, periods=((TURN - 60 * DAY, 0.9), (TURN - 30 * DAY, 0.7), (TURN, 0.2)))


def weights(*voters: Voter[str]) -> VoteWeights[str]:
    return VoteWeights(voters, prior=0.6, prior_lower=0.5, weigh=lambda reliability: reliability)


@pytest.mark.parametrize(
    ("date", "reliability"),
    [
        (None, 0.2),
        (TURN, 0.2),
        (TURN + DAY, 0.2),
        (TURN - DAY, 0.7),
        (TURN - 31 * DAY, 0.9),
        (TURN - 400 * DAY, 0.9),
    ],
)
def test_an_answer_counts_by_the_reliability_of_its_date(date: datetime | None, reliability: float) -> None:
    assert TURNED.at(date).reliability == reliability
    assert weights(TURNED).at({"turned": date}).weight("turned") == reliability


def test_the_interval_is_that_of_the_present() -> None:
    assert TURNED.at(TURN).lower == 0.1
    assert weights(TURNED.at(TURN - DAY)).lower("turned") == 0.7


def test_an_override_stands_for_all_times() -> None:
    overridden = Voter("turned", 0.5, overridden=True, periods=TURNED.periods)
    assert overridden.at(TURN - DAY) == overridden


def test_weights_depend_on_readings_only_with_copies_and_turns() -> None:
    plain = Voter("plain", 0.8)
    assert not weights(plain).depend_on_readings
    assert weights(plain, TURNED).depend_on_readings
    assert weights(plain, Voter("copy", 0.8, copy_group=0)).depend_on_readings
