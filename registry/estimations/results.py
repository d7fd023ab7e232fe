"""Writes the results of an estimation run, all in one transaction.

The probability that a vote is a misreading is seen again by the wording of its answer where the votes suspect it. To
the estimate every other answer is equally far from that of the run. A spelling of the same name or the number of
another year stands in the text, while a misreading is mostly unlike all that other sources say, and nobody shares it.
A logistic regression on three signs was fitted to 135 suspected votes, read by hand or by rules, of countries and web
results (the halves to develop on). On their other halves and the demo, 0.24, 0.80 and 0.34 of the suspected votes were
misreadings, and 0.57, 0.84 and 0.90 of those that stay suspected are, with 0.88, 0.66 and 0.75 of all misreadings.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np
from rapidfuzz import fuzz, process
from scipy.special import expit, logit

from estimator import Estimate
from estimator.arrays.types import Floats, Integers
from estimator.group_votes import supporting_groups
from estimator.methods import method_named
from estimator.result import CopyLink as EstimatedLink
from estimator.result import SourceHistory
from registry.estimations.estimator_inputs import EstimatorInputs
from registry.estimations.model import EstimationRun, RunSource
from registry.estimations.schemas import TopicReliability
from registry.estimations.store.estimates import analyse_runs
from registry.estimations.store.votes import Wordings, class_wordings, store_misreadings, write_query_results
from registry.platform.database.base import AsyncSession, Json
from registry.readings.store.misreadings import SUSPECTED
from registry.sources.model import Source
from registry.sources.schemas import CopyGroup, CopyLink, ReliabilityPeriod

LEAST_STORED: Final = 0.01
"""Most votes are less probably misread than this, and to write all of them would double what a run writes."""
MANY_SOURCES: Final = 1_000
"""Number of sources from which a join of a run's rows takes seconds if it is planned for few, as it is until Postgres
has analysed them, up to a minute later."""

# With half or double of each of the last three, at least 0.36 of the suspected are misread on every one of these sets.
_INTERCEPT: Final = 0.8
_OF_CONFIDENCE: Final = -1.5
_OF_LIKENESS: Final = -5.5
_OF_MAJORITY: Final = 1.5
_MOST_COMPARED: Final = 200
"""Answers to a query with which each is compared, those with the most votes."""


async def write_results(
    session: AsyncSession, run: EstimationRun, inputs: EstimatorInputs, estimate: Estimate
) -> Sequence[RunSource]:
    """Write the rows of sources and queries and complete the run; returns those of sources. The caller commits."""
    run_votes = inputs.run_votes
    misread = await _misread_votes(session, inputs, estimate)
    if misread is not None:
        await store_misreadings(session, run_votes, inputs.votes, misread, LEAST_STORED)
    rows = _source_rows(run, inputs, estimate, misread)
    session.add_all(rows)
    if len(rows) >= MANY_SOURCES:
        await session.flush()
        await analyse_runs(session)
    wordings = await class_wordings(session, run_votes, np.arange(len(run_votes.query_ids)), estimate.answer)
    await write_query_results(session, run.id, _query_rows(run, inputs, estimate, wordings))
    run.gold_queries = 0 if inputs.gold is None else int((inputs.gold >= 0).sum())
    run.method, run.reason, run.doubt = estimate.method, estimate.reason or None, estimate.doubt
    run.labels, run.rounds = estimate.labels, estimate.rounds
    run.converged, run.stop_reason = estimate.converged, estimate.stop_reason
    run.prior, (run.prior_lower, run.prior_upper) = estimate.prior.mean, estimate.prior.interval()
    run.copy_groups = [group.model_dump(mode="json") for group in _copy_groups(estimate, inputs.sources)]
    run.state = _state(estimate)
    return rows


def _copy_groups(estimate: Estimate, sources: Sequence[Source]) -> list[CopyGroup]:
    """The copy groups of an estimate; `sources` are in the order of its sources."""
    return [
        CopyGroup(
            source_ids=tuple(sources[member].id for member in group.members),
            source_names=tuple(sources[member].name for member in group.members),
            original_id=None if group.original is None else sources[group.original].id,
            log_odds=strongest.log_odds,
            agreement=strongest.agreement,
            explained=strongest.explained,
            overlap=strongest.overlap,
            shared_wrong=strongest.shared_wrong,
            expected=strongest.expected,
            copied_share=strongest.copied_share,
            links=tuple(_link(link, sources) for link in group.links),
        )
        for group in estimate.copies
        for strongest in group.links[:1]
    ]


def _link(link: EstimatedLink, sources: Sequence[Source]) -> CopyLink:
    return CopyLink(
        first_id=sources[link.first].id,
        second_id=sources[link.second].id,
        log_odds=link.log_odds,
        agreement=link.agreement,
        copied_share=link.copied_share,
        copier_id=None if link.copier is None else sources[link.copier].id,
    )


def _source_rows(
    run: EstimationRun, inputs: EstimatorInputs, estimate: Estimate, misread_probability: Floats | None
) -> list[RunSource]:
    sources, run_votes = inputs.sources, inputs.run_votes
    group_of = {member: number for number, group in enumerate(estimate.copies) for member in group.members}
    query, voter, answer = run_votes.votes.triples()
    agreements = np.bincount(voter[answer == estimate.answer[query]], minlength=len(sources))
    disputed = np.bincount(run_votes.votes.class_query, minlength=len(run_votes.query_ids)) > 1
    conflicts = np.bincount(voter[disputed[query]], minlength=len(sources))
    misread, read = _read_counts(inputs, estimate, misread_probability, len(sources))
    periods_of = {history.source: _periods(history) for history in estimate.histories}
    return [
        RunSource(
            estimation_id=run.id,
            source_id=source.id,
            source_name=source.name,
            reliability=float(estimate.reliability[index]),
            lower=float(estimate.lower[index]),
            upper=float(estimate.upper[index]),
            systematic=None if estimate.systematic is None else float(estimate.systematic[index]),
            weight=_weight(estimate, index, read),
            vote_count=int(estimate.vote_count[index]),
            abstention_count=run_votes.abstentions.get(source.id, 0),
            agreement_count=int(agreements[index]),
            conflict_count=int(conflicts[index]),
            misread_count=None if misread is None else int(misread[index]),
            read_share=None if read is None else float(read[index]),
            copy_group=group_of.get(index),
            turned_at=periods_of[index][-1].since if index in periods_of else None,
            periods=[period.model_dump(mode="json") for period in periods_of.get(index, ())],
            topics=[topic.model_dump(mode="json") for topic in _topics(estimate, index)],
            rating=inputs.ratings[source.id].rating if source.id in inputs.ratings else None,
            rating_strength=inputs.ratings[source.id].strength if source.id in inputs.ratings else None,
        )
        for index, source in enumerate(sources)
    ]


def _read_counts(
    inputs: EstimatorInputs, estimate: Estimate, misread: Floats | None, source_count: int
) -> tuple[Integers | None, Floats | None]:
    """The number of votes that look misread, and by the votes alone, as weights are, the expected share of those that
    do not, of every source (N,).
    """
    if estimate.misread is None or misread is None:
        return None, None
    source, votes = inputs.votes.source, np.maximum(estimate.vote_count, 1)
    suspected = np.bincount(source[misread >= SUSPECTED], minlength=source_count)
    unread = np.bincount(source, estimate.misread, minlength=source_count)
    return suspected, np.clip(1 - unread / votes, 0.0, 1.0)


def _weight(estimate: Estimate, source: int, read: Floats | None) -> float:
    """The weight of a vote of the source, below that of its statements if votes are misread."""
    if read is None:
        return float(estimate.weight[source])
    voting = float(estimate.reliability[source] * read[source] + (1 - read[source]) / estimate.labels)
    return method_named(estimate.method).vote_weight(voting, estimate.labels)


def _topics(estimate: Estimate, source: int) -> list[TopicReliability]:
    """The reliabilities of a source by topic; none without topics."""
    estimates = estimate.topics
    if estimates is None:
        return []
    return [
        TopicReliability(
            topic=topic,
            reliability=float(estimates.reliability[source, topic]),
            lower=float(estimates.lower[source, topic]),
            upper=float(estimates.upper[source, topic]),
            weight=float(estimates.weight[source, topic]),
            vote_count=int(estimates.vote_count[source, topic]),
        )
        for topic in range(estimates.topics.count)
    ]


def _periods(history: SourceHistory) -> list[ReliabilityPeriod]:
    return [
        ReliabilityPeriod(
            since=_date(period.start),
            until=_date(period.end),
            reliability=period.reliability,
            lower=period.lower,
            upper=period.upper,
            vote_count=period.vote_count,
            log_odds=period.log_odds,
        )
        for period in history.periods
    ]


def _date(milliseconds: float) -> datetime:
    return datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=milliseconds)


def _query_rows(
    run: EstimationRun, inputs: EstimatorInputs, estimate: Estimate, wordings: Wordings
) -> list[dict[str, object]]:
    none = [None] * len(inputs.run_votes.query_ids)
    turned = none if estimate.turned is None else estimate.turned.tolist()
    topics = none if estimate.topics is None else estimate.topics.topics.query_topic.tolist()
    return [
        {
            "estimation_id": run.id,
            "query_id": query_id,
            "answer": wordings.get((index, answer)),
            "lead": float(estimate.lead[index]) if answer >= 0 else None,
            "tied": bool(estimate.tied[index]),
            "turned": turned[index],
            "topic": topics[index],
            "gold_used": inputs.gold is not None and bool(inputs.gold[index] >= 0),
        }
        for index, (query_id, answer) in enumerate(
            zip(inputs.run_votes.query_ids, estimate.answer.tolist(), strict=True)
        )
    ]


def _state(estimate: Estimate) -> Json | None:
    """The state from which a later run starts, without the reliabilities."""
    if estimate.state is None:
        return None
    mixture = estimate.state.mixture
    return {
        "uniform": mixture.uniform.tolist(),
        "ewens": mixture.ewens.tolist(),
        "newcomer": estimate.state.newcomer,
    }


async def _misread_votes(session: AsyncSession, inputs: EstimatorInputs, estimate: Estimate) -> Floats | None:
    """(V,) the probabilities in the order of `inputs.votes.triples()`; None where the estimate has none."""
    votes = inputs.votes
    if estimate.misread is None or votes.read is None:
        return None
    suspected = np.flatnonzero(estimate.misread >= SUSPECTED)
    if not suspected.size:
        return estimate.misread
    of_vote = votes.vote_class[suspected]
    classes = np.flatnonzero(np.isin(votes.class_query, votes.class_query[of_vote]))
    query, answer = votes.class_query[classes].astype(np.int64), votes.class_answer[classes]
    wordings = await class_wordings(session, inputs.run_votes, query, answer)
    texts = [wordings.get(pair, "") for pair in zip(query.tolist(), answer.tolist(), strict=True)]
    likeness, majority = compared(query, texts, supporting_groups(votes, estimate.groups)[classes])
    place = np.searchsorted(classes, of_vote)
    probability = chance_misread(votes.read[suspected], likeness[place], majority[place])
    misread = estimate.misread.copy()
    # An answer that is alone with its query is compared with nothing.
    misread[suspected] = np.where(majority[place] > 0, probability, misread[suspected])
    return misread


def chance_misread(confidence: Floats, likeness: Floats, majority: Floats) -> Floats:
    """Of votes that the estimate suspects, given the reader's confidence and what `compared` says of their answers.

    >>> chance_misread(np.array([0.4, 0.4]), np.array([0.2, 0.8]), np.array([4.0, 4.0])).round(2).tolist()
    [0.92, 0.29]
    """
    sure = _OF_CONFIDENCE * logit(np.clip(confidence, 0.05, 0.95))
    with np.errstate(divide="ignore"):
        chance: Floats = expit(_INTERCEPT + sure + _OF_LIKENESS * likeness + _OF_MAJORITY * np.log(majority))
    return chance


def compared(query: Integers, texts: list[str], supporters: Integers) -> tuple[Floats, Floats]:
    """How like each of C answers is to the likest other one to its query, from 0 to 1, and how many times its own
    supporters another one has at most; 0 and 0 for the only answer. An answer of copies that count for another one has
    none, and counts as one. The queries (C,) are in order.

    >>> likeness, majority = compared(np.array([0, 0, 0]), ["Alger", "Algiers", "DZA"], np.array([1, 6, 1]))
    >>> likeness.round(1).tolist(), majority.round(1).tolist()
    ([0.8, 0.8, 0.2], [6.0, 0.2, 6.0])
    >>> compared(np.array([0, 0]), ["Oslo", "Bergen"], np.array([0, 3]))[1].tolist()
    [3.0, 0.0]
    """
    likeness, majority = np.zeros(query.size), np.zeros(query.size)
    for own in np.split(np.arange(query.size), np.flatnonzero(np.diff(query)) + 1):
        others = own[np.argsort(-supporters[own], kind="stable")[:_MOST_COMPARED]]
        distinct = own[:, None] != others
        words = [[texts[place] for place in places] for places in (own, others)]
        alike = process.cdist(*words, scorer=fuzz.ratio, processor=str.casefold)
        likeness[own] = (alike * distinct).max(axis=1) / 100
        majority[own] = (supporters[others] * distinct).max(axis=1) / np.maximum(supporters[own], 1)
    return likeness, majority
