"""When a newer statement is told that contradicts the answer."""

from datetime import UTC, datetime

from answering.voting import CastVote
from answering.voting.newer_statements import newest_contradiction
from tests.tables import for_each


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
