"""An answer that rests on sources that came last is no surer than such answers are, and stays the answer."""

from collections.abc import Mapping

import pytest

from answering.voting import CastVote, Count, Electorate, ListedVote, Voter, certify
from answering.voting.electorate import SUREST_OF_LATECOMERS
from estimator.weights import log_odds_weight
from tests.tables import for_each

OLD, LATE = ("ann", "bob", "cy"), ("dee", "eve", "flo")


def electorate(*latecomers: str, share: float = 0.9) -> Electorate[str]:
    voters = [Voter(name, share) for name in OLD + LATE]
    return Electorate(voters, prior=0.6, prior_lower=0.5, labels=10, weigh=log_odds_weight, latecomers=latecomers)


def counted(answers: Mapping[str, str], *latecomers: str, share: float = 0.9) -> Count[str]:
    return electorate(*latecomers, share=share).count([CastVote(name, key, key) for name, key in answers.items()])


@for_each(
    ("old", "late", "capped"),
    [
        ((), ("oslo", "oslo", "oslo"), True),
        (("bergen",), ("oslo", "oslo", "oslo"), True),
        (("oslo", "bergen"), ("oslo", "oslo", "oslo"), True),
        (("oslo",), ("oslo", "oslo"), False),
        (("oslo", "oslo", "bergen"), ("oslo",), False),
        (("oslo", "oslo", "oslo"), (), False),
    ],
)
def test_an_answer_that_only_latecomers_carry_is_capped(
    old: tuple[str, ...], late: tuple[str, ...], capped: bool
) -> None:
    answers = dict(zip(OLD, old, strict=False)) | dict(zip(LATE, late, strict=False))
    known, plain = counted(answers, *LATE), counted(answers)
    assert known.vote == plain.vote
    assert known.vote.answer == "oslo"
    assert plain.confidence > SUREST_OF_LATECOMERS
    assert not plain.is_capped
    assert known.is_capped is capped
    assert known.confidence == (SUREST_OF_LATECOMERS if capped else plain.confidence)
    if capped:
        # To corrupt latecomers is enough: as many of them flip it.
        assert (certify(known.electorate, known.votes).size or 0) <= len(late)


def test_what_is_less_sure_stays_as_it_is() -> None:
    answers = dict(zip(OLD + LATE, ("bergen", "bergen", "rome", "oslo", "oslo", "oslo"), strict=True))
    known, plain = counted(answers, *LATE, share=0.65), counted(answers, share=0.65)
    assert known.electorate.rests_on_latecomers(known.answers, "oslo")
    assert known.confidence == plain.confidence < SUREST_OF_LATECOMERS
    assert not known.is_capped


def test_copies_among_the_older_ones_carry_no_more_than_one() -> None:
    """Two copies that say the same, against one: one vote each, so that without latecomers it is a tie."""
    voters = [Voter(name, 0.9, copy_group=1 if name != "cy" else None) for name in OLD]
    voters += [Voter(name, 0.9) for name in LATE]
    weighed = Electorate(voters, prior=0.6, prior_lower=0.5, labels=10, weigh=log_odds_weight, latecomers=LATE)
    answers = dict(zip(OLD + LATE, ("oslo", "oslo", "bergen", "oslo", "oslo", "oslo"), strict=True))
    assert weighed.count([CastVote(name, key, key) for name, key in answers.items()]).is_capped


def test_items_of_a_list_are_capped_too() -> None:
    """Ann is listed by all, Bo by latecomers alone, against one who was there before."""
    lists = {"ann": {"ann": "Ann"}} | {key: {"ann": "Ann", "bo": "Bo"} for key in LATE}
    votes = [CastVote(name, name, ", ".join(listed.values())) for name, listed in lists.items()]
    plain, known = (ListedVote.of(electorate(*late, share=0.95).count(votes), lists) for late in ((), LATE))
    assert plain is not None
    assert known is not None
    assert known.won == plain.won
    assert [plain.is_capped, known.is_capped] == [False, True]
    assert plain.probabilities["bo"] > SUREST_OF_LATECOMERS == known.probabilities["bo"]
    assert known.probabilities["ann"] == pytest.approx(plain.probabilities["ann"])
