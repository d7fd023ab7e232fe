"""Estimation runs: stage 1 of RA-RAG (arXiv:2410.22954, section 3.3). Resumable, and safe to run twice."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import structlog
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from estimator.errors import CredenceError
from estimator.identifiability import allow_for_misreadings
from registry.database.job_queue import Job, defer
from registry.database.locks import try_lock
from registry.errors import InvalidInput, Unavailable
from registry.estimation.collection import VoteCollector
from registry.estimation.estimator_inputs import gather_inputs, run_estimator
from registry.estimation.results import write_results
from registry.estimation.topics import gather_topics, write_topics
from registry.inputs.estimations import EstimationParameters
from registry.models import Corpus, EstimationRun, Query, RunStatus, Source, SourceStatus, Trigger
from registry.runtime import Runtime
from registry.store import estimations, events
from registry.store.votes import load_votes, mean_confidence

log = structlog.get_logger(__name__)

JOB = Job("estimate")


async def start(
    runtime: Runtime,
    corpus: Corpus,
    parameters: EstimationParameters,
    trigger: Trigger,
    schedule_id: UUID | None = None,
) -> EstimationRun:
    """Queue a run and its job in one transaction. Raises `Conflict` while another run of the corpus is active."""
    runtime.require_reader()
    async with runtime.database.begin() as session:
        run = await estimations.create(session, corpus, parameters, trigger, schedule_id)
        await defer(session, runtime.jobs, JOB, run.id)
    return run


async def run(runtime: Runtime, estimation_id: UUID) -> None:
    """Run a queued or interrupted run to its end; returns at once if it has ended or another worker has it.

    A failure is stored in the run. If the database is unavailable the run stays as it is and `Unavailable` is raised.
    """
    async with try_lock(runtime.database, f"estimation:{estimation_id}") as lock:
        if lock is None:
            log.info("estimation_held_elsewhere", estimation_id=str(estimation_id))
            return
        try:
            await _run(runtime, estimation_id)
        except Unavailable:
            raise
        except CredenceError as error:
            await _fail(runtime, estimation_id, error)
        except Exception:
            await _fail(
                runtime, estimation_id, "An unexpected error ended this run; the service's log has the details."
            )
            raise


async def _run(runtime: Runtime, estimation_id: UUID) -> None:
    inputs = await _begin(runtime, estimation_id)
    if inputs is None:
        return
    corpus, parameters, sources, queries = inputs
    source_ids = [source.id for source in sources]
    collector = VoteCollector(runtime, corpus, estimation_id, source_ids, parameters)
    if not await collector.collect(queries):
        await _end(runtime, estimation_id, RunStatus.CANCELLED)
        return
    async with runtime.database.begin() as session:
        run_votes = await load_votes(session, estimation_id, source_ids)
        estimator_inputs = await gather_inputs(session, corpus, parameters, run_votes)
        confidence = await mean_confidence(session, run_votes)
    topics = await gather_topics(runtime, parameters, run_votes)
    estimator_inputs = replace(estimator_inputs, topics=None if topics is None else topics.query_topics)
    estimate = await asyncio.to_thread(run_estimator, parameters, estimator_inputs)
    estimate = allow_for_misreadings(estimate, confidence)
    async with runtime.database.begin() as session:
        run = await session.get_one(EstimationRun, estimation_id, with_for_update=True)
        await write_results(session, run, sources, run_votes, estimator_inputs, estimate)
        if topics is not None and estimate.topics is not None:
            await write_topics(session, run, topics, estimate.topics)
        _close(session, run, RunStatus.SUCCEEDED)


async def _begin(
    runtime: Runtime, estimation_id: UUID
) -> tuple[Corpus, EstimationParameters, Sequence[Source], Sequence[Query]] | None:
    """Mark the run as running and load what it reads; None if it has ended or was cancelled while queued."""
    async with runtime.database.begin() as session:
        run = await session.get_one(EstimationRun, estimation_id, with_for_update=True)
        if RunStatus(run.status).ended:
            return None
        if run.cancel_requested:
            _close(session, run, RunStatus.CANCELLED)
            return None
        corpus = await session.get_one(Corpus, run.corpus_id)
        sources = await _active_sources(session, corpus)
        queries = await _active_queries(session, corpus)
        run.status = RunStatus.RUNNING
        run.started_at = run.started_at or datetime.now(UTC)
        run.reader = runtime.require_reader().name
        run.queries_total, run.sources_total = len(queries), len(sources)
        events.publish(session, run.id, RunStatus.RUNNING, {"queries": len(queries), "sources": len(sources)})
        parameters = EstimationParameters.model_validate(run.parameters)
    if not queries:
        raise InvalidInput(
            "This corpus has no active queries to estimate with. Add some, e.g. with `credence queries`."
        )
    if not sources:
        raise InvalidInput("This corpus has no active sources. Register some, e.g. with `credence sources add`.")
    return corpus, parameters, sources, queries


async def _active_sources(session: AsyncSession, corpus: Corpus) -> Sequence[Source]:
    rows = select(Source).where(Source.corpus_id == corpus.id, Source.status == SourceStatus.ACTIVE)
    return (await session.scalars(rows.order_by(Source.id))).all()


async def _active_queries(session: AsyncSession, corpus: Corpus) -> Sequence[Query]:
    rows = select(Query).where(Query.corpus_id == corpus.id, Query.active)
    return (await session.scalars(rows.order_by(Query.id))).all()


async def _fail(runtime: Runtime, estimation_id: UUID, reason: CredenceError | str) -> None:
    log.warning("estimation_failed", estimation_id=str(estimation_id), reason=reason)
    await _end(runtime, estimation_id, RunStatus.FAILED, str(reason))


async def _end(runtime: Runtime, estimation_id: UUID, status: RunStatus, reason: str | None = None) -> None:
    async with runtime.database.begin() as session:
        run = await session.get_one(EstimationRun, estimation_id, with_for_update=True)
        run.problem = {"detail": reason} if reason else None
        _close(session, run, status)


def _close(session: AsyncSession, run: EstimationRun, status: RunStatus) -> None:
    run.status, run.finished_at = status, datetime.now(UTC)
    events.publish(session, run.id, status, dict(run.problem or {}))
