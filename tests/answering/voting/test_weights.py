"""Weights of votes by the date of the answer, within copy groups, and of new sources."""

import math
from datetime import UTC, datetime, timedelta

import pytest

from answering.voting import Voter, VoteWeights
from tests.tables import for_each

TURN = datetime(2026, 3, 1, tzinfo=UTC)
DAY = timedelta(days=1)
TURNED = Voter("turned", 0.2, lower=0.1, periods=((TURN - 60 * DAY, 0.9), (TURN - 30 * DAY, 0.7), (TURN, 0.2)))


def weights(*voters: Voter[str]) -> VoteWeights[str]:
    return VoteWeights(voters, prior=0.6, prior_lower=0.5, weigh=lambda reliability: reliability)


@for_each(
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


def weights_with_new_sources() -> VoteWeights[str]:
    voters = [
        Voter("old", 0.7),
        Voter("silent", None),
        Voter("new", None, is_new=True),
        Voter("newer", None, is_new=True),
        Voter("set by hand", 0.8, overridden=True, is_new=True),
    ]
    return VoteWeights(voters, prior=0.6, prior_lower=0.2, weigh=lambda reliability: 10 * reliability)


def test_a_source_without_votes_has_the_prior_and_a_new_one_its_lower_end() -> None:
    assert [
        weights_with_new_sources().weight(name) for name in ("old", "silent", "new", "set by hand")
    ] == pytest.approx([7, 6, 2, 8])


def test_new_sources_that_agree_share_one_vote() -> None:
    answers = dict.fromkeys(("old", "silent", "new", "newer", "set by hand"), "oslo")
    assert list(weights_with_new_sources().shares(answers).values()) == [1, 1, 0.5, 0.5, 1]
    assert weights_with_new_sources().independent(answers) == ["old", "silent", "new", "set by hand"]
    assert list(weights_with_new_sources().shares(answers | {"newer": "bergen"}).values()) == [1, 1, 1, 1, 1]


def test_relevance_ranks_where_it_is_known() -> None:
    ranked = [
        weights_with_new_sources().candidate("old", 0.5, by_relevance=True),
        weights_with_new_sources().candidate("old", by_relevance=True),
        weights_with_new_sources().candidate("old", 0.5),
    ]
    assert [candidate.reliability for candidate in ranked] == pytest.approx([0.35, 0.7, 0.7])


def test_a_vote_that_may_be_misread_weighs_by_the_confidence_of_its_reading() -> None:
    herald, gazette = Voter("herald", 0.9, read_share=0.8), Voter("gazette", 0.9)
    votes = VoteWeights([herald, gazette], prior=0.6, prior_lower=0.5, weigh=lambda share: share, luck=0.1)
    # Before it is read, by the share of the source's votes that are read rightly.
    assert votes.weight("herald") == pytest.approx(0.9 * 0.8 + 0.1 * 0.2)
    doubted = votes.read({"herald": 0.5, "gazette": 0.5})
    assert doubted.weight("herald") == pytest.approx(0.9 * 0.5 + 0.1 * 0.5)
    assert doubted.weight("gazette") == 0.9
    assert votes.read({"herald": None}).weight("herald") == votes.weight("herald")


def test_a_candidate_weighs_at_most_what_it_does_when_read_with_certainty() -> None:
    def log_odds(share: float) -> float:
        return math.log(9 * share / (1 - share))

    for reliability in (0.02, 0.1, 0.5, 0.95):
        voter = Voter("herald", reliability, read_share=0.7)
        votes = VoteWeights([voter], prior=0.6, prior_lower=0.5, weigh=log_odds, luck=0.1)
        candidate = votes.candidate("herald")
        assert candidate.weight_at is not None
        assert candidate.weight == candidate.weight_at(1.0)
        for confidence in (0.0, 0.3, 0.9, None):
            assert abs(candidate.weight_at(confidence)) <= abs(candidate.weight) + 1e-12
