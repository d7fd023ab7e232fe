"""What votes count by date, in copy groups and of new sources, who takes part, and how probable answers are."""

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

from answering.voting import CastVote, Electorate, Period, Voter
from benchmarks.calibration.electorates import cast, of_weights
from estimator.weights import accuracy_weight, log_odds_weight
from tests.tables import for_each

TURN = datetime(2026, 3, 1, tzinfo=UTC)
DAY = timedelta(days=1)
PERIODS = Period(TURN - 60 * DAY, 0.9), Period(TURN - 30 * DAY, 0.7, 0.3, 0.95), Period(TURN, 0.2)
TURNED = Voter("turned", 0.2, lower=0.1, periods=PERIODS)


def weights(*voters: Voter[str]) -> Electorate[str]:
    return Electorate(voters, prior=0.6, prior_lower=0.5, labels=10, weigh=lambda reliability, _: reliability)


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
    assert weights(TURNED).casting([CastVote("turned", "a", "a", date)]).weight("turned") == reliability


def test_the_interval_is_that_of_the_date_and_reaches_the_confidence() -> None:
    assert TURNED.at(TURN).lower == 0.1
    assert weights(TURNED.at(TURN - DAY)).lower("turned") == 0.3
    vote = CastVote("turned", "a", "a", TURN - DAY)
    assert weights(TURNED).count([vote]).confidence < weights(Voter("turned", 0.7)).count([vote]).confidence


def test_an_override_stands_for_all_times() -> None:
    overridden = Voter("turned", 0.5, overridden=True, periods=TURNED.periods)
    assert overridden.at(TURN - DAY) == overridden


def test_weights_depends_on_readings_only_with_copies_and_turns() -> None:
    plain = Voter("plain", 0.8)
    assert not weights(plain).depends_on_readings
    assert weights(plain, TURNED).depends_on_readings
    assert weights(plain, Voter("copy", 0.8, copy_group=0)).depends_on_readings


def weights_with_new_sources() -> Electorate[str]:
    voters = [
        Voter("old", 0.7),
        Voter("silent", None),
        Voter("new", None, is_new=True),
        Voter("newer", None, is_new=True),
        Voter("set by hand", 0.8, overridden=True, is_new=True),
    ]
    return Electorate(voters, prior=0.6, prior_lower=0.2, labels=10, weigh=lambda reliability, _: 10 * reliability)


def test_a_source_without_votes_has_the_prior_and_a_new_one_its_lower_end() -> None:
    assert [
        weights_with_new_sources().weight(name) for name in ("old", "silent", "new", "set by hand")
    ] == pytest.approx([7, 6, 2, 8])


def test_new_sources_that_agree_share_one_vote() -> None:
    answers = dict.fromkeys(("old", "silent", "new", "newer", "set by hand"), "oslo")
    assert list(weights_with_new_sources().shares(answers).values()) == [1, 1, 0.5, 0.5, 1]
    assert list(weights_with_new_sources().participants(answers)) == ["old", "silent", "new", "set by hand"]
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
    votes = Electorate([herald, gazette], prior=0.6, prior_lower=0.5, labels=10, weigh=lambda share, _: share)
    # Before it is read, by the share of the source's votes that are read rightly.
    assert votes.weight("herald") == pytest.approx(0.9 * 0.8 + 0.1 * 0.2)
    doubted = votes.casting([CastVote(name, "a", "a", reading_confidence=0.5) for name in ("herald", "gazette")])
    assert doubted.weight("herald") == pytest.approx(0.9 * 0.5 + 0.1 * 0.5)
    assert doubted.weight("gazette") == 0.9
    assert votes.casting([CastVote("herald", "a", "a")]).weight("herald") == votes.weight("herald")


def test_a_vote_weighs_at_most_what_it_does_when_read_with_certainty() -> None:
    for reliability in (0.02, 0.1, 0.5, 0.95):
        voter = Voter("herald", reliability, read_share=0.7)
        votes = Electorate([voter], prior=0.6, prior_lower=0.5, labels=10, weigh=log_odds_weight)
        greatest = votes.greatest_weight("herald")
        assert greatest == votes.weight_of(CastVote("herald", "a", "a", reading_confidence=1.0))
        for confidence in (0.0, 0.3, 0.9, None):
            vote = CastVote("herald", "a", "a", reading_confidence=confidence)
            assert abs(votes.weight_of(vote)) <= abs(greatest) + 1e-12


def test_votes_on_newer_documents_count_as_new_where_no_older_one_agrees() -> None:
    voters = [Voter("old", 0.9), Voter("renewed", 0.9), Voter("also renewed", 0.9), Voter("set", 0.9, overridden=True)]
    electorate = Electorate(voters, prior=0.6, prior_lower=0.2, labels=10, weigh=lambda reliability, _: reliability)

    def weighed(*newer: tuple[str, str]) -> list[float]:
        votes = [CastVote("old", "oslo", "Oslo"), *(CastVote(name, key, key, is_newer=True) for name, key in newer)]
        return [ballot.weight for ballot in electorate.count(votes).ballots]

    assert weighed(("renewed", "oslo")) == [0.9, 0.9]
    assert weighed(("renewed", "bergen"), ("also renewed", "bergen")) == [0.9, 0.1, 0.1]
    assert weighed(("set", "bergen")) == [0.9, 0.9]


def test_only_votes_that_weigh_something_take_part_and_copies_once() -> None:
    voters = [Voter("good", 0.9), Voter("bad", 0.1), Voter("fair", 0.6)]
    voters += [Voter("original", 0.8, copy_group=1), Voter("copy", 0.8, copy_group=1)]
    answers = {"good": "a", "bad": "b", "fair": None, "original": "b", "copy": "b"}

    def electorate(least: float) -> Electorate[str]:
        weigh = accuracy_weight
        return Electorate(voters, prior=0.6, prior_lower=0.5, labels=4, weigh=weigh, least_reliability=least)

    assert electorate(0.0).participants(answers) == {"good": (), "fair": (), "original": ("copy",)}
    assert list(electorate(0.0).participants(answers | {"copy": "c"})) == ["good", "fair", "original", "copy"]
    assert list(electorate(0.7).participants(answers)) == ["good", "original"]
    assert not electorate(0.95).participants(answers)


def test_a_source_at_chance_takes_no_part_whatever_rounding_makes_of_it() -> None:
    """As one that is right in a tenth among ten labels, whose log odds do not cancel to the last bit."""
    chance = Electorate(
        [Voter("chance", 0.1), Voter("better", 0.11)],
        prior=0.6,
        prior_lower=0.5,
        labels=10,
        weigh=log_odds_weight,
    )
    assert math.log(0.1 / 0.9) + math.log(9) > 0
    assert list(chance.participants({"chance": "a", "better": "b"})) == ["better"]
    assert chance.count([CastVote("chance", "a", "a")]).nobody_reliable


def test_a_source_barely_above_chance_takes_no_part_beside_a_reliable_one() -> None:
    """As one that is right in a tenth where a run found eleven labels."""

    def participants(*reliabilities: float) -> list[int]:
        voters = [Voter(number, reliability) for number, reliability in enumerate(reliabilities)]
        electorate = Electorate(voters, prior=0.6, prior_lower=0.5, labels=11, weigh=log_odds_weight)
        return list(electorate.participants(dict.fromkeys(range(len(voters)), "a") | {0: "b"}))

    assert participants(0.9, 0.1) == [0]
    assert participants(0.9, 0.15) == [0, 1]
    assert participants(0.1, 0.11) == [0, 1]


def test_where_nobody_is_reliable_nobody_wins() -> None:
    count = of_weights([-1, -2]).count(cast("a", "b"))
    assert (count.vote.winner, count.confidence, count.nobody_reliable) == (None, 0.0, True)
    assert not of_weights([1]).count(cast("a")).nobody_reliable
    assert not of_weights([]).count([]).nobody_reliable


def electorate_of(*reliabilities: float, wrong: int = 9, interval: float = 0.0) -> Electorate[int]:
    voters = [
        Voter(source, value, max(value - interval, 0.0), min(value + interval, 1.0))
        for source, value in enumerate(reliabilities)
    ]
    return Electorate(voters, prior=0.6, prior_lower=0.5, labels=1 + wrong, weigh=lambda weight, _: weight)


def by_bayes_rule(votes: list[tuple[str, float]], wrong: int) -> dict[str, float]:
    """Over every possible truth, one after the other."""
    answers = sorted({key for key, _ in votes})
    wrong = max(wrong, len(answers) - 1)
    possible = [*answers, *(f"unsaid {number}" for number in range(wrong + 1 - len(answers)))]
    likelihood = {truth: math.prod(r if key == truth else (1 - r) / wrong for key, r in votes) for truth in possible}
    return {key: likelihood[key] / sum(likelihood.values()) for key in answers}


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.floats(0.01, 0.99)), min_size=1, max_size=7), st.integers(1, 20))
def test_known_reliabilities_make_probabilities_by_bayes_rule(votes: list[tuple[str, float]], wrong: int) -> None:
    electorate = electorate_of(*(reliability for _, reliability in votes), wrong=wrong)
    probabilities = electorate.probabilities(dict(enumerate(key for key, _ in votes)))
    assert probabilities == pytest.approx(by_bayes_rule(votes, wrong), rel=1e-6)


def test_two_that_agree_on_yes_or_no_are_less_sure_than_on_an_open_question() -> None:
    agreed = {0: "yes", 1: "yes"}
    assert electorate_of(0.6, 0.6, wrong=1).probabilities(agreed)["yes"] == pytest.approx(0.692, abs=1e-3)
    assert electorate_of(0.6, 0.6, wrong=9).probabilities(agreed)["yes"] == pytest.approx(0.953, abs=1e-3)


def test_wide_intervals_make_answers_less_sure() -> None:
    agreed = dict.fromkeys(range(3), "a")
    sure, doubtful, unknown = (
        electorate_of(0.9, 0.9, 0.9, wrong=1, interval=interval).probabilities(agreed)["a"]
        for interval in (0.0, 0.2, 0.88)
    )
    assert sure > doubtful > unknown
    assert sure > 0.99
    assert unknown < 0.9


def test_errors_that_sources_share_widen_the_interval() -> None:
    """By squares: 0.3 and 1.645 times 0.4 / 1.645 below are 0.5, and 0.09 and 0.4 above more than 0.99."""

    def probability(lower: float, upper: float, systematic: float = 0.0) -> float:
        voters = [Voter(source, 0.9, lower, upper, systematic) for source in range(3)]
        electorate = Electorate(voters, prior=0.6, prior_lower=0.5, labels=2, weigh=lambda weight, _: weight)
        return electorate.probabilities(dict.fromkeys(range(3), "a"))["a"]

    assert probability(0.6, 0.99, 0.4 / ndtri(0.95)) == pytest.approx(probability(0.4, 0.99))
    assert probability(0.6, 0.99, 0.4 / ndtri(0.95)) < probability(0.6, 0.99)


def test_copies_that_agree_add_nothing_to_the_confidence() -> None:
    copies = [Voter(source, 0.8, copy_group=1) for source in range(9)]
    electorate = Electorate(copies, prior=0.6, prior_lower=0.5, labels=10, weigh=lambda weight, _: weight)
    alone = electorate.probabilities({0: "a"})["a"]
    assert electorate.probabilities(dict.fromkeys(range(9), "a"))["a"] == pytest.approx(alone)


def test_certainty_and_hopelessness_are_clipped() -> None:
    assert electorate_of(1.0, 0.0).probabilities({0: "a", 1: "b"})["a"] < 1.0
    known, certain = electorate_of(0.99), electorate_of(1.0)
    assert certain.probabilities({0: "a"})["a"] == pytest.approx(known.probabilities({0: "a"})["a"])


def test_a_thousand_sources_do_not_underflow() -> None:
    answers = {source: "a" if source < 1000 else "b" for source in range(1900)}
    assert electorate_of(*[0.6] * 1900).probabilities(answers)["a"] == pytest.approx(1.0)


def test_an_answer_is_no_surer_than_its_two_surest_readings() -> None:
    electorate = electorate_of(0.9, 0.9, 0.9, 0.9)
    votes = [CastVote(source, "a", "A", reading_confidence=value) for source, value in enumerate((0.4, 0.3, 0.5))]
    assert electorate.count(votes[:1]).confidence == pytest.approx(0.4)
    assert electorate.count(votes).confidence == pytest.approx(1 - 0.6 * 0.5)
    assert electorate.count([*votes, CastVote(3, "a", "A")]).confidence > 0.99
    assert electorate.count([*votes, CastVote(3, "b", "B", reading_confidence=0.9)]).confidence <= 0.7


def test_readings_of_one_sentence_are_one() -> None:
    electorate, words = electorate_of(0.9, 0.9, 0.9), frozenset({"hours", "behind", "capital"})
    alike = [CastVote(source, "a", "A", reading_confidence=0.5, around=words) for source in (0, 1)]
    other = CastVote(2, "a", "A", reading_confidence=0.4, around=frozenset({"hours", "clock", "winter"}))
    assert electorate.count(alike).confidence == pytest.approx(0.5)
    assert electorate.count([*alike, other]).confidence == pytest.approx(1 - 0.5 * 0.6)


def test_a_source_of_exactly_chance_takes_no_part() -> None:
    # Its log odds and those of chance cancel out but for the rounding of the last digit.
    at_chance = Electorate([Voter("chance", 0.1)], prior=0.6, prior_lower=0.5, labels=10, weigh=log_odds_weight)
    assert 0 <= at_chance.weight("chance") < 1e-9
    assert not at_chance.takes_part("chance")
