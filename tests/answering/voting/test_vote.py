"""The weighted vote by hand, its policies and its invariants."""

import math
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answering.errors import BadParameter
from answering.voting.vote import Ballot, TallyLine, weighted_vote
from tests.tables import for_each

WEIGHTS = st.floats(-3, 3, allow_nan=False).map(lambda weight: round(weight, 3))
VOTES = st.lists(st.tuples(st.sampled_from("abcd"), WEIGHTS), max_size=8)


def ballots(votes: Sequence[tuple[str, float]]) -> list[Ballot[int]]:
    return [Ballot(source, key, key.upper(), weight) for source, (key, weight) in enumerate(votes)]


def test_a_vote_counted_by_hand() -> None:
    result = weighted_vote(ballots([("a", 2.5), ("b", 1.0), ("b", 0.5), ("c", 1.0)]))
    assert result.winner == "a"
    assert result.answer == "A"
    assert [(line.key, line.weight, line.count, line.supporters) for line in result.tally] == [
        ("a", 2.5, 1, (0,)),
        ("b", 1.5, 2, (1, 2)),
        ("c", 1.0, 1, (3,)),
    ]
    assert [line.share for line in result.tally] == [0.5, 0.3, 0.2]
    assert result.margin == pytest.approx((2.5 - 1.5) / 5.0)
    assert [ballot.source_id for ballot in result.dissent] == [1, 2, 3]
    assert not result.tied


def test_the_reliable_one_outvotes_the_majority() -> None:
    assert weighted_vote(ballots([("a", 3.0), ("b", 1.0), ("b", 1.0)])).winner == "a"


def test_a_unanimous_vote_has_the_whole_margin() -> None:
    result = weighted_vote(ballots([("a", 1.0), ("a", 2.0)]))
    assert result.margin == 1.0
    assert result.dissent == ()


def test_nobody_voted() -> None:
    result = weighted_vote(ballots([]))
    assert result.winner is None
    assert result.answer is None
    assert result.margin == 0.0
    assert not result.tied


def test_the_answer_is_the_most_usual_spelling() -> None:
    votes = [Ballot(1, "n", "one thousand", 5.0), Ballot(2, "n", "1,000"), Ballot(3, "n", "1,000")]
    assert weighted_vote(votes).answer == "1,000"


def test_of_tied_answers_the_one_with_more_votes_wins_then_the_first_key() -> None:
    result = weighted_vote(ballots([("b", 0.1), ("b", 0.2), ("a", 0.3), ("c", 0.1)]))
    assert (result.winner, result.tied, result.margin) == ("b", True, 0.0)
    assert weighted_vote(ballots([("b", 0.3), ("a", 0.3)])).winner == "a"


def test_of_tied_answers_with_as_many_votes_the_surest_reading_wins() -> None:
    sure, unsure = Ballot("a", "z", "z", certainty=0.5), Ballot("b", "a", "a", certainty=0.2)
    result = weighted_vote([unsure, sure])
    assert (result.winner, result.tied) == ("z", True)
    assert [line.key for line in result.tally] == ["z", "a"]
    assert weighted_vote([replace(unsure, weight=1.1), sure]).winner == "a"


def test_negative_weights_speak_against_an_answer() -> None:
    result = weighted_vote(ballots([("a", 1.0), ("a", -0.5), ("b", 0.8)]))
    assert result.winner == "b"
    assert [line.weight for line in result.tally] == [0.8, 0.5]


def test_nobody_wins_without_a_positive_weight() -> None:
    result = weighted_vote(ballots([("a", -2.0), ("b", -1.0)]))
    assert (result.winner, result.margin, result.tied) == (None, 0.0, False)
    assert [line.key for line in result.tally] == ["b", "a"]
    assert [line.share for line in result.tally] == [0.0, 0.0]
    assert weighted_vote(ballots([("a", 0.0)])).winner is None


@for_each("weight", [math.nan, math.inf, 1e200])
def test_a_weight_is_a_number(weight: float) -> None:
    with pytest.raises(BadParameter, match="can't weigh"):
        weighted_vote(ballots([("a", weight)]))


def test_a_source_votes_once() -> None:
    with pytest.raises(BadParameter, match="one vote"):
        weighted_vote([Ballot("s", "a", "A"), Ballot("s", "b", "B")])


@given(VOTES, st.randoms(use_true_random=False))
def test_the_order_of_ballots_changes_nothing(votes: list[tuple[str, float]], rng: random.Random) -> None:
    ours = ballots(votes)
    shuffled = ours.copy()
    rng.shuffle(shuffled)
    first, second = (weighted_vote(votes) for votes in (ours, shuffled))
    assert (first.winner, first.answer, first.margin, first.tied) == (
        second.winner,
        second.answer,
        second.margin,
        second.tied,
    )
    assert [_without_order(line) for line in first.tally] == [_without_order(line) for line in second.tally]
    assert set(first.dissent) == set(second.dissent)


def _without_order(line: TallyLine[int]) -> tuple[str, float, float, set[int]]:
    return line.key, line.weight, line.share, set(line.supporters)


@given(VOTES)
def test_what_holds_for_every_vote(votes: list[tuple[str, float]]) -> None:
    result = weighted_vote(ballots(votes))
    assert 0.0 <= result.margin <= 1.0
    assert all(0.0 <= line.share <= 1.0 for line in result.tally)
    assert sum(line.count for line in result.tally) == len(votes)
    has_support = any(line.weight > 1e-9 for line in result.tally)
    assert (result.winner is not None) <= has_support
    assert (result.winner is None) <= (not has_support)
    if result.tied:
        assert result.margin == 0.0
    elif result.winner is not None:
        assert all(line.weight < result.tally[0].weight for line in result.tally[1:])
        assert len(result.dissent) + result.tally[0].count == len(votes)
