"""What the estimator takes beside the votes: the state of the last run, publication times, near-duplicate passages.

Gold answers are used for audits by the method `oracle` only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from answering.equivalence import answer_key
from estimator import Estimate, PriorEvidence, QueryTopics, WarmStart, WrongAnswerMixture, estimate
from estimator.methods import method_named
from registry.errors import InvalidInput
from registry.estimation.near_duplicates import near_duplicate_evidence
from registry.inputs.estimations import EstimationParameters
from registry.models import Corpus, Query
from registry.store import estimations
from registry.store.reliabilities import current_run
from registry.store.votes import RunVotes, class_numbers

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class EstimatorInputs:
    """Optional inputs of `estimator.estimate`; None where there are none."""

    previous: WarmStart | None = None
    time: Floats | None = None
    """(V,) in the order of `votes.triples()`, NaN where unknown."""
    prior_evidence: PriorEvidence | None = None
    true_reliability: Floats | None = None
    topics: QueryTopics | None = None


def run_estimator(run_votes: RunVotes, parameters: EstimationParameters, inputs: EstimatorInputs) -> Estimate:
    """The estimate of a run. Pure computation, to be called in a thread."""
    return estimate(
        run_votes.votes,
        parameters.method,
        labels=parameters.labels,
        ties=parameters.ties,
        negative_weights=parameters.negative_weights,
        max_rounds=parameters.max_rounds,
        previous=inputs.previous,
        time=inputs.time,
        drift=parameters.drift,
        prior_evidence=inputs.prior_evidence,
        true_reliability=inputs.true_reliability,
        topics=inputs.topics,
    )


async def gather_inputs(
    session: AsyncSession, corpus: Corpus, parameters: EstimationParameters, run_votes: RunVotes
) -> EstimatorInputs:
    """The inputs that the method of a run uses. Raises `InvalidInput` for an audit without gold answers."""
    used = method_named(parameters.method).parameters
    by_gold = "true_reliability" in used
    return EstimatorInputs(
        previous=await _last_state(session, corpus, run_votes.source_ids) if "previous" in used else None,
        time=run_votes.time if "time" in used else None,
        prior_evidence=await near_duplicate_evidence(session, run_votes) if "prior_evidence" in used else None,
        true_reliability=await _gold_shares(session, corpus, parameters, run_votes) if by_gold else None,
    )


async def _last_state(session: AsyncSession, corpus: Corpus, source_ids: Sequence[UUID]) -> WarmStart | None:
    run = await current_run(session, corpus)
    if run is None or run.state is None:
        return None
    reliabilities = {row.source_id: row.reliability for row in await estimations.sources_of(session, run)}
    reliability = np.array([reliabilities.get(source_id, np.nan) for source_id in source_ids])
    mixture = WrongAnswerMixture(np.array(run.state["uniform"]), np.array(run.state["ewens"]))
    return WarmStart(reliability, mixture, run.state["newcomer"])


async def _gold_shares(
    session: AsyncSession, corpus: Corpus, parameters: EstimationParameters, run_votes: RunVotes
) -> Floats:
    """(N,) share of right votes on the queries with gold answers; the mean of all for a source without such votes."""
    rows = select(Query.id, Query.gold_answers).where(Query.corpus_id == corpus.id, Query.gold_answers.is_not(None))
    gold = {
        query_id: {answer_key(answer, parameters.class_policy) for answer in answers or ()}
        for query_id, answers in await session.execute(rows)
    }
    number = await class_numbers(session, run_votes, sorted(set().union(*gold.values())))
    right = [
        (index, number[key])
        for index, query_id in enumerate(run_votes.query_ids)
        for key in gold.get(query_id, ())
        if key in number
    ]
    has_gold = np.array([bool(gold.get(query_id)) for query_id in run_votes.query_ids])
    query, source, answer = run_votes.votes.triples()
    if not has_gold[query].any():
        raise InvalidInput("An audit by `oracle` needs votes on queries with gold answers, and there are none.")
    span = int(answer.max()) + 1
    verdict = np.isin(query * span + answer, [index * span + class_number for index, class_number in right])
    judged = np.bincount(source[has_gold[query]], minlength=len(run_votes.source_ids))
    agreed = np.bincount(source, verdict & has_gold[query], minlength=len(run_votes.source_ids))
    mean = agreed.sum() / judged.sum()
    shares: Floats = np.divide(agreed, judged, out=np.full(judged.size, mean), where=judged > 0)
    return shares
