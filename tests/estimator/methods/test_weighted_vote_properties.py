"""Properties of the weighted vote that hold for every table of votes."""

import random
from dataclasses import replace
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator import Estimate, NegativeWeights, SilentSources, StopReason, TiePolicy, estimate
from tests.estimator.tables import Case, PlainRules, cases, matrix, plain_estimate

ties_of = st.sampled_from(TiePolicy)
negatives = st.sampled_from(NegativeWeights)
permutations = st.randoms(use_true_random=False)


def shuffled(size: int, order: random.Random) -> list[int]:
    return order.sample(range(size), size)


@given(cases(), st.sampled_from(["iwmv", "majority"]), ties_of, negatives, st.none() | st.integers(1, 7))
@settings(max_examples=100)
def test_agrees_with_exact_fractions(
    case: Case, method: str, ties: TiePolicy, negative: NegativeWeights, labels: int | None
) -> None:
    result = estimate(
        case.votes(),
        method,
        labels=labels,
        ties=ties,
        negative_weights=negative,
        silent_sources=SilentSources.UNKNOWN,
    )
    plain = plain_estimate(case, PlainRules(method, result.labels, ties, negative))
    expected = [np.nan if share is None else float(share) for share in plain.reliability]
    np.testing.assert_allclose(result.reliability, expected)
    np.testing.assert_allclose(result.weight, np.array(plain.weight, dtype=float), atol=1e-12)
    np.testing.assert_allclose(result.lead, np.array(plain.margin, dtype=float), atol=1e-12)
    assert result.answer.tolist() == plain.answer
    assert result.tied.tolist() == plain.tied
    assert result.rounds == (plain.rounds if case.table else 0)


@given(cases(), permutations, ties_of)
def test_order_of_the_votes_does_not_matter(case: Case, order: random.Random, ties: TiePolicy) -> None:
    mixed = dict(order.sample(list(case.table.items()), len(case.table)))
    result, changed = (
        estimate(case.votes(), "iwmv", ties=ties),
        estimate(replace(case, table=mixed).votes(), "iwmv", ties=ties),
    )
    assert result.reliability.tobytes() == changed.reliability.tobytes()
    assert result.lead.tobytes() == changed.lead.tobytes()
    assert result.answer.tolist() == changed.answer.tolist()


@given(cases(), permutations, ties_of)
def test_renumbered_sources_and_queries_renumber_the_result(case: Case, order: random.Random, ties: TiePolicy) -> None:
    query_of, source_of = shuffled(case.query_count, order), shuffled(case.source_count, order)
    table = {(query_of[query], source_of[source]): answer for (query, source), answer in case.table.items()}
    result, changed = (
        estimate(case.votes(), "iwmv", ties=ties),
        estimate(replace(case, table=table).votes(), "iwmv", ties=ties),
    )
    np.testing.assert_allclose(changed.reliability[source_of], result.reliability)
    np.testing.assert_allclose(changed.lead[query_of], result.lead, atol=1e-9)
    assert changed.answer[query_of].tolist() == result.answer.tolist()
    assert changed.tied[query_of].tolist() == result.tied.tolist()


@given(cases(), permutations)
def test_answer_ids_do_not_matter_without_ties(case: Case, order: random.Random) -> None:
    """Every query renames its answers in its own way; where ties have no winner, ids decide nothing."""
    names = [shuffled(3, order) for _ in range(case.query_count)]
    table = {pair: names[pair[0]][answer] * 10**9 for pair, answer in case.table.items()}
    result = estimate(case.votes(), "iwmv", ties=TiePolicy.NO_ANSWER)
    changed = estimate(replace(case, table=table).votes(), "iwmv", ties=TiePolicy.NO_ANSWER)
    np.testing.assert_allclose(changed.reliability, result.reliability)
    renamed = [
        -1 if answer < 0 else names[query][answer] * 10**9 for query, answer in enumerate(result.answer.tolist())
    ]
    assert changed.answer.tolist() == renamed


@given(cases(), st.integers(1, 4), ties_of)
def test_queries_without_votes_change_nothing_else(case: Case, extra: int, ties: TiePolicy) -> None:
    result = estimate(case.votes(), "iwmv", ties=ties)
    longer = estimate(matrix(case.table, case.query_count + extra, case.source_count), "iwmv", ties=ties)
    assert longer.reliability.tolist() == result.reliability.tolist()
    assert longer.answer.tolist() == [*result.answer.tolist(), *[-1] * extra]
    assert longer.lead.tolist() == [*result.lead.tolist(), *[0] * extra]


@given(cases(), st.sampled_from(["iwmv", "majority"]), ties_of, negatives, st.integers(1, 5))
def test_results_stay_in_their_ranges(
    case: Case, method: str, ties: TiePolicy, negative: NegativeWeights, max_rounds: int
) -> None:
    result = estimate(case.votes(), method, ties=ties, negative_weights=negative, max_rounds=max_rounds)
    assert ((result.reliability >= 0) & (result.reliability <= 1)).all()
    assert ((result.lead >= 0) & (result.lead <= 1)).all()
    assert result.rounds <= max_rounds
    assert result.vote_count.sum() == len(case.table)
    voted_for = {(query, answer) for (query, _), answer in case.table.items()}
    assert all(pair in voted_for or pair[1] == -1 for pair in enumerate(result.answer.tolist()))
    if ties is not TiePolicy.NO_ANSWER:
        answered = {query for query, answer in enumerate(result.answer.tolist()) if answer >= 0}
        assert answered == {query for query, _ in case.table}


@given(st.integers(2, 6), st.integers(1, 6), st.integers(0, 2**62), ties_of, negatives)
def test_unanimous_sources_are_right(
    source_count: int, query_count: int, answer: int, ties: TiePolicy, negative: NegativeWeights
) -> None:
    table = {(query, source): answer for query in range(query_count) for source in range(source_count)}
    result = estimate(matrix(table, query_count, source_count), "iwmv", ties=ties, negative_weights=negative)
    assert result.reliability.tolist() == [1.0] * source_count
    assert result.answer.tolist() == [answer] * query_count
    assert result.lead.tolist() == [1.0] * query_count
    assert (result.converged, result.rounds) == (True, 2)


@given(st.dictionaries(st.integers(0, 5), st.integers(0, 9), min_size=1))
def test_a_single_source_has_weight_zero(answers: dict[int, int]) -> None:
    """With L = N = 1 its weight is 1 * 1 - 1 = 0, and so is every margin."""
    result = estimate(matrix({(query, 0): answer for query, answer in answers.items()}, 6, 1), "iwmv")
    assert result.answer.tolist() == [answers.get(query, -1) for query in range(6)]
    assert (result.reliability.tolist(), result.weight.tolist()) == ([1.0], [0.0])
    assert result.lead.tolist() == [0.0] * 6


@given(st.integers(0, 5), st.integers(0, 5), st.sampled_from(["iwmv", "majority"]))
def test_without_votes(query_count: int, source_count: int, method: str) -> None:
    result = estimate(matrix({}, query_count, source_count), method)
    assert (result.stop_reason, result.rounds, result.converged) == (StopReason.NO_VOTES, 0, True)
    assert result.reliability.tolist() == [1 / max(source_count, 1)] * source_count
    assert result.answer.tolist() == [-1] * query_count


@given(st.integers(2, 6), st.integers(1, 6), ties_of)
def test_without_any_agreement_all_queries_tie(source_count: int, query_count: int, ties: TiePolicy) -> None:
    """No two sources ever agree, so the first round ties everywhere."""
    table = {(query, source): source for query in range(query_count) for source in range(source_count)}
    result = estimate(matrix(table, query_count, source_count), "majority", ties=ties)
    assert result.tied.all()
    if ties is TiePolicy.NO_ANSWER:
        assert result.reliability.tolist() == [1 / source_count] * source_count
    else:
        assert result.reliability.tolist() == [1.0] + [0.0] * (source_count - 1)


def potential(result: Estimate) -> float:
    """What every step of the iteration maximises, with c = n * w inserted (see `methods.iwmv`)."""
    share, votes = result.reliability, result.vote_count
    return float((votes * (result.labels * share**2 / 2 - share)).sum())


@given(cases(answers=4), st.integers(1, 9), st.sampled_from([TiePolicy.SUPPORTERS, TiePolicy.SMALLEST_ID]))
def test_no_round_lowers_the_potential_and_nothing_oscillates(case: Case, labels: int, ties: TiePolicy) -> None:
    votes = case.votes()
    heights = [potential(estimate(votes, "iwmv", labels=labels, ties=ties, max_rounds=limit)) for limit in range(1, 8)]
    assert all(later >= earlier - 1e-9 for earlier, later in pairwise(heights))
    assert estimate(votes, "iwmv", labels=labels, ties=ties).converged
