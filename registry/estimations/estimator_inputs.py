"""The inputs of the estimator beside the votes: the state of the last run, publication times, gold answers and ratings
of sources, and near-duplicate passages of different sources, as evidence of copying.

Gold answers are used by runs with `use_gold` and, for audits, by the method `oracle`, which leaves out those that the
current run was fitted on. Passages are compared by locality-sensitive hashing of their MinHash signatures (Broder 1997,
doi:10.1109/SEQUEN.1997.666900): only pairs that agree in all places of one band are compared in full.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln

from estimator import (
    Estimate,
    PriorEvidence,
    QueryTopics,
    SourcePriors,
    VoteMatrix,
    WarmStart,
    WrongAnswerMixture,
    estimate,
)
from estimator.methods import method_named
from registry.corpora.model import Corpus
from registry.documents.extraction import NEAR_DUPLICATE, PLACES, SIZE
from registry.estimations import store as estimations
from registry.estimations.gold_answers import GoldAnswers
from registry.estimations.model import EstimationRun
from registry.estimations.schemas import EstimationParameters
from registry.estimations.store.votes import RunVotes, copy_signatures
from registry.platform.database.base import AsyncSession
from registry.platform.errors import InvalidInput
from registry.sources.model import Rating, Source
from registry.sources.reliabilities import registration_day
from registry.sources.store.estimates import current_run, ratings_of

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Places = NDArray[np.uint32]
_HEADER, _TRAILER = 19, 2
_ROW: Final = np.dtype(
    [("fields", ">i2"), ("size", ">i4"), ("source", ">i8"), ("length", ">i4"), ("places", "<u4", (PLACES,))]
)
_BAND: Final = 4
# Pairs of passages that agree in a band, those first that few passages share: a bound of memory, not of judgement.
_MOST_PAIRS: Final = 500_000


@dataclass(frozen=True, slots=True, eq=False)
class EstimatorInputs:
    """The votes and the optional inputs of `estimator.estimate`."""

    votes: VoteMatrix
    """The votes, with all gold classes of a query as one if gold is used."""
    previous: WarmStart | None = None
    time: Floats | None = None
    """(V,) in the order of `votes.triples()`, NaN where unknown."""
    prior_evidence: PriorEvidence | None = None
    true_reliability: Floats | None = None
    topics: QueryTopics | None = None
    gold: Integers | None = None
    ratings: Mapping[UUID, Rating] = field(default_factory=dict)
    source_priors: SourcePriors | None = None
    registered: Floats | None = None
    """(N,) days on which the sources were registered."""


def run_estimator(parameters: EstimationParameters, inputs: EstimatorInputs) -> Estimate:
    """The estimate of a run, to be called in a thread: nothing but computation."""
    return estimate(
        inputs.votes,
        parameters.method,
        labels=parameters.label_count,
        ties=parameters.ties,
        negative_weights=parameters.negative_weights,
        max_rounds=parameters.max_rounds,
        previous=inputs.previous,
        time=inputs.time,
        drift=parameters.drift,
        prior_evidence=inputs.prior_evidence,
        true_reliability=inputs.true_reliability,
        topics=inputs.topics,
        gold=inputs.gold,
        source_priors=inputs.source_priors,
        registered=inputs.registered,
        separate_runs=True,
    )


async def gather_inputs(
    session: AsyncSession, corpus: Corpus, parameters: EstimationParameters, run_votes: RunVotes
) -> EstimatorInputs:
    """The inputs that the method of a run uses. Raises `InvalidInput` for an audit without gold answers."""
    used = method_named(parameters.method).parameters
    current = await current_run(session, corpus)
    gold = true_reliability = None
    if "true_reliability" in used:
        true_reliability = await _gold_shares(session, corpus, parameters, run_votes, current)
    if parameters.use_gold and "gold" in used:
        answers = await GoldAnswers.load(session, corpus, parameters.class_policy, run_votes)
        # Without any the run is, to the last bit, one that does not ask for them.
        if answers.has_gold.any():
            run_votes = answers.merged(run_votes)
            gold = answers.ids(run_votes.votes)
    # A run on queries of one origin does not depend on those that others asked.
    last = current if current and current.parameters.get("origin") == parameters.origin else None
    ratings = await ratings_of(session, run_votes.source_ids) if "source_priors" in used else {}
    return EstimatorInputs(
        votes=run_votes.votes,
        previous=await _last_state(session, last, run_votes, gold) if "previous" in used else None,
        time=run_votes.time if "time" in used else None,
        prior_evidence=await near_duplicate_evidence(session, run_votes) if "prior_evidence" in used else None,
        true_reliability=true_reliability,
        gold=gold,
        ratings=ratings,
        source_priors=_source_priors(ratings, run_votes.source_ids) if ratings else None,
    )


def registration_days(sources: Sequence[Source]) -> Floats:
    """(N,) days since 1970, see `registration_day`."""
    return np.array([registration_day(source.created_at) for source in sources])


async def _last_state(
    session: AsyncSession, run: EstimationRun | None, run_votes: RunVotes, gold: Integers | None
) -> WarmStart | None:
    """The state of the last run, unless it was fitted on gold answers that this run is not fitted on."""
    if run is None or run.state is None:
        return None
    if run.gold_queries:
        fitted_on = np.flatnonzero(gold >= 0).tolist() if gold is not None else []
        if await estimations.queries_fitted_on(session, run) - {run_votes.query_ids[index] for index in fitted_on}:
            return None
    reliabilities = {row.source_id: row.reliability for row in await estimations.sources_of(session, run)}
    reliability = np.array([reliabilities.get(source_id, np.nan) for source_id in run_votes.source_ids])
    mixture = WrongAnswerMixture(np.array(run.state["uniform"]), np.array(run.state["ewens"]))
    return WarmStart(reliability, mixture, run.state["newcomer"])


def _source_priors(ratings: Mapping[UUID, Rating], source_ids: Sequence[UUID]) -> SourcePriors:
    mean, strength = np.zeros(len(source_ids)), np.zeros(len(source_ids))
    for index, source_id in enumerate(source_ids):
        if source_id in ratings:
            mean[index], strength[index] = ratings[source_id].rating, ratings[source_id].strength
    return SourcePriors(mean, strength)


async def _gold_shares(
    session: AsyncSession,
    corpus: Corpus,
    parameters: EstimationParameters,
    run_votes: RunVotes,
    current: EstimationRun | None,
) -> Floats:
    """(N,) shares of right votes by gold answers that the current run was not fitted on."""
    excluded = await estimations.queries_fitted_on(session, current) if current else frozenset[UUID]()
    answers = await GoldAnswers.load(session, corpus, parameters.class_policy, run_votes, excluded)
    shares = answers.shares(run_votes)
    if np.isnan(shares).any():
        raise InvalidInput(
            "An audit by `oracle` needs votes on queries with gold answers that the current estimation was not fitted "
            "on, and there are none. Start an estimation with `use_gold` off first."
        )
    return shares


async def near_duplicate_evidence(session: AsyncSession, run_votes: RunVotes) -> PriorEvidence | None:
    """Log odds of copying for pairs of sources with near-duplicate passages; None if there are none."""
    received = await copy_signatures(session, run_votes, SIZE)
    rows = np.frombuffer(memoryview(received)[_HEADER:-_TRAILER], dtype=_ROW)
    return copy_log_odds(
        rows["source"].astype(np.int64), np.ascontiguousarray(rows["places"]), len(run_votes.source_ids)
    )


def copy_log_odds(source: Integers, places: Places, source_count: int) -> PriorEvidence | None:
    """Log odds of copying for pairs of sources, from the signatures (P, PLACES) of passages and their sources (P,).

    Of the n passages of the source that has fewer, d have a near-duplicate in the other. The log odds are the log Bayes
    factor of a share that is uniform over [0, 1], as a copier may have words of its own, against the share over all
    other pairs of sources with Laplace's rule, so that what everybody publishes is no evidence. Pairs whose log odds
    are not positive are left out.
    """
    first, second = near_duplicates(source, places)
    if not first.size:
        return None
    pair = np.minimum(source[first], source[second]) * source_count + np.maximum(source[first], source[second])
    low = np.where(source[first] < source[second], first, second)
    high = first + second - low
    names, pair_index = np.unique(pair, return_inverse=True)
    shared = np.minimum(_distinct(pair_index, low, names.size), _distinct(pair_index, high, names.size))
    left, right = np.divmod(names, source_count)
    published = np.bincount(source, minlength=source_count)
    fewer = np.minimum(published[left], published[right])
    of_all_pairs = int((np.sort(published)[::-1] * np.arange(source_count)).sum())
    by_chance = (shared.sum() - shared + 1) / (of_all_pairs - fewer + 2)
    independent = shared * np.log(by_chance) + (fewer - shared) * np.log1p(-by_chance)
    log_odds = betaln(shared + 1, fewer - shared + 1) - independent
    positive = log_odds > 0
    return PriorEvidence(left[positive], right[positive], log_odds[positive]) if positive.any() else None


def near_duplicates(source: Integers, places: Places) -> tuple[Integers, Integers]:
    """Distinct pairs of passages of different sources with similar signatures, as two arrays of positions."""
    candidates = [_equal_in_band(source, places[:, at : at + _BAND]) for at in range(0, PLACES, _BAND)]
    pairs = np.unique(np.concatenate(candidates), axis=0)
    similar = (places[pairs[:, 0]] == places[pairs[:, 1]]).mean(axis=1) >= NEAR_DUPLICATE
    return pairs[similar, 0], pairs[similar, 1]


def _equal_in_band(source: Integers, band: Places) -> Integers:
    """(Q, 2) pairs of passages of different sources that agree in all places of a band, the smaller position first."""
    order = np.lexsort(band.T)
    ordered = band[order]
    begins = np.flatnonzero(np.concatenate(([True], (ordered[1:] != ordered[:-1]).any(axis=1)))[: order.size])
    size = np.diff(begins, append=order.size)
    several, how_often = np.unique(size[size > 1], return_counts=True)
    rare = np.cumsum(how_often * several * (several - 1) // 2) <= _MOST_PAIRS
    pairs = [np.zeros((0, 2), dtype=np.int64)]
    for count in several[rare].tolist():
        together = order[begins[size == count][:, None] + np.arange(count)]
        first, second = np.triu_indices(count, 1)
        pairs.append(np.stack((together[:, first].ravel(), together[:, second].ravel()), axis=1))
    both = np.sort(np.concatenate(pairs), axis=1)
    apart: Integers = both[source[both[:, 0]] != source[both[:, 1]]]
    return apart


def _distinct(pair_index: Integers, passage: Integers, count: int) -> Integers:
    """(count,) number of distinct passages of each pair of sources."""
    pair = np.unique(np.stack((pair_index, passage)), axis=1)[0]
    return np.bincount(pair, minlength=count)
