"""Estimates of benchmarks count as runs of the service do."""

from dataclasses import replace
from uuid import UUID

from benchmarks.estimated import reliabilities_of
from estimator import VoteMatrix, estimate
from estimator.result import JointDissent


def test_an_estimate_counts_as_in_the_service() -> None:
    """What dissents together is one, who never voted has the prior, and nothing is surer than the queries can show."""
    votes = VoteMatrix.from_triples([0, 0, 0, 1, 1, 1], [0, 1, 2] * 2, [0, 0, 1] * 2, query_count=2, source_count=4)
    result = replace(estimate(votes, "one_coin"), dissents=(JointDissent((0, 1), (0,), (0,), 9.0),))
    electorate = reliabilities_of(result).electorate()
    first, second, third, silent = (UUID(int=number) for number in range(4))
    assert electorate.copy_group(first) == electorate.copy_group(second) != electorate.copy_group(third)
    assert electorate.reliability(silent) == result.prior.mean
    assert electorate.surest == 0.75
