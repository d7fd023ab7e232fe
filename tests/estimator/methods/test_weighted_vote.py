"""Weighted votes on tables small enough to compute by hand, and rounds until a vector stands still."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from estimator import LabelCount, NegativeWeights, SilentSources, StopReason, TiePolicy, estimate
from estimator.methods.voting_rounds import iterate
from tests.estimator.tables import rows
from tests.tables import for_each

# Two honest sources A and B, and three that are mostly wrong but agree on the last query:
#        A B C D E
FIVE = rows("""
         1 1 1 2 3
         1 1 2 3 1
         1 1 3 1 2
         1 1 2 3 -
         1 1 2 2 2
""")


def test_weighted_vote_overrules_a_wrong_majority() -> None:
    """
    Round 1, v = (1, 1, 1, 1, 1): the answers are 1 1 1 1 2, the last with 3 votes to 2.
        w = 4/5, 4/5, 2/5, 2/5, 2/4 and with L = N = 5: v = 5w - 1 = 3, 3, 1, 1, 1.5
    Round 2: the last query weighs 3 + 3 = 6 for 1 and 1 + 1 + 1.5 = 3.5 for 2; the answers are all 1.
        w = 1, 1, 1/5, 1/5, 1/4 and v = 4, 4, 0, 0, 0.25
    Round 3: the same answers, so the same weights.
    Margins: 8 against E's 0.25 of 8.25 in all; unanimous by weight where E agrees or abstains.
    """
    result = estimate(FIVE.votes(), "iwmv")
    assert result.labels == 5
    assert (result.rounds, result.stop_reason, result.converged) == (3, StopReason.CONVERGED, True)
    np.testing.assert_allclose(result.reliability, [1, 1, 0.2, 0.2, 0.25])
    np.testing.assert_allclose(result.weight, [4, 4, 0, 0, 0.25])
    assert result.answer.tolist() == [1, 1, 1, 1, 1]
    np.testing.assert_allclose(result.lead, [7.75 / 8.25, 1, 7.75 / 8.25, 1, 7.75 / 8.25])
    assert not result.tied.any()
    assert result.vote_count.tolist() == [5, 5, 5, 5, 4]


def test_majority_weighs_all_sources_the_same() -> None:
    """The first round above: the last query goes to 2 by 3 votes to 2, a margin of 1/5."""
    result = estimate(FIVE.votes(), "majority")
    assert result.answer.tolist() == [1, 1, 1, 1, 2]
    np.testing.assert_allclose(result.reliability, [0.8, 0.8, 0.4, 0.4, 0.5])
    assert result.weight.tolist() == [1, 1, 1, 1, 1]
    np.testing.assert_allclose(result.lead, [(3 - 1) / 5, (3 - 1) / 5, (3 - 1) / 5, (2 - 1) / 4, (3 - 2) / 5])
    assert (result.rounds, result.stop_reason) == (1, StopReason.ONE_ROUND)


def test_wawa_weighs_by_agreement_with_the_majority() -> None:
    """The first round above, then w itself as the weight: the last query weighs 1.6 for 1 and 1.3 for 2, of 2.9."""
    result = estimate(FIVE.votes(), "wawa")
    assert result.answer.tolist() == [1, 1, 1, 1, 1]
    np.testing.assert_allclose(result.weight, [0.8, 0.8, 0.4, 0.4, 0.5])
    np.testing.assert_allclose(result.reliability, result.weight)
    assert result.lead[4] == pytest.approx(0.3 / 2.9)
    assert (result.rounds, result.stop_reason) == (1, StopReason.ONE_ROUND)


def test_estimated_labels_follow_from_losing_votes() -> None:
    """With 1 as every answer the losers are 2 3, 2 3, 3 2, 2 3 and 2 2 2: 2 ordered pairs each and 6, and only the
    last 6 agree, so that L is 1 + 14 / 6 up to rounding.
    """
    result = estimate(FIVE.votes(), "iwmv", labels=LabelCount.ESTIMATED)
    assert result.answer.tolist() == [1, 1, 1, 1, 1]
    assert result.labels == 3
    assert estimate(rows("0 0 1\n1 0 0").votes(), "iwmv", labels=LabelCount.ESTIMATED).labels == 3  # no losers agree: N


def test_one_round_is_the_limit_of_one_round() -> None:
    """Weights 3, 3, 1, 1, 1.5 after round 1 already elect 1 on the last query, by 6 to 3.5 of 9.5."""
    result = estimate(FIVE.votes(), "iwmv", max_rounds=1)
    assert (result.rounds, result.stop_reason, result.converged) == (1, StopReason.ROUND_LIMIT, False)
    np.testing.assert_allclose(result.weight, [3, 3, 1, 1, 1.5])
    assert result.answer.tolist() == [1, 1, 1, 1, 1]
    assert result.lead[4] == pytest.approx(2.5 / 9.5)


def test_labels_scale_the_weights() -> None:
    """With L = 2: v = 2w - 1 = 0.6, 0.6, -0.2, -0.2, 0 after round 1; the end is w = 1, 1, 1/5, 1/5, 1/4."""
    result = estimate(FIVE.votes(), "iwmv", labels=2)
    np.testing.assert_allclose(result.weight, [1, 1, -0.6, -0.6, -0.5])


def test_oracle_weighs_by_the_truth() -> None:
    """L = 5: v = 5w - 1 = -0.5, -0.5, 1, 1, 1.5; the last query weighs -1 for 1 and 3.5 for 2, 4.5 in all."""
    truth = [0.1, 0.1, 0.4, 0.4, 0.5]
    result = estimate(FIVE.votes(), "oracle", true_reliability=truth)
    np.testing.assert_allclose(result.reliability, truth)
    np.testing.assert_allclose(result.weight, [-0.5, -0.5, 1, 1, 1.5])
    # query 0: 0 for 1, 1 for 2, 1.5 for 3; query 1: 0.5 for 1, 1 for 2, 1 for 3, so 2 wins a tie;
    # query 2: 0 for 1, 1.5 for 2, 1 for 3; query 3: -1 for 1, 1 for 2, 1 for 3, a tie again.
    assert result.answer.tolist() == [3, 2, 2, 2, 2]
    np.testing.assert_allclose(result.lead, [0.5 / 4.5, 0, 0.5 / 4.5, 0, 1])
    assert result.tied.tolist() == [False, True, False, True, False]


def test_negative_weights_speak_against_an_answer_or_are_nothing() -> None:
    """L = 2 and w = 0, 1/4: v = -1, -1/2. Kept, answer 1 wins by 1/2 of 3/2; as zero, the two tie."""
    votes = rows("0 1").votes()
    kept = estimate(votes, "oracle", true_reliability=[0, 0.25], labels=2)
    zero = estimate(votes, "oracle", true_reliability=[0, 0.25], labels=2, negative_weights=NegativeWeights.ZERO)
    assert (kept.answer.tolist(), kept.tied.tolist()) == ([1], [False])
    assert kept.lead[0] == pytest.approx(1 / 3)
    assert (zero.answer.tolist(), zero.tied.tolist(), zero.weight.tolist()) == ([0], [True], [0, 0])


def test_a_unanimous_vote_of_negative_weights_has_no_margin() -> None:
    """The only answer weighs -2; it is all there is, and it leads by nothing."""
    result = estimate(rows("7 7").votes(), "oracle", true_reliability=[0, 0], labels=2)
    assert (result.answer.tolist(), result.lead.tolist(), result.tied.tolist()) == ([7], [0], [False])


@for_each(("ties", "answer"), [(TiePolicy.SUPPORTERS, 5), (TiePolicy.SMALLEST_ID, 3), (TiePolicy.NO_ANSWER, -1)])
def test_tie_policies(ties: TiePolicy, answer: int) -> None:
    """L = 4 and w = 3/4, 1/2, 1/2: v = 2, 1, 1. Answer 3 has one supporter of weight 2, 5 has two of weight 1."""
    votes = rows("3 5 5").votes()
    result = estimate(votes, "oracle", true_reliability=[0.75, 0.5, 0.5], labels=4, ties=ties)
    assert result.answer.tolist() == [answer]
    assert (result.tied.tolist(), result.lead.tolist()) == ([True], [0])


def test_tie_among_equally_supported_goes_to_the_smallest_id() -> None:
    result = estimate(rows("9 4 9 4 1").votes(), "majority")
    assert (result.answer.tolist(), result.tied.tolist()) == ([4], [True])


def test_rounding_breaks_no_tie() -> None:
    """L = 10: v = 3, 4 and 7, and 3 + 4 = 7; in floating point 7 comes out larger by 1e-15."""
    result = estimate(rows("0 0 1").votes(), "oracle", true_reliability=[0.4, 0.5, 0.8], labels=10)
    assert (result.answer.tolist(), result.tied.tolist(), result.lead.tolist()) == ([0], [True], [0])


def test_a_tied_query_without_answer_judges_no_source() -> None:
    """Query 0 ties (1 to 1), query 1 is won by 2 to 1: A is judged on one query, and right in it."""
    case = rows("""
        0 1 -
        0 1 0
    """)
    result = estimate(case.votes(), "majority", ties=TiePolicy.NO_ANSWER)
    assert result.answer.tolist() == [-1, 0]
    assert result.reliability.tolist() == [1, 0, 1]


# The last of four sources never votes; the others are right in 2/2, 2/2 and 1/2.
SILENT = rows("""
    0 0 0 -
    0 0 1 -
""")


@for_each(
    ("policy", "reliability", "weight"),
    [(SilentSources.MEAN, 5 / 6, 4 * 5 / 6 - 1), (SilentSources.CHANCE, 1 / 4, 0), (SilentSources.UNKNOWN, np.nan, 0)],
)
def test_silent_sources(policy: SilentSources, reliability: float, weight: float) -> None:
    result = estimate(SILENT.votes(), "iwmv", silent_sources=policy)
    np.testing.assert_allclose(result.reliability, [1, 1, 0.5, reliability])
    np.testing.assert_allclose(result.weight, [3, 3, 1, weight])
    assert result.vote_count.tolist() == [2, 2, 2, 0]
    assert result.converged


def test_agrees_with_crowd_kit() -> None:
    """Answers and skills that crowd-kit 1.4.2 computes for this table (MajorityVote, Wawa)."""
    case = rows("""
        2 2 0 2 1 2
        1 1 1 - 0 2
        0 3 0 0 - 0
        3 3 1 3 2 -
        - 1 1 0 1 1
        2 2 2 2 0 2
        0 1 - 0 0 3
        1 - 1 1 1 0
    """)
    result = estimate(case.votes(), "majority")
    assert result.answer.tolist() == [2, 1, 0, 3, 1, 2, 0, 1]
    skills = [1.0, 0.7142857142857143, 0.7142857142857143, 0.8571428571428571, 0.42857142857142855, 0.5714285714285714]
    np.testing.assert_allclose(result.reliability, skills)
    assert estimate(case.votes(), "wawa").answer.tolist() == [2, 1, 0, 3, 1, 2, 0, 1]


Floats = NDArray[np.float64]


def ends(step: Callable[[Floats], Floats], *start: float, max_rounds: int = 50) -> tuple[list[float], int, StopReason]:
    end = iterate(step, np.array(start), max_rounds=max_rounds, tolerance=1e-9)
    return end.value.tolist(), end.rounds, end.stop_reason


def test_a_map_that_contracts_converges() -> None:
    (value,), rounds, reason = ends(lambda x: x / 4 + 3, 0.0)
    assert reason is StopReason.CONVERGED
    assert value == pytest.approx(4)
    assert 4 / 4**rounds < 4e-9  # the move of the last round was below the tolerance


def test_a_fixed_start_takes_one_round() -> None:
    assert ends(lambda x: x.copy(), 2.0, 3.0) == ([2, 3], 1, StopReason.CONVERGED)


def test_a_cycle_of_two_is_noticed_when_it_closes() -> None:
    assert ends(lambda x: -x, 1.0) == ([1], 2, StopReason.OSCILLATING)


def test_longer_cycles_are_noticed() -> None:
    """5 -> 4 -> 3 -> 2 -> 1 -> 0 -> 3: three rounds to the cycle, which has four members."""
    assert ends(lambda x: np.where(x > 0, x - 1, 3), 5.0) == ([3], 6, StopReason.OSCILLATING)


def test_a_diverging_map_stops_at_the_limit() -> None:
    assert ends(lambda x: x + 1, 0.0, max_rounds=7) == ([7], 7, StopReason.ROUND_LIMIT)


def test_no_rounds_allowed_returns_the_start() -> None:
    assert ends(lambda x: x + 1, 5.0, max_rounds=0) == ([5], 0, StopReason.ROUND_LIMIT)


def test_nan_stands_still_but_becoming_nan_does_not() -> None:
    (first, second), rounds, reason = ends(lambda x: np.array([np.nan, x[1]]), 1.0, 2.0)
    assert (np.isnan(first), second, rounds, reason) == (True, 2, 2, StopReason.CONVERGED)


def test_an_empty_vector_has_converged() -> None:
    assert ends(lambda x: x) == ([], 1, StopReason.CONVERGED)
