"""How much of what sources say others contradict."""

import tracemalloc

import numpy as np
from hypothesis import given

from estimator import VoteMatrix
from estimator.group_votes import group_votes, supporting_groups
from estimator.identifiability import dissent, systematic_error
from tests.estimator.tables import Case, cases, rows


@given(cases(answers=4))
def test_dissent_agrees_with_a_loop_over_votes(case: Case) -> None:
    """The smallest answer of every query is the likeliest; the first two sources are one group."""
    votes = case.votes()
    groups = np.maximum(np.arange(votes.source_count) - 1, 0)
    voted, _ = group_votes(votes, groups)
    likeliest = np.zeros(votes.class_count)
    likeliest[np.unique(votes.class_query, return_index=True)[1]] = 1.0
    found = dissent(votes, supporting_groups(votes, groups), likeliest)
    against: dict[int, list[float]] = {}
    for query, source in case.table:
        said = [int(votes.class_answer[voice]) for voice in voted if votes.class_query[voice] == query]
        best = min(answer for (other, _), answer in case.table.items() if other == query)
        if len(said) > 1:
            against.setdefault(source, []).append(sum(answer != best for answer in said) / len(said))
    every = [share for shares in against.values() for share in shares]
    mean = float(np.mean(every)) if every else 0.0
    expected = [float(np.mean(against[source])) if source in against else mean for source in range(votes.source_count)]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_copies_are_one_voice_of_dissent() -> None:
    votes = rows("1 2 2 2\n3 3 3 3").votes()
    right = np.array([1.0, 0.0, 1.0])
    alone, grouped = (
        dissent(votes, supporting_groups(votes, np.array(g)), right) for g in ([0, 1, 2, 3], [0, 1, 1, 1])
    )
    assert alone.tolist() == [0.375] * 4
    assert grouped.tolist() == [0.25] * 4


def test_where_all_are_alone_no_array_of_all_votes_is_made() -> None:
    answer = np.random.default_rng(0).integers(2, size=2_000_000)
    query, source = np.divmod(np.arange(answer.size), 100)
    votes = VoteMatrix.from_triples(query, source, answer, query_count=20_000, source_count=100)
    right = np.full(votes.class_count, 0.5)
    tracemalloc.start()
    try:
        systematic_error(votes, np.arange(100), right)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * votes.vote_count  # bytes
