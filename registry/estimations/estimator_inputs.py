"""The inputs of the estimator: the votes of a run, the state of the last one, publication times, topics, gold answers
and ratings of sources, and near-duplicate passages of different sources, as evidence of copying.

Gold answers are used by runs with `use_gold` and, for audits, by the method `oracle`, which leaves out those that the
current run was fitted on.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Self
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from answering.equivalence import ClassPolicy, Joins, answer_key, classify
from estimator import (
    Estimate,
    PriorEvidence,
    SourcePriors,
    VoteMatrix,
    WarmStart,
    WrongAnswerMixture,
    estimate,
)
from estimator.copying.near_duplicates import near_duplicate_evidence
from estimator.identifiability import allow_for_misreadings
from estimator.methods import method_named
from registry.documents.extraction import NEAR_DUPLICATE, PLACES, SIZE
from registry.estimations import store as estimations
from registry.estimations.findings import RunTopics, gather_topics
from registry.estimations.schemas import EstimationParameters
from registry.estimations.store import votes as store
from registry.estimations.store.collection import RunContext
from registry.estimations.store.estimates import ListedVote, classes_of_answers, load_listed
from registry.estimations.store.votes import PreviousRun, RunVotes
from registry.platform.database.base import AsyncSession
from registry.platform.errors import InvalidInput
from registry.runtime import Runtime
from registry.sources.model import Rating, Source, registration_day

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
_HEADER, _TRAILER = 19, 2
_ROW: Final = np.dtype(
    [("fields", ">i2"), ("size", ">i4"), ("source", ">i8"), ("length", ">i4"), ("places", "<u4", (PLACES,))]
)


@dataclass(frozen=True, slots=True, eq=False)
class EstimatorInputs:
    """What a run estimates from: its N sources and votes, and the optional inputs of `estimator.estimate`."""

    sources: Sequence[Source]
    run_votes: RunVotes
    """The votes as they are stored."""
    votes: VoteMatrix
    """The votes, with all gold classes of a query as one if gold is used."""
    confidence: Floats
    """(N,) mean confidence of the reader in the votes of each source; 1 where the reader gives none."""
    listed: Sequence[ListedVote] = ()
    """The votes on queries to which several answers may be true."""
    previous: PreviousRun | None = None
    warm_start: WarmStart | None = None
    time: Floats | None = None
    """(V,) in the order of `votes.triples()`, NaN where unknown."""
    prior_evidence: PriorEvidence | None = None
    true_reliability: Floats | None = None
    topics: RunTopics | None = None
    gold: Integers | None = None
    ratings: Mapping[UUID, Rating] = field(default_factory=dict)
    source_priors: SourcePriors | None = None
    registered: Floats | None = None
    """(N,) days since 1970 on which the sources were registered."""


def run_estimator(parameters: EstimationParameters, inputs: EstimatorInputs) -> Estimate:
    """The estimate of a run, to be called in a thread: nothing but computation."""
    found = estimate(
        inputs.votes,
        parameters.method,
        labels=parameters.label_count,
        ties=parameters.ties,
        negative_weights=parameters.negative_weights,
        max_rounds=parameters.max_rounds,
        previous=inputs.warm_start,
        time=inputs.time,
        drift=parameters.drift,
        prior_evidence=inputs.prior_evidence,
        true_reliability=inputs.true_reliability,
        topics=None if inputs.topics is None else inputs.topics.query_topics,
        gold=inputs.gold,
        source_priors=inputs.source_priors,
        registered=inputs.registered,
        separate_runs=True,
    )
    return allow_for_misreadings(found, inputs.confidence)


async def gather_inputs(runtime: Runtime, context: RunContext) -> EstimatorInputs:
    """The inputs that the method of a run uses. Raises `InvalidInput` for an audit without gold answers, and what the
    embedder raises.
    """
    parameters = context.parameters
    used = method_named(parameters.method).parameters
    async with runtime.database.begin() as session:
        sources, ratings = await store.rated_sources(session, context.source_ids)
        run_votes = await store.load_votes(session, context.id, [source.id for source in sources])
        listed = await load_listed(session, run_votes) if run_votes.several else ()
        confidences = await store.mean_confidences(session, context.id)
        previous = await store.previous_estimates(session, context.id)
        true_reliability, gold, counted = None, None, run_votes
        if "true_reliability" in used:
            true_reliability = await _gold_shares(session, parameters, run_votes, previous)
        if parameters.use_gold and "gold" in used:
            answers = await GoldAnswers.load(session, parameters.class_policy, run_votes)
            # Without any the run is, to the last bit, one that does not ask for them.
            if answers.has_gold.any():
                counted = answers.merged(run_votes)
                gold = answers.ids(counted.votes)
        warm_start = await _last_state(session, parameters, previous, counted, gold) if "previous" in used else None
        copying = await copy_evidence(session, run_votes) if "prior_evidence" in used else None
    if "source_priors" not in used:
        ratings = {}
    return EstimatorInputs(
        sources=sources,
        run_votes=run_votes,
        votes=counted.votes,
        confidence=np.array([confidences.get(source.id, 1.0) for source in sources], dtype=np.float64),
        listed=listed,
        previous=previous,
        warm_start=warm_start,
        time=counted.time if "time" in used else None,
        prior_evidence=copying,
        true_reliability=true_reliability,
        topics=await gather_topics(runtime, parameters, run_votes) if "topics" in used else None,
        gold=gold,
        ratings=ratings,
        source_priors=_source_priors(ratings, run_votes.source_ids) if ratings else None,
        registered=np.array([registration_day(source.created_at) for source in sources]),
    )


async def _last_state(
    session: AsyncSession,
    parameters: EstimationParameters,
    previous: PreviousRun | None,
    run_votes: RunVotes,
    gold: Integers | None,
) -> WarmStart | None:
    """The state of the last run, unless it was fitted on gold answers that this run is not fitted on."""
    # A run on queries of one origin does not depend on those that others asked.
    if previous is None or previous.run.parameters.get("origin") != parameters.origin or previous.run.state is None:
        return None
    run, state = previous.run, previous.run.state
    if run.gold_queries:
        fitted_on = np.flatnonzero(gold >= 0).tolist() if gold is not None else []
        if await estimations.queries_fitted_on(session, run) - {run_votes.query_ids[index] for index in fitted_on}:
            return None
    former = (previous.sources.get(source_id) for source_id in run_votes.source_ids)
    reliability = np.array([np.nan if source is None else source.reliability for source in former])
    mixture = WrongAnswerMixture(np.array(state["uniform"]), np.array(state["ewens"]))
    return WarmStart(reliability, mixture, state["newcomer"])


def _source_priors(ratings: Mapping[UUID, Rating], source_ids: Sequence[UUID]) -> SourcePriors:
    mean, strength = np.zeros(len(source_ids)), np.zeros(len(source_ids))
    for index, source_id in enumerate(source_ids):
        if source_id in ratings:
            mean[index], strength[index] = ratings[source_id].rating, ratings[source_id].strength
    return SourcePriors(mean, strength)


async def _gold_shares(
    session: AsyncSession,
    parameters: EstimationParameters,
    run_votes: RunVotes,
    previous: PreviousRun | None,
) -> Floats:
    """(N,) shares of right votes by gold answers that the current run was not fitted on."""
    excluded = await estimations.queries_fitted_on(session, previous.run) if previous else frozenset[UUID]()
    answers = await GoldAnswers.load(session, parameters.class_policy, run_votes, excluded)
    shares = answers.shares(run_votes)
    if np.isnan(shares).any():
        raise InvalidInput(
            "An audit by `oracle` needs votes on queries with gold answers that the current estimation was not fitted "
            "on, and there are none. Start an estimation with `use_gold` off first."
        )
    return shares


async def copy_evidence(session: AsyncSession, run_votes: RunVotes) -> PriorEvidence | None:
    """Log odds of copying for pairs of sources with near-duplicate passages; None if there are none."""
    received = await store.copy_signatures(session, run_votes, SIZE)
    rows = np.frombuffer(memoryview(received)[_HEADER:-_TRAILER], dtype=_ROW)
    source, places = rows["source"].astype(np.int64), np.ascontiguousarray(rows["places"])
    return near_duplicate_evidence(source, places, len(run_votes.source_ids), NEAR_DUPLICATE)


@dataclass(frozen=True, slots=True, eq=False)
class GoldAnswers:
    """Gold answers to the M queries of a run."""

    has_gold: Flags
    """(M,)"""
    classes: Mapping[int, tuple[int, ...]]
    """The numbers of the right classes among those voted for, rising, by position of the query."""

    @classmethod
    async def load(
        cls,
        session: AsyncSession,
        policy: ClassPolicy,
        run_votes: RunVotes,
        excluded: Collection[UUID] = (),
    ) -> Self:
        """The gold answers to the queries of these votes, without those `excluded` and with several true answers."""
        excluded = {*excluded, *run_votes.several}
        judged = [row for row in await store.gold_answers(session, run_votes.estimation_id) if row[0] not in excluded]
        query_ids = {query_id for query_id, *_ in judged}
        joins_keys = policy.joins_keys
        voted = await classes_of_answers(session, run_votes.estimation_id, query_ids) if joins_keys else {}
        keys = {
            query_id: right_classes(answers, voted.get(query_id, {}), policy, question, joins)
            for query_id, question, answers, joins in judged
        }
        number = await store.class_numbers(session, run_votes, sorted(set().union(*keys.values())))
        votes = run_votes.votes
        voted_for = set(zip(votes.class_query.tolist(), votes.class_answer.tolist(), strict=True))
        classes = {
            position: tuple(sorted(number[key] for key in keys[query_id] if (position, number.get(key)) in voted_for))
            for position, query_id in enumerate(run_votes.query_ids)
            if keys.get(query_id)
        }
        has_gold = np.isin(np.arange(votes.query_count), list(classes))
        return cls(has_gold, classes)

    def merged(self, run_votes: RunVotes) -> RunVotes:
        """The votes with all right classes of a query as one, the first."""
        votes = run_votes.votes
        query, source, answer = votes.triples()
        start = np.searchsorted(query, np.arange(votes.query_count + 1))
        for position, numbers in self.classes.items():
            if len(numbers) > 1:
                answers = answer[start[position] : start[position + 1]]
                answers[np.isin(answers, numbers)] = numbers[0]
        counts = {"query_count": votes.query_count, "source_count": votes.source_count}
        time = None if run_votes.time is None else run_votes.time[np.lexsort((source, answer, query))]
        merged = VoteMatrix.from_triples(query, source, answer, **counts)
        if votes.read is not None:
            merged = merged.with_misreadings(1 - votes.read[np.lexsort((source, answer, query))])
        return replace(run_votes, votes=merged, time=time)

    def ids(self, votes: VoteMatrix) -> Integers:
        """(M,) the right class of `merged` votes, -1 where unknown; a class without votes where no vote is right."""
        gold = np.full(votes.query_count, -1)
        gold[self.has_gold] = int(votes.class_answer.max(initial=-1)) + 1
        for position, numbers in self.classes.items():
            if numbers:
                gold[position] = numbers[0]
        return gold

    def shares(self, run_votes: RunVotes) -> Floats:
        """(N,) share of right votes on the queries with gold; of all such votes for a source without; NaN if none."""
        votes = self.merged(run_votes).votes
        query, source, answer = votes.triples()
        judged = np.bincount(source[self.has_gold[query]], minlength=votes.source_count)
        agreed = np.bincount(source[answer == self.ids(votes)[query]], minlength=votes.source_count)
        mean = agreed.sum() / judged.sum() if judged.any() else np.nan
        shares: Floats = np.divide(agreed, judged, out=np.full(judged.size, mean), where=judged > 0)
        return shares


def right_classes(
    gold_answers: Sequence[str], voted: Mapping[str, str], policy: ClassPolicy, question: str, joins: Joins
) -> set[str]:
    """The classes of the gold answers, and those of votes for an answer, given by answer, that would be in one class
    with a gold answer, were that voted for too.

    The votes may be of a run from before the joins, or from before one was undone.
    """
    gold_answers = joins.with_joined(gold_answers, policy, question)
    right = {answer_key(answer, policy, question) for answer in gold_answers}
    return right | _joined(gold_answers, voted, policy, question) if policy.joins_keys else right


def _joined(gold_answers: Sequence[str], voted: Mapping[str, str], policy: ClassPolicy, question: str) -> set[str]:
    index = classify([*gold_answers, *voted], policy, question).index
    right = set(index[: len(gold_answers)])
    return {key for key, number in zip(voted.values(), index[len(gold_answers) :], strict=True) if number in right}
