"""Estimation runs: stage 1 of RA-RAG (arXiv:2410.22954, section 3.3). Resumable, and safe to run twice.

One process runs an estimation: it cuts the run into pieces, reads some of them, as other workers do, waits for the
others and estimates from the votes of all. Whichever of them is the first to end the run ends it once.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import structlog

from estimator.errors import CredenceError
from registry.corpora.model import Corpus
from registry.estimations import findings
from registry.estimations import store as estimations
from registry.estimations.collection.plan import REUSED_READINGS, conditions, cut
from registry.estimations.collection.reading import VoteCollector
from registry.estimations.estimator_inputs import gather_inputs, run_estimator
from registry.estimations.model import EstimationRun, RunPiece
from registry.estimations.notifications import notify_of_failure
from registry.estimations.results import write_results
from registry.estimations.schemas import EstimationParameters
from registry.estimations.several import SeveralEstimate, write_several
from registry.estimations.store import collection, reuse
from registry.estimations.store.collection import RunContext, run_context
from registry.events import store as events
from registry.platform.database.base import AsyncSession
from registry.platform.database.engine import database_time
from registry.platform.database.job_queue import Job, defer
from registry.platform.database.locks import try_lock
from registry.platform.enums import QueryOrigin, RunStatus, Trigger
from registry.platform.errors import InvalidInput, Unavailable
from registry.platform.fields import require_settings_of_paper
from registry.queries.model import Query
from registry.runtime import Runtime

log = structlog.get_logger(__name__)

JOB = Job("estimate")
# Pieces that the process of a run reads at once: while one waits for its last readings, the other one has more.
PIECES_AT_ONCE = 2
# How often it looks whether the pieces of other workers are read.
POLL_SECONDS = 0.2


async def start(
    runtime: Runtime,
    corpus: Corpus,
    parameters: EstimationParameters,
    trigger: Trigger,
) -> EstimationRun:
    """Queue a run and its job in one transaction. Raises `Conflict` while another run of the corpus is active."""
    runtime.require_reader()
    if parameters.paper:
        require_settings_of_paper(runtime.settings)
    async with runtime.database.begin() as session:
        run = await estimations.create(session, corpus, parameters, trigger)
        await defer(session, runtime.jobs, JOB, run.id)
    return run


def parameters_again(run: EstimationRun) -> EstimationParameters:
    """The parameters of a run, for one that follows it; the corpus says whether it uses gold answers."""
    return EstimationParameters.model_validate(run.parameters | {"full": False, "use_gold": None})


async def run(runtime: Runtime, estimation_id: UUID) -> None:
    """Run a queued or interrupted run to its end; returns at once if it has ended or another worker has it.

    A failure is stored in the run. If the database is unavailable the run stays as it is and `Unavailable` is raised.
    Of its success webhooks are told by the job (`jobs`).
    """
    async with try_lock(runtime.database, f"estimation:{estimation_id}") as lock:
        if lock is None:
            log.info("estimation_held_elsewhere", estimation_id=str(estimation_id))
            return
        async with _failures_stored(runtime, estimation_id):
            context = await _begin(runtime, estimation_id)
            if context is None:
                return
            if await _read_all(runtime, context):
                await _estimate(runtime, context)
            else:
                await _end(runtime, estimation_id, RunStatus.CANCELLED)


async def read(runtime: Runtime, piece_id: UUID) -> None:
    """Read a piece of a run; returns at once if it is read, or its run has ended or reads under other settings.

    A failure ends the run, as in `run`.
    """
    async with runtime.database.begin() as session:
        piece = await session.get(RunPiece, piece_id)
        if piece is None:
            return
        run = await session.get_one(EstimationRun, piece.estimation_id)
        context = await run_context(session, run)
    if runtime.reader is None or runtime.reader.name != run.reader:
        log.warning("piece_of_another_reader", estimation_id=str(run.id), reader=run.reader)
        return
    if run.conditions not in {None, conditions(runtime, context.parameters)}:
        log.warning("piece_of_other_settings", estimation_id=str(run.id))
        return
    async with _failures_stored(runtime, run.id):
        await VoteCollector(runtime, context).collect(piece)


async def fail_piece(runtime: Runtime, piece_id: UUID, reason: str) -> None:
    """End the run of a piece as failed, unless it is read."""
    async with runtime.database.begin() as session:
        piece = await session.get(RunPiece, piece_id)
    if piece is not None:
        await fail(runtime, piece.estimation_id, reason)


async def _read_all(runtime: Runtime, context: RunContext) -> bool:
    """Read pieces until none is left here or elsewhere. Returns False if the run ended meanwhile."""
    collector = VoteCollector(runtime, context)
    if context.parameters.origin in {None, QueryOrigin.VOTES} and not await collector.copy_imported():
        return False
    async with runtime.database.begin() as session:
        queries = await collection.queries_left(session, context.id)
    if queries:
        await collector.forecast(queries)
    while True:
        async with runtime.database.begin() as session:
            await collection.queue_pieces(session, runtime.jobs, context.id)
        if not await collector.collect(at_once=PIECES_AT_ONCE):
            return False
        async with runtime.database.begin() as session:
            if not await collection.pieces_left(session, context.id):
                return True
        await asyncio.sleep(POLL_SECONDS)


async def _estimate(runtime: Runtime, context: RunContext) -> None:
    async with runtime.database.begin() as session:
        await collection.mark_several(session, context.id)
    inputs = await gather_inputs(runtime, context)
    estimate = await asyncio.to_thread(run_estimator, context.parameters, inputs)
    several = None
    if inputs.listed:
        policy = context.parameters.class_policy
        several = await asyncio.to_thread(SeveralEstimate.of, inputs.listed, policy, inputs.run_votes)
    async with runtime.database.begin() as session:
        run = await session.get_one(EstimationRun, context.id, with_for_update=True)
        rows = await write_results(session, run, inputs, estimate)
        findings.publish_turns(session, run, rows)
        await findings.write_dissents(session, run, inputs.sources, inputs.run_votes, estimate)
        if inputs.topics is not None and estimate.topics is not None:
            await findings.write_topics(session, run, inputs.topics, estimate.topics)
        if several is not None:
            # The last: it changes the classes of votes, by whose order those of the others are numbered.
            await write_several(session, run, rows, inputs.run_votes, estimate, several)
        findings.write_alerts(run, rows, inputs.previous)
        await _close(session, run, RunStatus.SUCCEEDED)


async def _begin(runtime: Runtime, estimation_id: UUID) -> RunContext | None:
    """Mark the run as running, and cut it unless it is cut; None if it has ended or was cancelled."""
    async with runtime.database.begin() as session:
        run = await session.get_one(EstimationRun, estimation_id, with_for_update=True)
        if RunStatus(run.status).ended:
            return None
        if run.cancel_requested:
            await _close(session, run, RunStatus.CANCELLED)
            return None
        run.status = RunStatus.RUNNING
        # By the clock of the documents.
        run.started_at = run.started_at or await database_time(session)
        run.reader = runtime.require_reader().name
        context = await run_context(session, run)
        present = conditions(runtime, context.parameters)
        if not context.source_ids:
            run.conditions = present
            context = await _cut(session, run, context)
        elif run.conditions != present:
            # It was begun under other settings: no votes are reused any more, nor will be of it.
            run.conditions = run.reused_run_id = None
            context = replace(context, reused_run_id=None)
        events.publish(session, run.id, RunStatus.RUNNING, {"queries": run.queries_total, "sources": run.sources_total})
    if not run.queries_total:
        raise InvalidInput(
            "This corpus has no active queries to estimate with. Add some, or have some written from its documents."
        )
    if not run.sources_total:
        raise InvalidInput("This corpus has no active sources. Register some, or add documents.")
    return context


async def _cut(session: AsyncSession, run: EstimationRun, context: RunContext) -> RunContext:
    """Fix the sources and the queries of the run, and the run whose votes it reuses; returns its context."""
    source_ids, run.corpus_state = await collection.corpus_state(session, context.corpus, context.began)
    active = await collection.queries_to_read(session, context.corpus, context.parameters.origin)
    run.source_ids = source_ids
    run.sources_total, run.queries_total = len(source_ids), len(active)
    if not context.parameters.full:
        run.reused_run_id = await collection.reusable_run(session, run)
    context = await run_context(session, run)
    # Imported votes are copied (`VoteCollector.copy_imported`).
    read = [query for query in active if query.origin != QueryOrigin.VOTES]
    session.add_all(await _pieces(session, context, read))
    return context


async def _pieces(session: AsyncSession, context: RunContext, queries: Sequence[Query]) -> list[RunPiece]:
    """The pieces of a run, each of queries that take about as long."""
    earlier, count = context.reused_run_id, len(context.source_ids)
    if earlier is None:
        return cut(context.id, queries, count)
    known_ids = await reuse.known_queries(session, earlier, {query.id: query.text for query in queries})
    known, others = ([query for query in queries if (query.id in known_ids) is known] for known in (True, False))
    reused = cut(context.id, known, count, readings=REUSED_READINGS, part_left=1)
    return reused + cut(context.id, others, count)


@asynccontextmanager
async def _failures_stored(runtime: Runtime, estimation_id: UUID) -> AsyncIterator[None]:
    """End the run as failed where the block fails.

    If the database is unavailable the run stays as it is and `Unavailable` is raised, as are unexpected errors.
    """
    try:
        yield
    except Unavailable:
        raise
    except CredenceError as error:
        await fail(runtime, estimation_id, error)
    except Exception:
        await fail(runtime, estimation_id, "An unexpected error ended this run; the service's log has the details.")
        raise


async def _end(runtime: Runtime, estimation_id: UUID, status: RunStatus, reason: str | None = None) -> None:
    async with runtime.database.begin() as session:
        run = await session.get_one(EstimationRun, estimation_id, with_for_update=True)
        if not RunStatus(run.status).ended:
            run.problem = {"detail": reason} if reason else None
            await _close(session, run, status)
            if status is RunStatus.FAILED:
                await notify_of_failure(session, runtime.jobs, run)


async def _close(session: AsyncSession, run: EstimationRun, status: RunStatus) -> None:
    """End the run, whose row is locked."""
    run.status, run.finished_at = status, datetime.now(UTC)
    await collection.drop_pieces(session, run.id)
    events.publish(session, run.id, status, dict(run.problem or {}))


async def fail(runtime: Runtime, estimation_id: UUID, reason: CredenceError | str) -> None:
    """End a run as failed, unless it has ended."""
    # An error is logged without what it quotes.
    log.warning("estimation_failed", estimation_id=str(estimation_id), reason=reason)
    await _end(runtime, estimation_id, RunStatus.FAILED, str(reason))
