"""The methods that count votes: the iterative weighted majority vote of the paper, and what it is compared with."""

from dataclasses import dataclass

import numpy as np

from estimator import prior
from estimator.arrays.incremental_count import Counter
from estimator.arrays.vote_table import Ballot, Decision, Floats
from estimator.fixed_point import FixedPoint, Limits, iterate
from estimator.methods.belief import Belief
from estimator.policies import Method, NegativeWeights, SilentSources, StopReason, TiePolicy
from estimator.votes import Integers

# L settles in two or three passes; it moves answers only where it moves by whole labels.
_LABEL_PASSES = 5


@dataclass(frozen=True, slots=True)
class Rules:
    """Counts to reliabilities, reliabilities to weights."""

    labels: int
    ties: TiePolicy
    negative_weights: NegativeWeights
    silent_sources: SilentSources

    def reliability(self, agreed: Floats, judged: Floats) -> Floats:
        """`w_i = agreed_i / judged_i`, and the policy's value where nothing was judged. All (N,)."""
        share = np.divide(agreed, judged, out=np.full_like(agreed, np.nan), where=judged > 0)
        heard = share[judged > 0]
        if self.silent_sources is SilentSources.UNKNOWN:
            return share
        if self.silent_sources is SilentSources.MEAN and heard.size:
            return np.where(judged > 0, share, heard.mean())
        return np.where(judged > 0, share, 1 / self.labels)

    def weight(self, reliability: Floats) -> Floats:
        """`v_i = L * w_i - 1`; an unknown reliability weighs 0. Both (N,)."""
        # The same in this form, except that a source exactly at chance weighs 0 and not 1e-16.
        weight = np.nan_to_num((reliability - 1 / self.labels) * self.labels, nan=0.0)
        return weight.clip(min=0.0) if self.negative_weights is NegativeWeights.ZERO else weight


def count_votes(counter: Counter, method: Method, rules: Rules, limits: Limits) -> FixedPoint:
    """Steps 1 and 2 of the paper until they change nothing, or once for the majority and for wawa."""
    first = rules.reliability(*counter.judge(np.ones_like(counter.ballot.turnout)))
    if method in {Method.MAJORITY, Method.WAWA}:
        return FixedPoint(first, 1, StopReason.ONE_ROUND)
    end = iterate(
        lambda reliability: rules.reliability(*counter.judge(rules.weight(reliability))),
        first,
        max_rounds=limits.max_rounds - 1,
        tolerance=limits.tolerance,
    )
    return FixedPoint(end.value, end.rounds + 1, end.stop_reason)


def vote_weights(method: Method, rules: Rules, reliability: Floats) -> Floats:
    """What the last vote weighs the sources by."""
    if method is Method.MAJORITY:
        return np.ones_like(reliability)
    if method is Method.WAWA:
        return np.nan_to_num(reliability, nan=0.0)
    return rules.weight(reliability)


def believe(counter: Counter, method: Method, rules: Rules, end: FixedPoint) -> tuple[Belief, Decision]:
    """Step 3 of the paper: the vote by the final weights, and intervals that take its answers for right."""
    weight = vote_weights(method, rules, end.value)
    agreed, judged = counter.judge(weight)
    fitted = prior.fit(agreed, judged)
    lower, upper = fitted.posterior_interval(agreed, judged)
    if method is Method.ORACLE:
        lower, upper = end.value.copy(), end.value.copy()
    belief = Belief(method, end.value, weight, lower, upper, fitted, end.rounds, end.stop_reason, rules.labels)
    return belief, counter.decide(weight)


def estimated_labels(ballot: Ballot, ties: TiePolicy, negative_weights: NegativeWeights, limits: Limits) -> int:
    """L for `LabelCount.ESTIMATED`: 1 + 1 / P(two losing votes on a query agree), given the answers that L itself
    leads to, from those of the majority on. Where no two votes ever lose on one query, the number of sources.
    """
    counter = Counter(ballot, ties)
    labels = _labels_given(ballot, counter.elect(np.ones_like(ballot.turnout)).winner)
    for _ in range(_LABEL_PASSES):
        rules = Rules(labels, ties, negative_weights, SilentSources.MEAN)
        reliability = count_votes(counter, Method.IWMV, rules, limits).value
        previous, labels = labels, _labels_given(ballot, counter.elect(rules.weight(reliability)).winner)
        if labels == previous:
            break
    return labels


def _labels_given(ballot: Ballot, winner: Integers) -> int:
    lost = ballot.supporters.astype(np.float64)
    lost[winner[winner >= 0]] = 0.0
    per_query = np.add.reduceat(lost, ballot.first) if lost.size else lost
    pairs, agreeing = (per_query * (per_query - 1)).sum(), (lost * (lost - 1)).sum()
    most = max(ballot.turnout.size, 2)
    return int(np.clip(round(1 + pairs / agreeing), 2, most)) if agreeing else most
