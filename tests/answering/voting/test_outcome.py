"""The outcome of a question, from its vote, and when a newer statement contradicts it."""

from datetime import UTC, datetime

import pytest

from answering.enums import Outcome
from answering.errors import BadParameter
from answering.voting import CastVote
from answering.voting.newer_statements import newest_contradiction
from answering.voting.outcome import closest, vote_outcome
from answering.voting.vote import Ballot, weighted_vote
from tests.tables import for_each


def ballots(**weights: float) -> list[Ballot[str]]:
    return [Ballot(f"says {key}", key, key, weight) for key, weight in weights.items()]


@for_each(
    ("cast", "retrieved", "min_margin", "outcome"),
    [
        (ballots(), False, 0.0, Outcome.NO_EVIDENCE),
        (ballots(), True, 0.0, Outcome.UNSUPPORTED),
        (ballots(a=1.0), True, 0.0, Outcome.ANSWERED),
        (ballots(a=-1.0), True, 0.5, Outcome.UNSUPPORTED),
        (ballots(a=1.0, b=1.0), True, 0.0, Outcome.CONFLICTING),
        (ballots(a=2.0, b=1.0), True, 0.0, Outcome.ANSWERED),
        (ballots(a=3.0, b=1.0), True, 0.5, Outcome.ANSWERED),
        (ballots(a=2.9, b=1.0), True, 0.5, Outcome.CONFLICTING),
    ],
)
def test_the_outcome_of_a_vote(cast: list[Ballot[str]], retrieved: bool, min_margin: float, outcome: Outcome) -> None:
    assert vote_outcome(weighted_vote(cast), retrieved=retrieved, min_margin=min_margin) is outcome


@for_each(
    ("cast", "min_margin", "answers"),
    [
        (ballots(a=2.0, b=1.95, c=1.0), 0.05, "ab"),
        # However many other answers there are.
        (ballots(a=2.0, b=1.95, **dict.fromkeys("cdefghijklmnopqrstu", 1.0)), 0.05, "ab"),
        (ballots(a=2.0, **dict.fromkeys("cdefghijklmnopqrstu", 1.0)), 0.05, "a"),
        (ballots(a=1.0, b=1.0, c=1.0), 0.0, "abc"),
        (ballots(a=0.05, b=-0.04, c=-1.0), 0.5, "a"),
        (ballots(a=-1.0, b=-1.0), 0.5, ""),
    ],
)
def test_only_what_is_almost_as_heavy_is_close_to_the_winner(
    cast: list[Ballot[str]], min_margin: float, answers: str
) -> None:
    assert "".join(line.answer for line in closest(weighted_vote(cast), min_margin)) == answers


@for_each("margin", [-0.1, 1.1, float("nan")])
def test_a_margin_is_a_share(margin: float) -> None:
    with pytest.raises(BadParameter, match="0 to 1"):
        vote_outcome(weighted_vote(ballots(a=1.0)), retrieved=True, min_margin=margin)


def dated(source: str, answer: str, month: int | None) -> CastVote[str]:
    date = None if month is None else datetime(2026, month, 1, tzinfo=UTC)
    return CastVote(source, answer, answer, last_published_at=date)


@for_each(
    "votes",
    [
        [dated("a", "Oslo", 1), dated("b", "Oslo", 9)],
        [dated("a", "Oslo", 1), dated("b", "Oslo", None), dated("c", "Bergen", 9)],
        [dated("a", "Oslo", 1), dated("b", "Oslo", 9), dated("c", "Bergen", 9)],
        [dated("a", "Oslo", 9), dated("b", "Bergen", 1)],
        [],
    ],
)
def test_nothing_newer_contradicts(votes: list[CastVote[str]]) -> None:
    assert newest_contradiction(votes, "Oslo") is None


def test_the_newest_of_what_contradicts_is_told() -> None:
    votes = [dated("a", "Oslo", 1), dated("b", "Rome", 5), dated("c", "Bergen", 9), dated("d", "Bern", None)]
    found = newest_contradiction(votes, "Oslo")
    assert found is not None
    assert found.answer == "Bergen"
