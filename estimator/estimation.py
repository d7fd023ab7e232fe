"""Reliabilities and answers from votes alone, by any method."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from estimator.arrays.incremental_count import Counter
from estimator.arrays.vote_table import Ballot, Floats
from estimator.copying import expansion
from estimator.copying.collapse import collapse, group_votes
from estimator.copying.find import Dependence, find_copies
from estimator.copying.groups import copy_groups
from estimator.copying.witness import Witness
from estimator.errors import EstimatorError
from estimator.fixed_point import FixedPoint, Limits
from estimator.methods import bayes, confusion, model_choice, weighted_vote
from estimator.methods.belief import elect_by_probability, elect_by_weight
from estimator.methods.dawid_skene import SharedLabels
from estimator.methods.one_coin import State
from estimator.policies import LabelCount, Method, NegativeWeights, SilentSources, StopReason, TiePolicy
from estimator.result import Estimate
from estimator.votes import VoteMatrix


def estimate(  # noqa: PLR0913 - each choice is a name the caller may set, and none needs setting
    votes: VoteMatrix,
    method: Method = Method.IWMV,
    *,
    labels: int | LabelCount | None = None,
    ties: TiePolicy = TiePolicy.SUPPORTERS,
    negative_weights: NegativeWeights = NegativeWeights.KEEP,
    silent_sources: SilentSources = SilentSources.MEAN,
    max_rounds: int = 100,
    tolerance: float = 1e-9,
    true_reliability: ArrayLike | None = None,
    previous: Estimate | State | None = None,
    seed: int = 0,
    time: ArrayLike | None = None,
    witness: Witness | None = None,
) -> Estimate:
    """Estimate how reliable the sources are and what the answers are.

    Iterative weighted majority vote (Li & Yu 2014; RA-RAG section 3.3). From `v_i = 1`, repeat until no `w_i` moves
    by more than `tolerance`, or `max_rounds` times:

        1. `y_j = argmax_a sum_i v_i [vote_ij = a]` over the answers voted for;
        2. `w_i = sum_j [vote_ij = y_j] / |votes of i|` and `v_i = L * w_i - 1`;

    then `y_j` once more. `labels` is L, as a number or by a policy; None is `LabelCount.SOURCES`.
    `true_reliability` (N,) is what `Method.ORACLE` weighs by. Raises EstimatorError for parameters that mean nothing.

    Each step maximises `sum_i (L w_i - 1) c_i - L n_i w_i^2 / 2` (c_i votes for the winners, n_i votes) over the
    answers or over the reliabilities, so no round lowers it, and equal answers never come back: oscillation is
    possible only where `TiePolicy.NO_ANSWER` changes which votes are judged, or by rounding.

    `Method.AUTO` looks for sources that copy (`dependence.find_copies`, to which `time` (V,) and `witness` go) and
    hears each group of them once (`dependence.collapse`), then chooses among `bayes` and `confusion` by the evidence
    of the voices that are left (`choice`); `reason`, `groups` and `copies` of the result say what it did and why.
    Members are judged by the answers of all voices, each by its own votes (`voices`). Where nothing is disputed nobody
    is looked for, and where nobody is found it is the chosen model and no more, to the last bit.

    Models know no `labels`, `negative_weights` and `silent_sources`; `seed` fixes what they draw, and `bayes` starts
    from `previous`, the estimate of fewer votes by sources of the same numbers, or its state. Counting starts anew.
    """
    method, ties = Method(method), TiePolicy(ties)
    limits = _limits(max_rounds, tolerance)
    given = _true_reliability(method, true_reliability, votes.source_count)
    if method in {Method.AUTO, Method.BAYES, Method.CONFUSION}:
        start = _Start(_state(previous, votes), np.random.default_rng(seed))
        if method is Method.AUTO:
            return _by_voices(votes, find_copies(votes, time=time, witness=witness), ties, limits, start)
        return _by_model(votes, method, ties, limits, start)
    ballot = Ballot.of(votes)
    negative_weights = NegativeWeights(negative_weights)
    if labels is LabelCount.ESTIMATED:
        count = weighted_vote.estimated_labels(ballot, ties, negative_weights, limits)
    else:
        count = _labels(labels, votes)
    rules = weighted_vote.Rules(count, ties, negative_weights, SilentSources(silent_sources))
    counter = Counter(ballot, ties)
    if given is not None:
        end = FixedPoint(given, 1, StopReason.ONE_ROUND)
    else:
        end = weighted_vote.count_votes(counter, method, rules, limits)
    counted, decision = weighted_vote.believe(counter, method, rules, end)
    return elect_by_weight(votes, ballot, counted, decision)


@dataclass(frozen=True, slots=True, eq=False)
class _Start:
    """Where a model starts from."""

    state: State | None
    random: np.random.Generator


def _by_voices(votes: VoteMatrix, found: Dependence, ties: TiePolicy, limits: Limits, start: _Start) -> Estimate:
    """The better model of the voices that are left when a group counts once, told of every source."""
    copies = copy_groups(found)
    if copies:
        kept = group_votes(votes, found.groups)
        start = replace(start, state=expansion.of_groups(start.state, found.groups))
        heard = _by_model(collapse(votes, found.groups), Method.AUTO, ties, limits, start)
        result = expansion.of_sources(votes, kept, found.groups, copies, heard)
    else:
        result = _by_model(votes, Method.AUTO, ties, limits, start)
    return replace(result, reason=f"{result.reason}; {expansion.told(copies)}")


def _by_model(votes: VoteMatrix, method: Method, ties: TiePolicy, limits: Limits, start: _Start) -> Estimate:
    ballot, reason, fit = Ballot.of(votes), "", None
    if method is Method.CONFUSION and votes.vote_count:
        fit = model_choice.best_fit(SharedLabels.of(votes, ballot), limits)
    elif method is Method.AUTO:
        chosen = model_choice.choose(votes, ballot, limits)
        reason, fit = chosen.reason, chosen.fit
    indistinct: Floats | float = confusion.INDISTINCT
    if fit is not None:
        belief = confusion.believe(ballot, fit)
    else:
        belief, indistinct = bayes.believe(ballot, limits, start.state, start.random)
    return elect_by_probability(votes, ballot, replace(belief, reason=reason), ties, indistinct)


def _state(previous: Estimate | State | None, votes: VoteMatrix) -> State | None:
    """The last state, with sources that came since at the prior; None where the method kept none."""
    state = previous.state if isinstance(previous, Estimate) else previous
    if state is None:
        return None
    if state.reliability.size > votes.source_count:
        message = (
            f"the previous estimate knows {state.reliability.size} sources; number new ones after them and drop none"
        )
        raise EstimatorError(message)
    known = np.full(votes.source_count, np.nan)
    known[: state.reliability.size] = state.reliability
    return replace(state, reliability=np.where(np.isnan(known), state.newcomer, known))


def _labels(labels: int | LabelCount | None, votes: VoteMatrix) -> int:
    if labels is None or isinstance(labels, LabelCount):
        return max(votes.source_count, 1)
    if labels < 1:
        message = f"labels is {labels}; a query has at least 1 possible answer"
        raise EstimatorError(message)
    return labels


def _limits(max_rounds: int, tolerance: float) -> Limits:
    if max_rounds < 1:
        message = f"max_rounds is {max_rounds}; allow at least 1 round"
        raise EstimatorError(message)
    if not 0 <= tolerance < 1:
        message = f"tolerance is {tolerance}; give how far a reliability may still move, from 0 to below 1"
        raise EstimatorError(message)
    return Limits(max_rounds, tolerance)


def _true_reliability(method: Method, given: ArrayLike | None, source_count: int) -> Floats | None:
    if (given is not None) != (method is Method.ORACLE):
        message = "true_reliability belongs to Method.ORACLE and only to it; give both or neither"
        raise EstimatorError(message)
    if given is None:
        return None
    reliability = np.array(given, dtype=np.float64)
    if reliability.shape != (source_count,):
        message = f"true_reliability has shape {reliability.shape}; give one number for each of {source_count} sources"
        raise EstimatorError(message)
    if not ((reliability >= 0) & (reliability <= 1)).all():
        message = "true_reliability must be shares from 0 to 1 without NaN"
        raise EstimatorError(message)
    return reliability
