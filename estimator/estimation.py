"""`estimate`: reliabilities and answers from votes alone, by any method; and what it says on a third of the queries.

An answer that changes when other queries are gone rests on few votes. Where most answers change, two opposite pictures
explain the votes about as well, such as a minority that lies together and an honest majority that errs apart, and the
queries that happen to be there choose one of them. The likelihood of one fit does not show that, and neither do samples
that stay around it.
"""

from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from estimator.arrays.readings import Statements, right_votes
from estimator.arrays.types import Floats, Integers, read_only
from estimator.copying.pairs import PriorEvidence
from estimator.drift import following_turns
from estimator.errors import EstimatorError
from estimator.identifiability import widened, with_systematic
from estimator.methods import DEFAULT_METHOD, Options, method_named
from estimator.methods.member import FEW_CHAINS, EstimationMethod
from estimator.policies import Drift, LabelCount, NegativeWeights, SilentSources, TiePolicy
from estimator.result import Estimate, WarmStart
from estimator.source_priors import SourcePriors
from estimator.topics.queries import QueryTopics
from estimator.votes import VoteMatrix

RUNS: Final = 12
PARTS: Final = 3
"""Into which the queries are divided for one of them to be kept. Thirds show more of the worlds in which liars are
about to win than four fifths, halves and fifths do at about the same cost (benchmarks/notes/poisoning.md)."""
FEWEST_QUERIES: Final = 60
"""Fewest queries with two votes or more; with fewer nothing is said, and no run has fewer. Among five honest sources,
runs on 20, 30 and 40 of 64 queries raise the doubt in 3, 2 and 1 of six worlds, on 60 in none
(benchmarks/notes/poisoning.md)."""
MOST_VOTES: Final = 300_000
"""Most votes with which separate runs are made: they take three to five times as long as the estimate."""

Refit = Callable[[VoteMatrix], Estimate]


def with_separate_runs(votes: VoteMatrix, estimate: Estimate, refit: Refit, gold: Integers | None = None) -> Estimate:
    """The estimate with the share of the separate runs that turn each answer, and with `turned` among its diagnostics:
    the largest share of its answers that one of them turns. `refit` estimates a part of the votes, from scratch; every
    part has the queries with a gold answer (M,), which is not -1.
    """
    contested = np.flatnonzero(np.bincount(votes.class_query, np.diff(votes.class_start), votes.query_count) > 1)
    if votes.vote_count > MOST_VOTES or contested.size < FEWEST_QUERIES:
        return estimate
    random, size = np.random.default_rng(0), max(contested.size // PARTS, FEWEST_QUERIES)
    runs, turned, largest = np.zeros(votes.query_count), np.zeros(votes.query_count), 0.0
    for _ in range(RUNS):
        kept = np.zeros(votes.query_count, dtype=np.bool_) if gold is None else gold >= 0
        kept[random.permutation(contested)[:size]] = True
        differs = kept & (refit(votes.of_queries(kept)[0]).answer != estimate.answer)
        runs, turned, largest = runs + kept, turned + differs, max(largest, np.count_nonzero(differs) / size)
    diagnostics = dict(estimate.diagnostics) | {"turned": largest}
    share = read_only(turned / np.maximum(runs, 1))
    return replace(estimate, turned=share, diagnostics=MappingProxyType(diagnostics))


def estimate(  # noqa: PLR0913 - each choice is a name the caller may set, and none needs setting
    votes: VoteMatrix,
    method: str = DEFAULT_METHOD,
    *,
    labels: int | LabelCount | None = None,
    ties: TiePolicy = TiePolicy.SUPPORTERS,
    negative_weights: NegativeWeights = NegativeWeights.KEEP,
    silent_sources: SilentSources = SilentSources.MEAN,
    max_rounds: int = 100,
    tolerance: float = 1e-9,
    true_reliability: ArrayLike | None = None,
    previous: Estimate | WarmStart | None = None,
    seed: int = 0,
    time: ArrayLike | None = None,
    drift: Drift = Drift.AUTO,
    prior_evidence: PriorEvidence | None = None,
    gold: ArrayLike | None = None,
    source_priors: SourcePriors | None = None,
    topics: QueryTopics | None = None,
    registered: ArrayLike | None = None,
    separate_runs: bool = False,
) -> Estimate:
    """Estimate how reliable N sources are and what the answers to M queries are, from V votes.

    `method` names a member of `methods.METHODS`, whose module says how it works, by default `auto`, as in the service;
    `iwmv` is that of RA-RAG. Parameters that it does not use are ignored. `labels` is L in the weight `L * w - 1`, a
    number or a policy, None being `LabelCount.SOURCES`; `ties`, `negative_weights` and `silent_sources` are policies
    too. Iterations stop after `max_rounds`, or when no reliability moves by more than `tolerance`. `true_reliability`
    (N,) is what `oracle` weighs by, and no other method takes it. `previous` is the estimate of fewer votes, or its
    `state`, to start from: sources keep their numbers, and new ones follow. `seed` fixes what sampling methods draw.
    `time` (V,) is when each vote was published, in the order of `votes.triples()`, NaN where unknown, and `drift`
    whether sources may turn with time; `prior_evidence` is what is known of copying outside the votes. `gold` (M,) are
    ids of right answers, -1 where unknown: votes on these queries are judged by them, and all are wrong where nobody
    gave the right one. `source_priors` is what is known of the sources before any vote. `topics` are given topics or
    embeddings of the queries, for reliabilities by topic. `registered` (N,) is when each source came, in any unit, such
    as days (`estimator.seniority`). `separate_runs` is whether to estimate twelve times more,
    each time on a third of the queries, to see which answers rest on few.

    Where votes may be misread (`VoteMatrix.with_misreadings`), `one_coin`, and `auto` where it takes it, tell errors of
    the reader from those of the sources.

    Raises EstimatorError for an unknown method and for parameters that are out of range or do not fit the votes.

    >>> votes = VoteMatrix.from_triples([0, 0, 0, 1], [0, 1, 2, 0], [4, 4, 9, 5], query_count=2, source_count=3)
    >>> result = estimate(votes, "iwmv")
    >>> result.answer.tolist(), result.reliability.tolist()
    ([4, 5], [1.0, 1.0, 0.0])
    """
    member = method_named(method)
    options = Options(
        labels=LabelCount.SOURCES if labels is None else labels,
        ties=TiePolicy(ties),
        negative_weights=NegativeWeights(negative_weights),
        silent_sources=SilentSources(silent_sources),
        max_rounds=max_rounds,
        tolerance=tolerance,
        true_reliability=_true_reliability(true_reliability, votes.source_count),
        previous=_warm_start(previous, votes.source_count) if "previous" in member.parameters else None,
        seed=seed,
        time=None if time is None else votes.times(time),
        drift=Drift(drift),
        prior_evidence=prior_evidence,
        gold=_gold(gold, votes.query_count) if "gold" in member.parameters else None,
        source_priors=_source_priors(source_priors, votes.source_count),
        topics=topics,
        registered=_registered(registered, votes.source_count),
    )
    if topics is not None and topics.query_count != votes.query_count:
        raise EstimatorError(f"topics are of {topics.query_count} queries; give them for all {votes.query_count}")
    if (true_reliability is not None) != ("true_reliability" in member.parameters):
        message = f"true_reliability belongs to methods that weigh by it, and {method} is given; give both or neither"
        raise EstimatorError(message)
    result = _following(votes, member.estimate(votes, options), member, options)
    if separate_runs and true_reliability is None and not result.histories:
        # Without topics in all votes there are none to look for in a part of them.
        topics = None if result.topics is None else options.topics
        anew = replace(options, previous=None, time=None, registered=None, topics=topics, most_chains=FEW_CHAINS)
        result = with_separate_runs(votes, result, lambda part: member.estimate(part, anew), options.gold)
    result = with_systematic(votes, replace(result, misread=misread_votes(votes, result, options.time)))
    return result if true_reliability is not None else widened(votes, result, options.gold)


def _following(votes: VoteMatrix, result: Estimate, member: EstimationMethod, options: Options) -> Estimate:
    """The result with sources that turned in periods, where the method looks for turns."""
    if options.time is None or options.drift is Drift.NONE or "drift" not in member.parameters:
        return result
    refitted = replace(options, time=None, prior_evidence=None, registered=None)

    def refit(parts: VoteMatrix, groups: Integers, start: WarmStart | None) -> Estimate:
        priors = options.source_priors and options.source_priors.extended(parts.source_count)
        return member.estimate(parts, replace(refitted, groups=groups, previous=start, source_priors=priors))

    return following_turns(votes, options.time, result, refit)


def _warm_start(previous: Estimate | WarmStart | None, source_count: int) -> WarmStart | None:
    """The last state, with sources that came since at the prior; None where the method kept none."""
    state = previous.state if isinstance(previous, Estimate) else previous
    if state is None:
        return None
    if state.reliability.size > source_count:
        message = (
            f"the previous estimate knows {state.reliability.size} sources; number new ones after them and drop none"
        )
        raise EstimatorError(message)
    reliability = np.full(source_count, np.nan)
    reliability[: state.reliability.size] = state.reliability
    return WarmStart(np.where(np.isnan(reliability), state.newcomer, reliability), state.mixture, state.newcomer)


def _gold(gold: ArrayLike | None, query_count: int) -> Integers | None:
    if gold is None:
        return None
    answers = np.asarray(gold)
    if answers.shape != (query_count,) or not np.issubdtype(answers.dtype, np.integer) or (answers < -1).any():
        message = f"gold must be an answer id, or -1 where unknown, for each of {query_count} queries"
        raise EstimatorError(message)
    return answers.astype(np.int64)


def _source_priors(priors: SourcePriors | None, source_count: int) -> SourcePriors | None:
    if priors is not None and priors.total.size != source_count:
        message = f"source_priors are those of {priors.total.size} sources; give one for each of {source_count}"
        raise EstimatorError(message)
    return priors


def _registered(times: ArrayLike | None, source_count: int) -> Floats | None:
    if times is None:
        return None
    registered = np.array(times, dtype=np.float64)
    if registered.shape != (source_count,) or not np.isfinite(registered).all():
        raise EstimatorError(f"registered must be a number for each of {source_count} sources")
    return registered


def _true_reliability(truth: ArrayLike | None, source_count: int) -> Floats | None:
    if truth is None:
        return None
    reliability = np.array(truth, dtype=np.float64)
    if reliability.shape != (source_count,):
        message = f"true_reliability has shape {reliability.shape}; give one number for each of {source_count} sources"
        raise EstimatorError(message)
    if not ((reliability >= 0) & (reliability <= 1)).all():
        raise EstimatorError("true_reliability must be shares from 0 to 1 without NaN")
    return reliability


def misread_votes(votes: VoteMatrix, result: Estimate, time: Floats | None = None) -> Floats | None:
    """(V,) probability that each vote is a misreading, by the estimate of all sources; None where no vote may be one,
    or the method does not tell. `time` (V,) is when each vote was published.
    """
    if votes.read is None or result.method != "one_coin":
        return None
    statements = Statements.of(votes.read, _reliability_of_votes(votes, result, time), 1 / result.labels)
    return read_only(statements.misread(right_votes(votes.table(), result.posterior)))


def _reliability_of_votes(votes: VoteMatrix, result: Estimate, time: Floats | None) -> Floats:
    """(V,) the reliability of the source of each vote, on the topic of its query and in the period of its time."""
    reliability = result.reliability[votes.source]
    if result.topics is not None:
        topic = result.topics.topics.query_topic[votes.class_query[votes.vote_class]]
        reliability = result.topics.reliability[votes.source, topic]
    if time is None:
        return reliability
    for history in result.histories:
        own = np.flatnonzero(votes.source == history.source)
        for period in history.periods[:-1]:
            there = own[(time[own] >= period.start) & (time[own] <= period.end)]
            reliability[there] = period.reliability
    return reliability
