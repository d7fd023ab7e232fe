"""Stage 1 of RA-RAG: collect the votes, estimate the reliabilities, store the run. Resumable and idempotent."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

import structlog
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from estimator.errors import CredenceError
from registry.database import job_queue
from registry.database.locks import try_lock
from registry.errors import InvalidInput, Unavailable
from registry.estimation import evidence, results
from registry.estimation.collection import VoteCollector
from registry.inputs.estimations import EstimationParameters
from registry.models import Corpus, EstimationRun, Query, RunStatus, Source, SourceStatus, Trigger
from registry.runtime import Runtime
from registry.store import estimations, events
from registry.store.votes import load_tally

log = structlog.get_logger(__name__)


async def start(
    runtime: Runtime,
    corpus: Corpus,
    parameters: EstimationParameters,
    trigger: Trigger,
    schedule_id: UUID | None = None,
) -> EstimationRun:
    """Queue a run, with its job, in one transaction. Raises `Conflict` while another run is under way."""
    runtime.require_reader()
    async with runtime.database.begin() as session:
        run = await estimations.create(session, corpus, parameters, trigger, schedule_id)
        await job_queue.defer(session, runtime.jobs, job_queue.ESTIMATE, run.id)
    return run


async def run(runtime: Runtime, estimation_id: UUID) -> None:
    """Bring a queued or interrupted run to its end; does nothing for one that has ended or that another worker holds.

    What goes wrong is stored in the run. Only if the database fails the run stays as it is, to be taken up again.
    """
    async with try_lock(runtime.database, f"estimation:{estimation_id}") as lock:
        if lock is None:
            log.info("estimation_held_elsewhere", estimation_id=str(estimation_id))
            return
        try:
            await _work(runtime, estimation_id)
        except Unavailable:
            raise
        except CredenceError as error:
            await _fail(runtime, estimation_id, str(error))
        except Exception:
            await _fail(
                runtime, estimation_id, "An unexpected error ended this run; the service's log has the details."
            )
            raise


async def _work(runtime: Runtime, estimation_id: UUID) -> None:
    begun = await _begin(runtime, estimation_id)
    if begun is None:
        return
    corpus, parameters, sources, queries = begun
    source_ids = [source.id for source in sources]
    collector = VoteCollector(runtime, corpus, estimation_id, source_ids, parameters.class_policy)
    if not await collector.collect(queries):
        await _end(runtime, estimation_id, RunStatus.CANCELLED)
        return
    async with runtime.database.begin() as session:
        tally = await load_tally(session, estimation_id, source_ids)
        known = await evidence.gather(session, corpus, parameters, tally)
    found = await asyncio.to_thread(evidence.compute, tally, parameters, known)
    async with runtime.database.begin() as session:
        run = await session.get_one(EstimationRun, estimation_id, with_for_update=True)
        await results.write(session, run, sources, tally, found)
        _close(session, run, RunStatus.SUCCEEDED)


async def _begin(
    runtime: Runtime, estimation_id: UUID
) -> tuple[Corpus, EstimationParameters, Sequence[Source], Sequence[Query]] | None:
    """Mark the run as running and take stock of what it reads; None if it has ended or was cancelled while queued."""
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


async def _fail(runtime: Runtime, estimation_id: UUID, why: str) -> None:
    log.warning("estimation_failed", estimation_id=str(estimation_id), why=why)
    await _end(runtime, estimation_id, RunStatus.FAILED, why)


async def _end(runtime: Runtime, estimation_id: UUID, status: RunStatus, why: str | None = None) -> None:
    async with runtime.database.begin() as session:
        run = await session.get_one(EstimationRun, estimation_id, with_for_update=True)
        run.problem = {"detail": why} if why else None
        _close(session, run, status)


def _close(session: AsyncSession, run: EstimationRun, status: RunStatus) -> None:
    run.status, run.finished_at = status, datetime.now(UTC)
    events.publish(session, run.id, status, dict(run.problem or {}))
