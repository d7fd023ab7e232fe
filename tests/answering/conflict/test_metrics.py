"""The arithmetic: the paper's numbers, and what holds whatever the documents say."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answering.conflict import ClaimWeights, conflict_scores
from answering.conflict.evidence import Scores
from answering.enums import Uncovered
from answering.errors import BadParameter
from tests.tables import for_each

SHARES = st.floats(0, 1)
SIDES = st.builds(ClaimWeights, st.lists(SHARES, max_size=5).map(tuple), st.lists(SHARES, max_size=5).map(tuple))
CLAIMS = st.lists(SIDES, max_size=6)
UNCOVERED = st.sampled_from(Uncovered)


def plain(supporting: int, contradicting: int) -> ClaimWeights:
    return ClaimWeights((1.0,) * supporting, (1.0,) * contradicting)


def test_four_of_six_claims_in_conflict() -> None:
    """The shape of the paper's figure 2: CS-C 0.67."""
    claims = [plain(1, 3), plain(1, 1), plain(1, 4), plain(2, 2), plain(3, 0), plain(0, 1)]
    scores = conflict_scores(claims)
    assert scores.cs_c == pytest.approx(4 / 6)
    assert scores.cs_r == pytest.approx((3 / 4 + 1 / 2 + 4 / 5 + 1 / 2 + 0 + 1) / 6)


def test_what_a_claim_without_evidence_counts_is_a_policy() -> None:
    claims = [plain(1, 1), plain(0, 0)]
    assert conflict_scores(claims, Uncovered.ZERO) == Scores(0.5, 0.25)
    assert conflict_scores(claims, Uncovered.OMIT) == Scores(0.5, 0.5)
    assert conflict_scores([plain(0, 0)], Uncovered.OMIT) == Scores(0.0, None)


@pytest.mark.parametrize("policy", Uncovered)
def test_no_claims_have_no_score(policy: Uncovered) -> None:
    assert conflict_scores([], policy) == Scores(None, None)


def test_a_conflict_is_as_strong_as_its_weaker_side_is_beside_the_other() -> None:
    assert ClaimWeights((0.9, 0.2), (0.3,)).conflict == pytest.approx(1 / 3)
    assert ClaimWeights((0.3,), (0.9, 0.2)).conflict == pytest.approx(1 / 3)
    assert ClaimWeights((0.9,), ()).conflict == 0


def test_documents_of_no_weight_are_on_no_side() -> None:
    assert ClaimWeights((0.8,), (0.0,)).conflict == 0
    assert ClaimWeights((0.8,), (0.0,)).ratio == 0
    assert ClaimWeights((0.0,), (0.0,)).ratio is None
    assert ClaimWeights((0.0,), (0.0,)).conflict == 0


@for_each("weight", [-0.1, 1.1, float("nan"), float("inf")])
def test_what_is_no_weight_is_refused(weight: float) -> None:
    with pytest.raises(BadParameter, match="0 to 1"):
        ClaimWeights((weight,), ())


@given(CLAIMS, UNCOVERED)
def test_scores_are_shares(claims: list[ClaimWeights], policy: Uncovered) -> None:
    scores = conflict_scores(claims, policy)
    assert (scores.cs_c is None) is (not claims)
    assert all(score is None or 0 <= score <= 1 for score in (scores.cs_c, scores.cs_r))


@given(CLAIMS, UNCOVERED, st.randoms(use_true_random=False))
def test_no_order_matters(claims: list[ClaimWeights], policy: Uncovered, order: random.Random) -> None:
    shuffled = [
        ClaimWeights(*(tuple(order.sample(side, len(side))) for side in (claim.supporting, claim.contradicting)))
        for claim in order.sample(claims, len(claims))
    ]
    assert conflict_scores(shuffled, policy) == conflict_scores(claims, policy)


@given(CLAIMS, UNCOVERED)
def test_to_have_every_document_twice_changes_nothing(claims: list[ClaimWeights], policy: Uncovered) -> None:
    doubled = [ClaimWeights(claim.supporting * 2, claim.contradicting * 2) for claim in claims]
    scores, again = conflict_scores(claims, policy), conflict_scores(doubled, policy)
    assert again.cs_c == scores.cs_c
    assert again.cs_r == pytest.approx(scores.cs_r)


@given(CLAIMS, UNCOVERED)
def test_to_have_every_claim_twice_changes_nothing(claims: list[ClaimWeights], policy: Uncovered) -> None:
    scores, again = conflict_scores(claims, policy), conflict_scores(claims * 2, policy)
    assert again.cs_c == pytest.approx(scores.cs_c)
    assert again.cs_r == pytest.approx(scores.cs_r)


@given(CLAIMS, UNCOVERED)
def test_documents_of_weight_zero_change_nothing(claims: list[ClaimWeights], policy: Uncovered) -> None:
    more = [ClaimWeights((*claim.supporting, 0.0), (0.0, *claim.contradicting)) for claim in claims]
    assert conflict_scores(more, policy) == conflict_scores(claims, policy)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=6), st.floats(0.01, 1))
def test_equal_weights_are_the_paper(counts: list[tuple[int, int]], weight: float) -> None:
    claims = [ClaimWeights((weight,) * supporting, (weight,) * contradicting) for supporting, contradicting in counts]
    scores = conflict_scores(claims)
    assert scores.cs_c == pytest.approx(sum(bool(of and against) for of, against in counts) / len(counts))
    assert scores.cs_r == pytest.approx(sum(against / (of + against or 1) for of, against in counts) / len(counts))


@given(SIDES)
def test_sides_that_change_places_turn_the_ratio_over(claim: ClaimWeights) -> None:
    turned = ClaimWeights(claim.contradicting, claim.supporting)
    assert turned.conflict == claim.conflict
    if claim.ratio is not None:
        assert turned.ratio == pytest.approx(1 - claim.ratio)
