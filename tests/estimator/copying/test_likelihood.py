"""The likelihood of the votes under a partition, against a loop over votes."""

from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.copying.collapse import group_votes
from estimator.copying.grouping import renumbered
from estimator.copying.layout import QueryClasses
from estimator.copying.likelihood import Parameters, PartitionVotes, _e_step, log_likelihood
from estimator.copying.truth import by_reliability
from tests.estimator.copying.scenarios import copied
from tests.estimator.tables import Case, cases


@given(cases(answers=3), st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_e_step_agrees_with_a_loop_over_votes(case: Case, seed: int) -> None:
    """Every query is summed over which answer is right and how hard it is."""
    votes, random = case.votes(), np.random.default_rng(seed)
    if not votes.vote_count:
        return
    groups = renumbered(random.integers(3, size=votes.source_count))
    classes, collapsed = QueryClasses.of(votes), group_votes(votes, groups)
    layout = PartitionVotes.of(votes, classes, groups, collapsed)
    parameters = Parameters(
        ability=random.normal(size=collapsed.group_count),
        hardness=random.dirichlet(np.ones(3)),
        concentration=float(random.uniform(0.1, 2)),
        popularity=random.random(votes.class_count),
        copy_rate=random.uniform(0.1, 0.9, votes.source_count),
        own_reliability=random.uniform(0.1, 0.9, votes.source_count),
    )
    posterior = _e_step(layout, parameters)
    expected = [_of_query(layout, parameters, query) for query in range(classes.first.size)]
    assert posterior.log_likelihood == pytest.approx(sum(log(sum(joint.values())) for joint in expected))
    for answer, right in enumerate(posterior.right.tolist()):
        joint = expected[int(classes.row[answer])]
        assert right == pytest.approx(sum(joint[answer, level] for level in range(3)) / sum(joint.values()))


def _of_query(layout: PartitionVotes, parameters: Parameters, query: int) -> dict[tuple[int, int], float]:
    """Probability of the votes on a query by right class, -1 for an answer nobody gave, and by hardness."""
    classes = np.flatnonzero(layout.classes.row == query).tolist()
    unseen = layout.wrong_answers + 1 - len(classes)
    joint = {}
    for truth in [*classes, -1]:
        for level, hardness in enumerate((-1.5, 0.0, 1.5)):
            probability = (
                parameters.hardness[level] * (max(unseen, 0.0) if truth < 0 else 1) / (layout.wrong_answers + 1)
            )
            drawn = dict.fromkeys(classes, 0)
            for answer, group in zip(
                layout.collapsed.vote_class.tolist(), layout.collapsed.group.tolist(), strict=True
            ):
                if answer in drawn:
                    ability = 1 / (1 + exp(hardness - parameters.ability[group]))
                    probability *= (
                        ability if answer == truth else (1 - ability) * _urn(layout, parameters, drawn, answer)
                    )
                    drawn[answer] += answer != truth
            members = zip(layout.vote_class.tolist(), layout.source.tolist(), layout.follows.tolist(), strict=True)
            for answer, source, follows in members:
                if answer in drawn:
                    right = parameters.own_reliability[source]
                    own = right if answer == truth else (1 - right) * parameters.popularity[answer]
                    probability *= parameters.copy_rate[source] * follows + (1 - parameters.copy_rate[source]) * own
            joint[truth, level] = float(probability)
    return joint


def _urn(layout: PartitionVotes, parameters: Parameters, drawn: dict[int, int], answer: int) -> float:
    """Probability of a wrong answer after those that were drawn before it (Polya's urn)."""
    before = sum(drawn.values())
    spread = parameters.concentration * layout.wrong_answers
    return (parameters.concentration + drawn[answer]) / (spread + before)


def test_exact_copies_are_likelier_as_one_group() -> None:
    sample = copied(4, query_count=300)
    votes, classes = sample.votes, QueryClasses.of(sample.votes)
    apart, together = np.arange(10), sample.groups
    score = {}
    for name, groups in (("apart", apart), ("together", renumbered(together))):
        collapsed = group_votes(votes, groups)
        score[name] = log_likelihood(votes, classes, groups, collapsed, by_reliability(classes, collapsed))
    assert score["together"] > score["apart"] + 60
