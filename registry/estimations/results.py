"""Writes the results of an estimation run, all in one transaction, and warns of sources that turned."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np
import structlog

from estimator import Estimate
from estimator.methods import method_named
from estimator.result import CopyLink as EstimatedLink
from estimator.result import SourceHistory
from registry.estimations.estimator_inputs import EstimatorInputs, Floats, Integers
from registry.estimations.misreadings import misread_votes
from registry.estimations.model import EstimationRun, RunSource
from registry.estimations.store.votes import (
    RunVotes,
    Wordings,
    analyse_runs,
    class_wordings,
    store_misreadings,
    write_query_results,
)
from registry.estimations.topics.schemas import TopicReliability
from registry.events import store as events
from registry.platform.database.base import AsyncSession, Json
from registry.readings.store.misreadings import SUSPECTED
from registry.sources.model import Source
from registry.sources.schemas import CopyGroup, CopyLink, ReliabilityPeriod

log = structlog.get_logger(__name__)

SOURCE_TURNED: Final = "source_turned"
"""Kind of the event of a source that turned."""
LEAST_STORED: Final = 0.01
"""Most votes are less probably misread than this, and to write all of them would double what a run writes."""
MANY_SOURCES: Final = 1_000
"""Number of sources from which a join of a run's rows takes seconds if it is planned for few, as it is until Postgres
has analysed them, up to a minute later."""


async def write_results(
    session: AsyncSession,
    run: EstimationRun,
    sources: Sequence[Source],
    run_votes: RunVotes,
    inputs: EstimatorInputs,
    estimate: Estimate,
) -> Sequence[RunSource]:
    """Write the rows of sources and queries and complete the run; returns those of sources. The caller commits."""
    misread = await misread_votes(session, run_votes, inputs.votes, estimate)
    if misread is not None:
        await store_misreadings(session, run_votes, inputs.votes, misread, LEAST_STORED)
    rows = _source_rows(run, sources, run_votes, inputs, estimate, misread)
    session.add_all(rows)
    _publish_turns(session, run, rows)
    if len(rows) >= MANY_SOURCES:
        await session.flush()
        await analyse_runs(session)
    wordings = await class_wordings(session, run_votes, np.arange(len(run_votes.query_ids)), estimate.answer)
    await write_query_results(session, _query_rows(run, run_votes, inputs, estimate, wordings))
    run.gold_queries = 0 if inputs.gold is None else int((inputs.gold >= 0).sum())
    run.method, run.reason, run.doubt = estimate.method, estimate.reason or None, estimate.doubt
    run.labels, run.rounds = estimate.labels, estimate.rounds
    run.converged, run.stop_reason = estimate.converged, estimate.stop_reason
    run.prior, (run.prior_lower, run.prior_upper) = estimate.prior.mean, estimate.prior.interval()
    run.copy_groups = [group.model_dump(mode="json") for group in copy_groups(estimate, sources)]
    run.state = _state(estimate)
    return rows


def copy_groups(estimate: Estimate, sources: Sequence[Source]) -> list[CopyGroup]:
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
    run: EstimationRun,
    sources: Sequence[Source],
    run_votes: RunVotes,
    inputs: EstimatorInputs,
    estimate: Estimate,
    misread_probability: Floats | None,
) -> list[RunSource]:
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


def _publish_turns(session: AsyncSession, run: EstimationRun, rows: Sequence[RunSource]) -> None:
    """An event and a warning in the log for each source that turned."""
    for row in rows:
        if row.turned_at is None:
            continue
        previous, present = row.periods[-2:]
        alarm = {
            "source_id": str(row.source_id),
            "source_name": row.source_name,
            "turned_at": present["since"],
            "reliability_before": previous["reliability"],
            "reliability": present["reliability"],
            "log_odds": present["log_odds"],
        }
        events.publish(session, run.id, SOURCE_TURNED, alarm)
        log.warning(SOURCE_TURNED, estimation_id=str(run.id), **alarm)


def _query_rows(
    run: EstimationRun, run_votes: RunVotes, inputs: EstimatorInputs, estimate: Estimate, wordings: Wordings
) -> list[dict[str, object]]:
    topics: list[int | None] = [None] * len(run_votes.query_ids)
    if estimate.topics is not None:
        topics = estimate.topics.topics.query_topic.tolist()
    turned: list[float | None] = [None] * len(run_votes.query_ids)
    if estimate.turned is not None:
        turned = estimate.turned.tolist()
    columns = zip(
        run_votes.query_ids,
        estimate.answer.tolist(),
        estimate.lead.tolist(),
        estimate.tied.tolist(),
        turned,
        topics,
        strict=True,
    )
    return [
        {
            "estimation_id": run.id,
            "query_id": query_id,
            "answer": wordings.get((index, answer)),
            "lead": lead if answer >= 0 else None,
            "tied": tied,
            "turned": share,
            "topic": topic,
            "gold_used": inputs.gold is not None and bool(inputs.gold[index] >= 0),
        }
        for index, (query_id, answer, lead, tied, share, topic) in enumerate(columns)
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
