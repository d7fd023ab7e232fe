"""Votes that may be misread: errors of the reader are told from those of sources, and nothing else changes."""

from dataclasses import dataclass, fields

import numpy as np
import pytest

from estimator import Estimate, EstimatorError, QueryTopics, VoteMatrix, estimate
from estimator.arrays.readings import Statements, expected_statements
from estimator.arrays.types import Flags, Floats, Integers
from estimator.group_votes import collapse

LIES = np.array([0.05, 0.1, 0.2, 0.4, 0.6, 0.1, 0.2, 0.05])
MISREAD = np.array([0.4, 0.1, 0.3, 0.1, 0.2, 0.05, 0.5, 0.3])
ANSWERS = 10


@dataclass(frozen=True)
class World:
    """Votes of sources that lie and of a reader that errs, with the truth about both."""

    votes: VoteMatrix
    probability: Floats
    """(V,) that a vote is a misreading, as a calibrated reader says."""
    misread: Flags
    """(V,)"""
    truth: Integers
    shares: Floats
    """(N,) of right statements."""


def drawn(seed: int, queries: int = 300) -> World:
    random, count = np.random.default_rng(seed), LIES.size
    truth = random.integers(ANSWERS, size=queries)
    query, source = np.nonzero(random.random((queries, count)) < 0.8)
    probability = random.beta(3 * MISREAD[source], 3 * (1 - MISREAD[source]))
    misread, lies = random.random(query.size) < probability, random.random(query.size) < LIES[source]
    stated = (truth[query] + lies * random.integers(1, ANSWERS, size=query.size)) % ANSWERS
    answer = np.where(misread, random.integers(ANSWERS, size=query.size), stated)
    order = np.lexsort((source, answer, query))
    votes = VoteMatrix.from_triples(query, source, answer, query_count=queries, source_count=count)
    right = np.bincount(source, stated == truth[query])
    return World(votes, probability[order], misread[order], truth, right / np.bincount(source))


def same(first: Estimate, second: Estimate) -> bool:
    names = ("reliability", "weight", "lower", "upper", "posterior", "confidence", "lead", "answer", "groups")
    assert set(names) <= {field.name for field in fields(Estimate)}
    return all(np.array_equal(getattr(first, name), getattr(second, name), equal_nan=True) for name in names)


def test_the_shares_of_right_statements_are_recovered() -> None:
    world = drawn(0)
    apart = estimate(world.votes.with_misreadings(world.probability), "auto")
    together = estimate(world.votes, "auto")
    assert np.abs(apart.reliability - world.shares).max() < 0.1
    assert np.abs(together.reliability - world.shares).max() > 0.3
    assert ((apart.lower <= world.shares) & (world.shares <= apart.upper)).mean() >= 0.75
    # Misreadings are no dissent of sources that would know better.
    assert apart.dissents == ()
    right = [(result.answer == world.truth).mean() for result in (apart, together)]
    assert right[0] >= right[1] - 0.02
    assert apart.misread is not None
    assert apart.misread[world.misread].mean() > 0.6
    assert apart.misread[~world.misread].mean() < 0.2


def test_without_doubt_nothing_changes() -> None:
    votes = drawn(1, queries=60).votes
    for method in ("auto", "one_coin", "iwmv", "majority"):
        plain = estimate(votes, method)
        assert plain.misread is None
        sure = estimate(votes.with_misreadings(np.zeros(votes.vote_count)), method)
        assert np.allclose(sure.reliability, plain.reliability, atol=0.03)
        assert (sure.answer == plain.answer).all()


def test_methods_that_only_count_do_not_look_at_misreadings() -> None:
    world = drawn(2, queries=60)
    doubtful = world.votes.with_misreadings(world.probability)
    for method in ("iwmv", "majority", "wawa"):
        result = estimate(doubtful, method)
        assert same(result, estimate(world.votes, method))
        assert result.misread is None


def test_a_certain_misreading_says_nothing() -> None:
    world = drawn(3, queries=80)
    query, source, answer = world.votes.triples()
    first = query < 40
    without = VoteMatrix.from_triples(query[first], source[first], answer[first], query_count=80, source_count=8)
    certain = world.votes.with_misreadings(np.where(first, 0.0, 1.0))
    left_out, kept = (estimate(votes, "one_coin").reliability for votes in (without, certain))
    assert np.allclose(kept, left_out, atol=0.03)


def test_a_table_by_hand() -> None:
    # One query: source 0 says 7, sources 1 and 2 say 9; the vote of source 2 is misread with probability 1/2.
    votes = VoteMatrix.from_triples([0, 0, 0], [0, 1, 2], [7, 9, 9], query_count=1, source_count=3)
    table = votes.with_misreadings([0.0, 0.0, 0.5]).table()
    reliability, luck = np.array([0.8, 0.8, 0.8]), 0.2
    stated = Statements.of_table(table, reliability, luck)
    # Read rightly and right: 0.4 of 0.4 + 0.1; read rightly and wrong: 0.1 of 0.5.
    assert stated.if_right == pytest.approx([1.0, 1.0, 0.8])
    assert stated.if_wrong == pytest.approx([1.0, 1.0, 0.2])
    right, total = expected_statements(table, np.array([0.25, 0.75]), reliability, luck)
    assert right == pytest.approx([0.25, 0.75, 0.6])
    assert total == pytest.approx([1.0, 1.0, 0.6 + 0.05])
    assert stated.misread(np.array([0.25, 0.75, 0.75])) == pytest.approx([0.0, 0.0, 0.35])


def test_the_order_of_votes_is_kept_where_they_are_cut_and_renumbered() -> None:
    world = drawn(4, queries=40)
    votes = world.votes.with_misreadings(world.probability)
    assert votes.read is not None
    read = dict(zip(zip(*votes.triples(), strict=True), votes.read, strict=True))
    part, _ = votes.of_queries(np.arange(40) % 3 == 0)
    assert part.read == pytest.approx([read[triple] for triple in zip(*part.triples(), strict=True)])
    turned = votes.of_sources(7 - votes.source.astype(np.int64), 8)
    assert turned.read == pytest.approx(
        [read[query, 7 - source, answer] for query, source, answer in zip(*turned.triples(), strict=True)]
    )


def test_of_the_readings_of_a_copy_group_the_best_one_counts() -> None:
    votes = VoteMatrix.from_triples([0, 0, 0], [0, 1, 2], [4, 4, 9], query_count=1, source_count=3)
    group = collapse(votes.with_misreadings([0.5, 0.25, 0.125]), [0, 0, 1])
    assert group.read == pytest.approx([0.75, 0.875])


def test_misreadings_go_with_topics_times_and_copies() -> None:
    world, random = drawn(5, queries=120), np.random.default_rng(0)
    votes, topic = world.votes.with_misreadings(world.probability), np.arange(120) % 2
    for options in (
        {"topics": QueryTopics(given=topic, count=2)},
        {"time": random.random(votes.vote_count)},
        {"gold": np.where(np.arange(120) < 10, world.truth, -1)},
    ):
        result = estimate(votes, "auto", **options)
        assert result.misread is not None
        assert np.abs(result.reliability - world.shares).max() < 0.25


def test_probabilities_that_are_none_are_refused() -> None:
    votes = drawn(6, queries=5).votes
    for wrong in ([0.5], np.full(votes.vote_count, 1.5)):
        with pytest.raises(EstimatorError, match="misreadings must be"):
            votes.with_misreadings(wrong)
    assert votes.with_misreadings(np.full(votes.vote_count, np.nan)).read == pytest.approx(1.0)
