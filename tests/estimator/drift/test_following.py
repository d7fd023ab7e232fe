"""Sources that turn: the Bayes factor of a change, their periods, and estimates that follow them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaln, logit, logsumexp

from estimator import Estimate, QueryTopics, VoteMatrix, estimate
from estimator.arrays.types import Floats
from estimator.drift import Periods
from estimator.drift.change_points import TimedVotes, change_points
from estimator.drift.following import difficulty_offsets
from estimator.errors import EstimatorError
from estimator.policies import Drift
from tests.estimator.drift.synthetic import DriftSample, DriftScenario, draw_drift
from tests.tables import for_each

STEADY = (0.8, 0.5, 0.6, 0.7, 0.4, 0.9)
TURNING = DriftScenario((*STEADY, 0.9, 0.9), turned_reliability={6: 0.1, 7: 0.1})


@pytest.fixture(scope="module")
def sample() -> DriftSample:
    return draw_drift(TURNING, np.random.default_rng(3))


@pytest.fixture(scope="module")
def followed(sample: DriftSample) -> Estimate:
    return estimate(sample.votes, "auto", time=sample.time)


def same(first: Estimate, second: Estimate) -> bool:
    names = ("reliability", "weight", "lower", "upper", "answer", "posterior", "confidence")
    return all(np.array_equal(getattr(first, name), getattr(second, name), equal_nan=True) for name in names)


def test_sources_that_turned_have_their_present_reliability(sample: DriftSample, followed: Estimate) -> None:
    assert [history.source for history in followed.histories] == [6, 7]
    assert np.abs(followed.reliability - sample.late_reliability).max() < 0.2
    for history in followed.histories:
        before, after = history.periods
        assert history.fell
        assert before.reliability > 0.75
        assert after.log_odds is not None
        assert before.end < after.start == pytest.approx(0.5, abs=0.06)
        assert before.vote_count + after.vote_count == followed.vote_count[history.source]
        assert after.reliability == followed.reliability[history.source]
    assert "2 sources turned" in followed.reason


def test_answers_after_the_turn_get_better(sample: DriftSample, followed: Estimate) -> None:
    late = sample.query_time >= 0.5
    plain = estimate(sample.votes, "auto", time=sample.time, drift=Drift.NONE)
    assert (followed.answer == sample.truth)[late].mean() > (plain.answer == sample.truth)[late].mean()
    assert not plain.histories


def test_without_times_and_without_turns_nothing_changes() -> None:
    sample = draw_drift(replace(TURNING, turned_reliability={}), np.random.default_rng(4))
    plain = estimate(sample.votes, "one_coin")
    for time in (sample.time, np.full(sample.time.size, np.nan), np.zeros(sample.time.size)):
        assert same(plain, estimate(sample.votes, "one_coin", time=time))


def test_votes_of_unknown_time_belong_to_no_period(sample: DriftSample) -> None:
    time: Floats = sample.time.copy()
    time[::5] = np.nan
    result = estimate(sample.votes, "one_coin", time=time)
    assert [history.source for history in result.histories] == [6, 7]
    dated = np.bincount(sample.votes.source[~np.isnan(time)])
    for history in result.histories:
        assert sum(period.vote_count for period in history.periods) == dated[history.source]
    assert result.vote_count.tolist() == np.bincount(sample.votes.source).tolist()


def test_sources_may_be_renumbered(sample: DriftSample, followed: Estimate) -> None:
    query, source, answer = sample.votes.triples()
    number = np.array([7, 5, 3, 1, 6, 4, 2, 0])
    votes = VoteMatrix.from_triples(query, number[source], answer, query_count=sample.votes.query_count, source_count=8)
    moved = estimate(votes, "auto", time=sample.query_time[votes.triples()[0]])
    assert sorted(history.source for history in moved.histories) == [0, 2]
    assert moved.reliability[number] == pytest.approx(followed.reliability, abs=0.05)


def test_time_may_be_shifted_and_scaled(sample: DriftSample, followed: Estimate) -> None:
    moved = estimate(sample.votes, "auto", time=sample.time * 4096 - 512)
    assert same(moved, followed)


def test_harder_queries_are_no_turn_of_all_sources() -> None:
    harder = DriftScenario((0.9, 0.8) * 5, query_count=300, hardness=1.5, sudden=True)
    sample = draw_drift(harder, np.random.default_rng(1))
    assert not estimate(sample.votes, "one_coin", time=sample.time).histories


def test_a_source_that_moves_to_its_weak_topic_did_not_turn() -> None:
    random = np.random.default_rng(2)
    draws = [
        draw_drift(DriftScenario((0.7, 0.6, 0.8, 0.5, 0.6, reliability), query_count=150), random)
        for reliability in (0.95, 0.15)
    ]
    columns = [sample.votes.triples() for sample in draws]
    query = np.concatenate((columns[0][0], columns[1][0] + 150))
    votes = VoteMatrix.from_triples(
        query,
        *(np.concatenate(pair) for pair in zip(*(column[1:] for column in columns), strict=True)),
        query_count=300,
        source_count=6,
    )
    topics = QueryTopics(given=np.repeat([0, 1], 150))
    # Queries of the topic in which the last source is weak come later on the whole, but not all of them.
    early = np.concatenate((draws[0].query_time, draws[1].query_time + 0.7))
    time = early[votes.triples()[0]]
    assert [history.source for history in estimate(votes, "one_coin", time=time).histories] == [5]
    assert not estimate(votes, "one_coin", time=time, topics=topics).histories


def test_copies_of_a_source_that_turned_turn_with_it(sample: DriftSample) -> None:
    query, source, answer = sample.votes.triples()
    copied = source == 7
    votes = VoteMatrix.from_triples(
        np.append(query, np.tile(query[copied], 2)),
        np.append(source, np.repeat([8, 9], copied.sum())),
        np.append(answer, np.tile(answer[copied], 2)),
        query_count=sample.votes.query_count,
        source_count=10,
    )
    result = estimate(votes, "auto", time=sample.query_time[votes.triples()[0]])
    assert [group.members for group in result.copies] == [(7, 8, 9)]
    assert result.groups[7] == result.groups[8] == result.groups[9]
    assert [history.source for history in result.histories] == [6, 7, 8, 9]
    assert (result.reliability[6:] < 0.3).all()


def test_times_must_fit_the_votes(sample: DriftSample) -> None:
    with pytest.raises(EstimatorError, match="time must hold"):
        estimate(sample.votes, "one_coin", time=sample.time[1:])


def test_the_last_period_keeps_the_number_of_the_source() -> None:
    periods = Periods.of({0: [2.0, 4.0], 2: [3.0]}, 3)
    source = np.array([0, 0, 0, 0, 1, 2, 2, 2])
    time = np.array([1.0, 2.0, 4.5, np.nan, 9.0, 1.0, 3.0, np.nan])
    assert periods.part(source, time).tolist() == [3, 4, 0, 5, 1, 6, 2, 7]
    assert periods.source.tolist() == [0, 1, 2, 0, 0, 0, 2, 2]
    assert periods.parts_of(0) == [3, 4, 0]


def test_a_copy_group_is_one_group_in_each_period() -> None:
    periods = Periods.of({0: [2.0], 1: [2.5]}, 3)
    groups = periods.groups(np.array([0, 0, 1]))
    first, second = periods.parts_of(0), periods.parts_of(1)
    assert [groups[part] for part in first] == [groups[part] for part in second]
    assert len(set(groups[first].tolist())) == 2
    assert np.unique(groups).tolist() == list(range(groups.max() + 1))


def test_splitting_keeps_the_classes() -> None:
    votes = VoteMatrix.from_triples([0, 0, 1, 1], [0, 1, 0, 1], [5, 5, 2, 7], query_count=2, source_count=2)
    periods = Periods.of({0: [1.0]}, 2)
    parts = periods.split(votes, periods.part(votes.source.astype(np.int64), np.array([0.0, 0.0, 1.0, 1.0])))
    assert parts.class_answer.tolist() == votes.class_answer.tolist()
    assert parts.source_count == 4
    assert sorted(parts.source.tolist()) == [0, 1, 1, 2]


@pytest.mark.parametrize("loss", [0.0, 0.3])
def test_difficulty_is_what_the_others_lost(loss: float) -> None:
    time = np.tile(np.arange(240.0), 3)
    source = np.repeat(np.arange(3), 240)
    right = np.where(time < 120, 0.8, 0.8 - loss)
    right[source == 2] = 0.8
    offset = difficulty_offsets(source, time, right, np.full(right.size, 0.8), 3)
    of_last = offset[source == 2]
    assert of_last[:120] == pytest.approx(0.0, abs=0.05)
    assert of_last[120:] == pytest.approx(np.log((0.8 - loss) / (0.2 + loss)) - np.log(4), abs=0.1)


CERTAIN = 20.0


def segments(*rights: str) -> TimedVotes:
    """Segments of votes that are surely right (1) or wrong (0), one time after the other."""
    size = np.array([len(right) for right in rights])
    right = np.array([digit == "1" for segment in rights for digit in segment])
    time = np.concatenate([np.arange(count) for count in size]).astype(np.float64)
    log_ratio = np.where(right, CERTAIN, -CERTAIN)
    return TimedVotes(np.cumsum(size) - size, time, log_ratio, np.zeros(time.size), np.zeros(time.size))


def beta_binomial_factor(right: str) -> float:
    """The log Bayes factor by the Beta-binomial distribution, under the Jeffreys prior."""

    def log_marginal(part: str) -> float:
        return float(betaln(0.5 + part.count("1"), 0.5 + part.count("0")) - betaln(0.5, 0.5))

    splits = [log_marginal(right[:index]) + log_marginal(right[index:]) for index in range(1, len(right))]
    return float(logsumexp(splits) - np.log(len(splits)) - log_marginal(right))


@for_each("right", ["1111111111000000", "1111111011110001000000", "00000000000111111101111"])
def test_certain_votes_give_the_beta_binomial_factor(right: str) -> None:
    assert change_points(segments(right)).log_factor[0] == pytest.approx(beta_binomial_factor(right), abs=0.15)


def test_the_split_is_where_the_votes_change() -> None:
    change = change_points(segments("1" * 20 + "0" * 12, "10" * 8, "0" * 9 + "1" * 30))
    assert change.begins[[0, 2]].tolist() == [20, 9]
    assert (change.log_factor[[0, 2]] > 8).all()
    assert change.log_factor[1] < 0


def test_a_segment_does_not_depend_on_its_neighbours() -> None:
    alone = change_points(segments("1" * 20 + "0" * 12))
    among = change_points(segments("01" * 5, "1" * 20 + "0" * 12, "1"))
    assert among.log_factor[1] == pytest.approx(alone.log_factor[0])
    assert among.begins[1] == alone.begins[0]


def test_votes_of_equal_time_are_not_split() -> None:
    votes = segments("1" * 20 + "0" * 20)
    one_time = replace(votes, time=np.zeros(40))
    two_times = replace(votes, time=np.repeat([0.0, 1.0], [15, 25]))
    assert change_points(one_time).log_factor[0] == -np.inf
    assert change_points(two_times).begins[0] == 15


def test_without_votes_there_is_nothing() -> None:
    none = np.zeros(0)
    nothing = TimedVotes(np.zeros(0, dtype=np.int64), none, none, none, none)
    assert change_points(nothing).log_factor.size == 0


def test_a_fall_that_difficulty_explains_is_no_change() -> None:
    right = "1" * 18 + "10" + "1001" * 5
    plain = segments(right)
    harder = replace(plain, difficulty=np.where(plain.time < 20, 0.0, -3.0))
    assert change_points(harder).log_factor[0] < change_points(plain).log_factor[0] - 2


@given(
    st.lists(st.tuples(st.integers(0, 6), st.floats(0.01, 0.99)), min_size=1, max_size=30),
    st.sampled_from([1e-3, 1.0, 365.0]),
    st.sampled_from([-1e4, 0.0, 1e6]),
)
@settings(max_examples=40, deadline=None)
def test_shift_and_scale_of_time_change_nothing(votes: list[tuple[int, float]], scale: float, shift: float) -> None:
    votes.sort()
    time: Floats = np.array([time for time, _ in votes], dtype=np.float64)
    probability = np.array([probability for _, probability in votes])
    none = np.zeros(time.size)
    timed = TimedVotes(np.zeros(1, dtype=np.int64), time, logit(probability), none, none)
    moved = replace(timed, time=time * scale + shift)
    plain, other = change_points(timed), change_points(moved)
    assert np.array_equal(plain.log_factor, other.log_factor)
    assert np.array_equal(plain.begins, other.begins)
