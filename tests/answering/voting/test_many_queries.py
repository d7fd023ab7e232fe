"""Votes on many queries at once count as those on each query alone."""

import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answering.equivalence import representative
from answering.errors import BadParameter
from answering.voting import CastVote, Electorate, Voter
from answering.voting.many_queries import count_queries, representatives
from estimator.weights import accuracy_weight, log_odds_weight

KEYS = "abcd"


def drawn(seed: int) -> tuple[Electorate[int], list[list[CastVote[int]]]]:
    """Sources with all that an electorate knows of them at present, and their votes on some queries."""
    draw = random.Random(seed)
    voters = []
    for source in range(draw.randint(1, 6)):
        is_new, known = draw.random() < 0.2, draw.random() < 0.7
        reliability = None if is_new else round(draw.random(), draw.choice([1, 3]))
        voters.append(
            Voter(
                source,
                reliability,
                lower=None if reliability is None or not known else max(reliability - draw.random() / 2, 0.0),
                upper=None if reliability is None or not known else min(reliability + draw.random() / 2, 1.0),
                systematic=draw.choice([0.0, 0.05]),
                overridden=not is_new and draw.random() < 0.1,
                copy_group=None if is_new else draw.choice([None, None, "g", "h"]),
                is_new=is_new,
                read_share=None if is_new else draw.choice([None, 0.8]),
            )
        )
    weighs: list[Callable[[float, int], float]] = [accuracy_weight, log_odds_weight, lambda *_: 1.0]
    electorate = Electorate(
        voters, prior=0.6, prior_lower=0.3, prior_upper=draw.choice([None, 0.8]), labels=draw.choice([2, 3, 10]),
        weigh=draw.choice(weighs), queries=draw.choice([None, 2]),
        latecomers=[voter.id for voter in voters if draw.random() < 0.4],
    )  # fmt: skip
    queries = [
        [CastVote(voter.id, key, key) for voter in voters if draw.random() < 0.7 and (key := draw.choice(KEYS))]
        for _ in range(draw.randint(1, 5))
    ]
    return electorate, queries


@given(st.integers(0, 2**32))
@settings(max_examples=150)
def test_they_count_as_each_query_alone(seed: int) -> None:
    electorate, queries = drawn(seed)
    votes = [(number, vote.source_id, KEYS.index(vote.answer_key)) for number, of in enumerate(queries) for vote in of]
    query, source, answer = np.array(votes, dtype=np.int64).reshape(-1, 3).T
    sources = sorted({vote.source_id for of in queries for vote in of} | {0})
    binary = np.array([number % 2 == 1 for number in range(len(queries))])
    counted = count_queries(electorate, sources, query, np.searchsorted(sources, source), answer, len(queries), binary)
    for number, of in enumerate(queries):
        alone = (electorate.with_labels(2) if binary[number] else electorate).count(of)
        winner = counted.winner[number]
        assert (None if winner < 0 else KEYS[winner]) == alone.vote.winner
        assert counted.tied[number] == alone.vote.tied
        assert counted.answers[number] == len(alone.vote.tally)
        assert counted.margin[number] == pytest.approx(alone.vote.margin, abs=1e-9)
        assert counted.confidence[number] == pytest.approx(alone.confidence, abs=1e-9)
        assert counted.capped[number] == alone.is_capped


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from(["a", "b", "a  a", "a a", "bb", " b"])), max_size=12))
def test_the_wordings_are_those_of_each_query_alone(votes: list[tuple[int, str]]) -> None:
    spellings = sorted({spelling for _, spelling in votes})
    query = np.array([query for query, _ in votes], dtype=np.int64)
    answer = np.array([spellings.index(spelling) for _, spelling in votes], dtype=np.int64)
    expected = {each: representative([said for number, said in votes if number == each]) for each in query.tolist()}
    assert representatives(query, answer, spellings) == expected


def test_votes_out_of_order_are_refused() -> None:
    electorate = Electorate([Voter("a", 0.9)], prior=0.6, prior_lower=0.5, labels=10, weigh=lambda w, _: w)
    with pytest.raises(BadParameter, match="in the order of their queries"):
        count_queries(electorate, ["a"], np.array([1, 0]), np.array([0, 0]), np.array([0, 0]), 2)
