"""Topics are found where sources differ by topic, and nowhere else."""

import numpy as np
import pytest

from estimator import Estimate, EstimatorError, QueryTopics, SourcePriors, VoteMatrix, estimate
from estimator.topics.pooling import fit_pooled_prior
from estimator.topics.structure import levels
from tests.estimator.topics.synthetic import TopicSample, TopicScenario, draw_topics


def drawn(seed: int = 0, scenario: TopicScenario | None = None) -> TopicSample:
    return draw_topics(scenario or TopicScenario(query_count=300), np.random.default_rng(seed))


def share_right(result: Estimate, sample: TopicSample) -> float:
    return float((result.answer == sample.truth).mean())


def same_bits(first: Estimate, second: Estimate) -> bool:
    return (
        np.array_equal(first.reliability, second.reliability)
        and np.array_equal(first.answer, second.answer)
        and np.array_equal(first.posterior, second.posterior)
        and np.array_equal(first.lower, second.lower)
    )


def test_given_topics_bring_the_reliabilities_of_each_topic() -> None:
    sample = drawn()
    result = estimate(sample.votes, "one_coin", topics=QueryTopics(given=sample.topic))
    assert result.topics is not None
    assert result.diagnostics["gain_over_chance"] > 100
    largest_first = np.argsort(-np.bincount(sample.topic), kind="stable")
    truth = sample.true_reliability[:, largest_first]
    assert np.abs(result.topics.reliability - truth).max() < 0.2
    assert np.abs(result.topics.reliability - truth).mean() < 0.06
    assert ((result.topics.lower <= truth) & (truth <= result.topics.upper)).mean() > 0.75
    assert result.topics.vote_count.sum(axis=1).tolist() == result.vote_count.tolist()


@pytest.mark.parametrize("method", ["one_coin", "auto"])
def test_embeddings_of_subjects_that_lie_apart_are_joined_to_topics(method: str) -> None:
    """48 subjects of two topics: no two centroids could tell the topics apart, and the votes do."""
    sample = drawn(1)
    plain = estimate(sample.votes, method)
    result = estimate(sample.votes, method, topics=QueryTopics(vectors=sample.vectors))
    oracle = estimate(sample.votes, method, topics=QueryTopics(given=sample.topic))
    assert result.topics is not None
    assert result.topics.topics.count == 2
    assert share_right(result, sample) > share_right(plain, sample) + 0.02
    assert share_right(result, sample) > share_right(oracle, sample) - 0.02


def test_queries_without_a_topic_join_the_nearest_given_one() -> None:
    sample = drawn(2)
    partly = np.where(np.arange(sample.subject.size) % 5 == 0, -1, sample.subject)
    result = estimate(sample.votes, "one_coin", topics=QueryTopics(given=partly, vectors=sample.vectors))
    assert result.topics is not None
    query_topic = result.topics.topics.query_topic
    agrees = (query_topic == sample.topic).mean()
    assert max(agrees, 1 - agrees) > 0.95


def test_queries_without_a_topic_and_without_embeddings_are_a_cluster_of_their_own() -> None:
    sample = drawn(3)
    result = estimate(sample.votes, "one_coin", topics=QueryTopics(given=np.where(sample.topic == 0, 7, -1)))
    assert result.topics is not None
    assert result.topics.topics.count == 2


def test_sources_that_are_the_same_everywhere_have_one_topic() -> None:
    sample = drawn(0, TopicScenario(topic_count=1))
    plain = estimate(sample.votes, "one_coin")
    for topics in (QueryTopics(given=sample.subject), QueryTopics(vectors=sample.vectors)):
        result = estimate(sample.votes, "one_coin", topics=topics)
        assert result.topics is None
        assert same_bits(plain, result)


def test_a_single_topic_gives_the_same_bits_as_no_topics() -> None:
    sample = drawn(4)
    plain = estimate(sample.votes, "one_coin")
    single = np.zeros_like(sample.topic)
    assert same_bits(plain, estimate(sample.votes, "one_coin", topics=QueryTopics(given=single)))
    assert same_bits(plain, estimate(sample.votes, "one_coin", topics=QueryTopics(vectors=sample.vectors, count=1)))


def test_a_number_of_topics_is_taken_as_it_is() -> None:
    sample = drawn(5, TopicScenario(query_count=300, topic_count=3))
    result = estimate(sample.votes, "one_coin", topics=QueryTopics(given=sample.topic, count=3))
    assert result.topics is not None
    assert result.topics.topics.count == 3


def test_few_votes_on_a_topic_stay_near_the_source() -> None:
    """A source with one wrong vote on the second topic, beside 40 right votes on the first."""
    votes = np.array([[40.0] * 10, [1.0] + [40.0] * 9])
    right = np.array([[38.0] * 10, [0.0] + [12.0] * 9])
    prior = fit_pooled_prior(right.ravel(), votes.ravel(), 2)
    reliability = (prior.alpha + right.ravel()) / (prior.strength + votes.ravel())
    seldom, often = reliability[10], reliability[11]
    assert often < 0.4 < seldom < 0.95


def test_a_vote_for_every_copy_counts_once_and_every_member_has_its_topics() -> None:
    sample = drawn(6, TopicScenario(query_count=400))
    query, source, answer = sample.votes.triples()
    first = source == 0
    copied = VoteMatrix.from_triples(
        np.concatenate([query, query[first], query[first]]),
        np.concatenate([source, np.full(first.sum(), 9), np.full(first.sum(), 10)]),
        np.concatenate([answer, answer[first], answer[first]]),
        query_count=sample.votes.query_count,
        source_count=11,
    )
    result = estimate(copied, "auto", topics=QueryTopics(given=sample.topic))
    assert result.topics is not None
    assert result.topics.reliability.shape == (11, 2)
    assert np.allclose(result.topics.reliability[9], result.topics.reliability[10])


def test_numbering_of_sources_does_not_matter() -> None:
    sample = drawn(7)
    query, source, answer = sample.votes.triples()
    number = np.random.default_rng(0).permutation(9)
    renumbered = VoteMatrix.from_triples(
        query, number[source], answer, query_count=sample.votes.query_count, source_count=9
    )
    topics = QueryTopics(vectors=sample.vectors)
    expected, result = (estimate(votes, "one_coin", topics=topics) for votes in (sample.votes, renumbered))
    assert expected.topics is not None
    assert result.topics is not None
    assert np.array_equal(expected.topics.topics.query_topic, result.topics.topics.query_topic)
    assert np.allclose(expected.topics.reliability, result.topics.reliability[number], atol=1e-6)
    assert np.array_equal(expected.answer, result.answer)


@pytest.mark.usefixtures("too_large_to_sample")
def test_a_later_run_starts_from_the_last_one() -> None:
    sample = drawn(8, TopicScenario(query_count=1_200, source_count=12))
    topics = QueryTopics(given=sample.topic)
    first = estimate(sample.votes, "one_coin", topics=topics)
    again = estimate(sample.votes, "one_coin", topics=topics, previous=first)
    assert np.allclose(first.reliability, again.reliability, atol=5e-3)


def test_topics_of_other_queries_are_refused() -> None:
    sample = drawn(9)
    with pytest.raises(EstimatorError, match="topics are of 3 queries"):
        estimate(sample.votes, "one_coin", topics=QueryTopics(given=np.zeros(3, dtype=np.int64)))
    with pytest.raises(EstimatorError, match="at least 1 topic"):
        QueryTopics(given=sample.topic, count=0)
    with pytest.raises(EstimatorError, match="of all queries"):
        QueryTopics(given=sample.topic, vectors=sample.vectors[:3])
    with pytest.raises(EstimatorError, match="of all queries"):
        QueryTopics()


def test_no_votes_have_no_topics() -> None:
    votes = VoteMatrix.from_triples([], [], [], query_count=2, source_count=3)
    assert estimate(votes, "one_coin", topics=QueryTopics(given=np.array([0, 1]))).topics is None


def test_a_source_that_turns_keeps_its_present_topics() -> None:
    sample = drawn(10, TopicScenario(query_count=600))
    query, source, answer = sample.votes.triples()
    lies = np.where((source == 0) & (query > 300), 99, answer)
    turned = VoteMatrix.from_triples(query, source, lies, query_count=600, source_count=9)
    time = turned.triples()[0].astype(np.float64)
    result = estimate(turned, "one_coin", time=time, topics=QueryTopics(given=sample.topic))
    assert [history.source for history in result.histories] == [0]
    assert result.topics is not None
    assert result.topics.reliability.shape == (9, 2)
    assert result.topics.reliability[0].max() < 0.3


def test_gold_answers_and_priors_count_in_a_fit_by_topic() -> None:
    sample = drawn(11)
    topics = QueryTopics(given=sample.topic)
    gold = np.where(np.arange(sample.truth.size) < 20, sample.truth, -1)
    result = estimate(sample.votes, "one_coin", topics=topics, gold=gold)
    assert result.topics is not None
    assert share_right(result, sample) > 0.9
    strong = SourcePriors(mean=np.full(9, 0.05), strength=np.array([500.0] + [0.0] * 8))
    rated = estimate(sample.votes, "one_coin", topics=topics, source_priors=strong)
    assert rated.topics is not None
    assert rated.topics.reliability[0].max() < result.topics.reliability[0].max() - 0.3


def test_of_very_many_given_topics_the_most_frequent_are_taken() -> None:
    names, size = 300, np.where(np.arange(300) % 3 == 0, 4, 2)
    given = np.repeat(np.arange(names), size)
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(names, 16))
    vectors = (centres[given] / np.linalg.norm(centres[given], axis=1, keepdims=True)).astype(np.float32)
    for known in (vectors, None):
        (clusters,) = levels(QueryTopics(given=given, vectors=known))
        assert clusters.count == int(clusters.label.max()) + 1 == (128 if known is not None else 129)
        frequent = np.flatnonzero(given % 3 == 0)
        assert len(np.unique(clusters.label[frequent])) == 100
        assert (np.bincount(clusters.label[frequent])[clusters.label[frequent]] == 4).all()
