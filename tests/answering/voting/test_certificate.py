"""The certificate against brute force: every set of sources, every way it could vote."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answering.voting.certificate import certify
from answering.voting.vote import Ballot, weighted_vote
from estimator.policies import NegativeWeights, TiePolicy
from tests.tables import for_each

NEW = "new"
POSITIVE = st.integers(1, 8).map(float)
ANY_SIGN = st.integers(-4, 8).map(float)


def votes(weight: st.SearchStrategy[float]) -> st.SearchStrategy[list[tuple[str, float]]]:
    return st.lists(st.tuples(st.sampled_from("abc"), weight), min_size=1, max_size=5)


def ballots(cast: Sequence[tuple[str, float]]) -> list[Ballot[int]]:
    return [Ballot(source, key, key, weight) for source, (key, weight) in enumerate(cast)]


def corruptions(cast: list[Ballot[int]], sources: Sequence[int]) -> Iterator[list[Ballot[int]]]:
    """Every way in which the sources could vote, the others voting as they did."""
    for keys in product(("a", "b", "c", NEW), repeat=len(sources)):
        changed = dict(zip(sources, keys, strict=True))
        yield [replace(ballot, answer_key=changed.get(ballot.source_id, ballot.answer_key)) for ballot in cast]


def sole_winner(cast: list[Ballot[int]]) -> str | None:
    result = weighted_vote(cast)
    return None if result.tied else result.winner


def smallest_overturning_set(cast: list[Ballot[int]]) -> int:
    winner = weighted_vote(cast).winner
    return next(
        size
        for size in range(len(cast) + 1)
        for sources in combinations(range(len(cast)), size)
        if any(sole_winner(corrupted) != winner for corrupted in corruptions(cast, sources))
    )


def smallest_overturning_set_on_paper(cast: list[Ballot[int]]) -> int:
    """The same where an answer that lost its votes, or could be invented, stays on the paper with weight 0."""
    winner = weighted_vote(cast).winner
    original = {ballot.answer_key for ballot in cast}

    def overturned(corrupted: list[Ballot[int]], size: int) -> bool:
        totals: defaultdict[str, float] = defaultdict(float, dict.fromkeys(original | ({NEW} if size else set()), 0.0))
        for ballot in corrupted:
            totals[ballot.answer_key] += ballot.weight
        assert winner is not None
        return max((w for key, w in totals.items() if key != winner), default=-math.inf) >= totals[winner]

    return next(
        size
        for size in range(len(cast) + 1)
        for sources in combinations(range(len(cast)), size)
        if any(overturned(corrupted, size) for corrupted in corruptions(cast, sources))
    )


@settings(deadline=None)
@given(votes(POSITIVE))
def test_it_is_the_smallest_set_that_overturns_the_vote(cast: list[tuple[str, float]]) -> None:
    certificate = certify(ballots(cast))
    assert certificate.size == smallest_overturning_set(ballots(cast))


@settings(deadline=None)
@given(votes(ANY_SIGN))
def test_it_is_the_smallest_set_for_weights_of_any_sign(cast: list[tuple[str, float]]) -> None:
    assert certify(ballots(cast)).size == smallest_overturning_set_on_paper(ballots(cast))


@given(votes(POSITIVE))
def test_corrupting_its_sources_does_overturn_the_vote(cast: list[tuple[str, float]]) -> None:
    certificate = certify(ballots(cast))
    assert certificate.flips_by is not None
    assert certificate.size == len(set(certificate.sources)) == len(certificate.sources)
    key = certificate.challenger or NEW
    corrupted = [
        replace(ballot, answer_key=key) if ballot.source_id in certificate.sources else ballot
        for ballot in ballots(cast)
    ]
    before, after = weighted_vote(ballots(cast)), weighted_vote(corrupted)
    weights = {line.key: line.weight for line in after.tally}
    assert before.winner is not None
    assert weights[key] - weights.get(before.winner, 0.0) == pytest.approx(certificate.flips_by)
    assert after.tied or after.winner != before.winner


@for_each(
    ("cast", "size", "challenger"),
    [
        ([("a", 1.0)], 1, None),
        ([("a", 1.0)] * 3, 2, None),
        ([("a", 1.0)] * 4, 2, None),
        ([("a", 1.0)] * 5, 3, None),
        ([("a", 1.0), ("a", 1.0), ("b", 1.0)], 1, "b"),
        ([("a", 5.0), ("b", 1.0), ("c", 1.0)], 1, "b"),
        ([("a", 1.0), ("b", 1.0)], 0, "b"),
        ([("a", 0.0)], 1, None),
        ([("a", -1.0)], 1, None),
    ],
)
def test_certificates_by_hand(cast: list[tuple[str, float]], size: int, challenger: str | None) -> None:
    certificate = certify(ballots(cast))
    assert certificate.size == size
    assert certificate.challenger == challenger


def test_the_strong_supporter_of_the_winner_is_corrupted_first() -> None:
    certificate = certify(ballots([("a", 1.0), ("a", 3.0), ("b", 1.0), ("c", 0.5)]))
    assert certificate.sources == (1,)
    assert certificate.challenger == "b"
    assert certificate.flips_by == pytest.approx(3.0)


def test_without_votes_there_is_nothing_to_overturn() -> None:
    certificate = certify(ballots([]))
    assert certificate.size is None
    assert certificate.sources == ()
    assert certificate.flips_by is None


def test_a_tie_without_winner_needs_no_corruption() -> None:
    assert certify(ballots([("a", 1.0), ("b", 1.0)]), ties=TiePolicy.NO_ANSWER).size == 0


def test_clipped_weights_are_certified_as_they_count() -> None:
    cast = [("a", 1.0), ("a", 1.0), ("b", -4.0)]
    assert certify(ballots(cast)).sources == (2,)
    assert certify(ballots(cast), negative=NegativeWeights.ZERO).sources == (0,)


def test_a_thousand_sources_are_certified_quickly() -> None:
    cast = [(f"answer {source % 700}", 1.0 + source / 1000) for source in range(1_000)]
    assert certify(ballots(cast)).size == 1
