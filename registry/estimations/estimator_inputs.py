"""The inputs of the estimator beside the votes: the state of the last run, publication times, near-duplicate passages,
gold answers and ratings of sources.

Gold answers are used by runs with `use_gold` and, for audits, by the method `oracle`, which leaves out those that the
current run was fitted on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

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
from registry.estimations import store as estimations
from registry.estimations.gold_answers import GoldAnswers
from registry.estimations.model import EstimationRun
from registry.estimations.near_duplicates import near_duplicate_evidence
from registry.estimations.schemas import EstimationParameters
from registry.estimations.store.votes import RunVotes
from registry.platform.database.base import AsyncSession
from registry.platform.errors import InvalidInput
from registry.sources.model import Rating
from registry.sources.store.estimates import current_run
from registry.sources.store.ratings import of_sources

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


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

    @property
    def gold_used(self) -> Flags:
        """(M,) whether the query has gold that the estimate is fitted on."""
        return np.zeros(self.votes.query_count, dtype=np.bool_) if self.gold is None else self.gold >= 0


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
    ratings = await of_sources(session, run_votes.source_ids) if "source_priors" in used else {}
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
