"""Generations of queries: queued, and run to the end by a job or in this process."""

from datetime import UTC, datetime
from uuid import UUID

import structlog

from answering.enums import ClassPolicy
from estimator.errors import CredenceError
from registry.corpora.model import Corpus
from registry.estimations import service as estimation
from registry.estimations import store as estimations
from registry.estimations.schemas import EstimationParameters
from registry.estimations.store.collection import queries_to_read
from registry.platform.database.base import AsyncSession
from registry.platform.database.job_queue import Job, defer
from registry.platform.database.locks import try_lock
from registry.platform.enums import RunStatus, Trigger
from registry.platform.errors import Conflict, InvalidInput, Unavailable
from registry.query_generations import store
from registry.query_generations.agreement import Preferences
from registry.query_generations.generation import Generation
from registry.query_generations.known_queries import KnownQueries
from registry.query_generations.model import QueryGeneration
from registry.query_generations.schemas import GenerationParameters
from registry.readings.service import SourceReader, only_candidates
from registry.runtime import Runtime
from registry.schedules.store import GENERATION
from registry.sources.store.estimates import current_run

log = structlog.get_logger(__name__)

# Answers and estimations, for which somebody waits, go first.
JOB = Job(GENERATION, priority=-1)


async def start(runtime: Runtime, corpus: Corpus, parameters: GenerationParameters) -> QueryGeneration:
    """Queue a generation.

    Raises `Conflict` while one of the corpus is not done, `SettingsError` without a reader, or without a language model
    that is wanted.
    """
    _require_models(runtime, parameters)
    async with runtime.database.begin() as session:
        generation = await store.create(session, corpus, parameters)
        await defer(session, runtime.jobs, JOB, generation.id)
    return generation


async def run_now(runtime: Runtime, corpus: Corpus, parameters: GenerationParameters) -> QueryGeneration:
    """Run a generation in this process: the one that is not done, with its own parameters, else a new one.

    Raises `Conflict` while another process runs it, `SettingsError` without a reader.
    """
    _require_models(runtime, parameters)
    async with runtime.database.begin() as session:
        newest = await store.newest(session, corpus)
        is_left = newest is not None and not RunStatus(newest.status).ended
        generation = newest if newest is not None and is_left else await store.create(session, corpus, parameters)
    if not await run(runtime, generation.id):
        raise Conflict("Another process is generating these queries.")
    async with runtime.database.begin() as session:
        return await session.get_one(QueryGeneration, generation.id)


def _require_models(runtime: Runtime, parameters: GenerationParameters) -> None:
    runtime.require_reader()
    if parameters.language_model:
        runtime.require_chat()


async def _require_sources(session: AsyncSession, corpus: Corpus, parameters: GenerationParameters) -> None:
    there, needed = await store.publishers(session, corpus), parameters.min_sources + 1
    if there < needed:
        raise InvalidInput(
            f"Queries are written from facts that at least {needed} sources state, and {there} of the active sources "
            "have documents. Import documents of more sources, or add queries of your own."
        )


async def run(runtime: Runtime, generation_id: UUID) -> bool:
    """Run a queued or interrupted generation to the end; False, and nothing changes, if another process has it.

    A failure is stored in the generation. If the database is unavailable it stays as it is and `Unavailable` is raised.
    """
    async with try_lock(runtime.database, f"query generation:{generation_id}") as lock:
        if lock is None:
            return False
        async with runtime.database.begin() as session:
            generation = await session.get(QueryGeneration, generation_id, with_for_update=True)
            if generation is None or RunStatus(generation.status).ended:
                return True
            generation.status, generation.started_at = RunStatus.RUNNING, datetime.now(UTC)
            corpus = await session.get_one(Corpus, generation.corpus_id)
            parameters = GenerationParameters.model_validate(generation.parameters)
        try:
            await _generate(runtime, corpus, parameters, generation_id)
        except Unavailable:
            raise
        except CredenceError as error:
            await fail(runtime, generation_id, str(error))
            return True
        except Exception:
            await fail(
                runtime, generation_id, "An unexpected error ended this generation; the service's log has the details."
            )
            raise
        await _end(runtime, generation_id, RunStatus.SUCCEEDED)
        if parameters.estimate:
            await _estimate(runtime, corpus)
    return True


async def fail(runtime: Runtime, generation_id: UUID, reason: str) -> None:
    log.warning("query_generation_failed", generation_id=str(generation_id), reason=reason)
    await _end(runtime, generation_id, RunStatus.FAILED, reason)


async def preferences(session: AsyncSession, corpus: Corpus) -> Preferences | None:
    """The preferences by the current run; None without a run, and if no source has an interval."""
    run = await current_run(session, corpus)
    rows = [] if run is None else await estimations.sources_of(session, run)
    widths = {row.source_id: row.upper - row.lower for row in rows if row.upper is not None and row.lower is not None}
    if run is None or not widths:
        return None
    # Of very many sources there are too many pairs to count.
    return Preferences(widths, {} if only_candidates(len(rows), None) else await store.contradictions(session, run))


async def _generate(runtime: Runtime, corpus: Corpus, parameters: GenerationParameters, generation_id: UUID) -> None:
    async with runtime.database.begin() as session:
        # Facts that nobody else can confirm yet are left for when there are more sources.
        await _require_sources(session, corpus, parameters)
        present = await store.texts(session, corpus)
        known_sources = await preferences(session, corpus)
    questions = [(question, (provenance or {}).get("leading_answer")) for question, provenance in present]
    known = await KnownQueries.of(runtime.embedder, questions)
    reader = SourceReader(runtime, corpus, ClassPolicy.VALUES)
    await Generation(runtime, corpus, parameters, generation_id, known, reader, known_sources).complete()


async def _estimate(runtime: Runtime, corpus: Corpus) -> None:
    """Estimate as the current run did; the first run only if there is something to estimate from."""
    async with runtime.database.begin() as session:
        current = await current_run(session, corpus)
        if current is None and not await queries_to_read(session, corpus):
            return
    parameters = EstimationParameters() if current is None else estimation.parameters_again(current)
    try:
        await estimation.start(runtime, corpus, parameters, Trigger.DOCUMENTS)
    except Conflict:  # one runs already
        log.info("estimation_runs_already", corpus=corpus.name)


async def _end(runtime: Runtime, generation_id: UUID, status: RunStatus, reason: str | None = None) -> None:
    async with runtime.database.begin() as session:
        generation = await session.get(QueryGeneration, generation_id, with_for_update=True)
        if generation is not None and not RunStatus(generation.status).ended:
            generation.status, generation.finished_at = status, datetime.now(UTC)
            generation.problem = {"detail": reason} if reason else None
