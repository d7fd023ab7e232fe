"""Votes that newer statements outdate, and the certificate where they do not count, against brute force."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import combinations

from answering.voting import CastVote, Count, Electorate, Voter
from answering.voting.newer_statements import certify_of_now, count_without_outdated, newest_contradiction
from answering.voting.vote import TallyLine
from benchmarks.calibration.brute_force import corruptions
from tests.tables import for_each

JANUARY, MONTH = datetime(2026, 1, 1, tzinfo=UTC), timedelta(days=31)
WORLDS = 300


def contradiction(count: Count[int], line: TallyLine[int]) -> CastVote[int] | None:
    return newest_contradiction(count.votes, line.key)


def electorate(*weights: float, copies: tuple[int, ...] = ()) -> Electorate[int]:
    voters = [
        Voter(source, weight, copy_group="copies" if source in copies else None)
        for source, weight in enumerate(weights)
    ]
    return Electorate(voters, prior=0.6, prior_lower=0.5, labels=10, weigh=lambda weight, _: weight)


def cast(said: str) -> list[CastVote[int]]:
    """Each source says a letter, in a month by a digit behind it; `-` is no date."""
    return [
        CastVote(source, each[0], each[0], last_published_at=None if each[1] == "-" else JANUARY + int(each[1]) * MONTH)
        for source, each in enumerate(said.split())
    ]


@for_each(
    ("weights", "copies", "said", "winner", "outdated"),
    [
        # One against one: the newer wins, unless it is hardly newer, or one of them has no date.
        ((0.9, 0.8), (), "a1 b5", "b", {0}),
        ((0.9, 0.8), (), "a5 b5", "a", set()),
        ((0.9, 0.8), (), "a- b5", "a", set()),
        ((0.9, 0.8), (), "a1 b-", "a", set()),
        # A tie goes to the newer one, whichever sorts first.
        ((0.8, 0.8), (), "a1 b5", "b", {0}),
        ((0.8, 0.8), (), "a5 b1", "a", {1}),
        # One after the other until nothing newer contradicts.
        ((0.9, 0.8, 0.7), (), "a1 b4 c8", "c", {0, 1}),
        # Two that agree are not outdated by one, but a copy adds nothing.
        ((0.6, 0.6, 0.8), (), "a1 a2 b5", "a", set()),
        ((0.9, 0.9, 0.8), (0, 1), "a1 a2 b5", "b", {0, 1}),
        # What does not count cannot outdate.
        ((0.9, -0.1), (), "a1 b5", "a", set()),
        # What lost anyway stays as it is.
        ((0.6, 0.6, 0.5), (), "a3 a2 b1", "a", set()),
    ],
)
def test_a_newer_statement_outdates_a_single_one(
    weights: tuple[float, ...], copies: tuple[int, ...], said: str, winner: str, outdated: set[int]
) -> None:
    count = count_without_outdated(electorate(*weights, copies=copies).count(cast(said)), contradiction)
    assert count.vote.winner == winner
    assert {vote.source_id for vote in count.votes if vote.is_outdated} == outdated
    assert {ballot.source_id for ballot in count.ballots if ballot.weight == 0} >= outdated


def test_an_answer_almost_as_heavy_is_outdated_too() -> None:
    count = electorate(0.8, 0.79).count(cast("a5 b1"))
    assert not any(vote.is_outdated for vote in count_without_outdated(count, contradiction).votes)
    (_, close) = count_without_outdated(count, contradiction, min_margin=0.05).votes
    assert close.is_outdated


@for_each(
    ("weights", "said", "size", "challenger"),
    [
        ((0.9, 0.8), "a1 b5", 1, "a"),
        # Two that are as new as each other tie.
        ((0.9, 0.8, 0.8), "a1 b5 c5", 0, "c"),
        # A newer statement could outdate the last of two that agree.
        ((0.9, 0.3), "a1 a1", 1, None),
        ((0.6, -0.1), "a1 b1", 1, "b"),
    ],
)
def test_certificates_of_what_is_so_now(
    weights: tuple[float, ...], said: str, size: int, challenger: str | None
) -> None:
    count = count_without_outdated(electorate(*weights).count(cast(said)), contradiction)
    certificate = certify_of_now(count)
    assert (certificate.size, certificate.challenger) == (size, challenger)


def test_who_outdated_the_heaviest_is_whom_to_corrupt() -> None:
    """Not the source of the newest statement, which may not be reliable enough to outdate anything."""

    def of_reliable(count: Count[int], line: TallyLine[int]) -> CastVote[int] | None:
        return newest_contradiction([vote for vote in count.votes if vote.source_id != 2], line.key)

    count = count_without_outdated(electorate(0.9, 0.8, 0.1).count(cast("a1 b5 c8")), of_reliable)
    certificate = certify_of_now(count)
    assert [vote.outdated_by for vote in count.votes] == [1, None, None]
    assert (count.vote.winner, certificate.sources, certificate.challenger) == ("b", (1,), "a")


def test_no_fewer_sources_than_certified_change_the_answer() -> None:
    sizes = set()
    for seed in range(WORLDS):
        draw = random.Random(seed)
        size = draw.randint(1, 4)
        copies = tuple(source for source in range(size) if draw.random() < 0.3)
        known = electorate(*(draw.choice([0.3, 0.5, 0.9]) for _ in range(size)), copies=copies)
        said = " ".join(draw.choice("aab") + draw.choice("15-") for _ in range(size))
        votes = [replace(vote, answer="answer") for vote in cast(said)]
        count = count_without_outdated(known.count(votes), contradiction)
        certificate = certify_of_now(count)
        sizes.add(certificate.size)
        for fewer in range(1, certificate.size or 0):
            for sources in combinations(range(size), fewer):
                for corrupted in corruptions(votes, sources):
                    found = count_without_outdated(known.count(corrupted), contradiction).vote
                    assert (found.winner, found.tied) == (count.vote.winner, False), seed
    assert {0, 1, 2} <= sizes
