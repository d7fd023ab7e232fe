"""Stage 2 of RA-RAG: a question, the sources that deserve it, their weighted vote, and the answer stored whole."""

import asyncio
import time
from datetime import UTC, datetime
from uuid import UUID

import structlog
from sqlalchemy.ext.asyncio import AsyncSession
from uuid_utils.compat import uuid7

from estimator.errors import CredenceError
from registry import compose, events, passages, queue
from registry.answer_conflict import Composed, with_conflict_score
from registry.answer_view import AnswerResult
from registry.errors import Conflict, TooSlow, Unavailable
from registry.grounds import Library, library_of
from registry.heard import Walked
from registry.locks import try_lock
from registry.models import AnswerRecord, Corpus, RunStatus
from registry.parameters import AnswerParameters
from registry.runtime import Runtime
from registry.standings import Standings, standings
from registry.walk import Vector, Walk
from registry.weights import Weights

log = structlog.get_logger(__name__)

# With more sources than this, the walk keeps to those in which a search over the whole corpus finds something.
MANY_SOURCES = 200
CANDIDATES = 200


async def ask(runtime: Runtime, corpus: Corpus, question: str, parameters: AnswerParameters) -> AnswerRecord:
    """Answer now; the answer is stored once it is whole. Raises what went wrong, `TooSlow` among others."""
    result = await _answer(runtime, corpus, question, parameters)
    record = AnswerRecord(
        id=uuid7(), corpus_id=corpus.id, question=question, parameters=parameters.model_dump(mode="json")
    )
    async with runtime.database.begin() as session:
        _succeed(session, record, result)
        session.add(record)
    return record


async def start(runtime: Runtime, corpus: Corpus, question: str, parameters: AnswerParameters) -> AnswerRecord:
    """Queue the question, with its job, in one transaction."""
    runtime.require_reader()
    async with runtime.database.begin() as session:
        record = AnswerRecord(corpus_id=corpus.id, question=question, parameters=parameters.model_dump(mode="json"))
        session.add(record)
        await session.flush()
        events.publish(session, record.id, RunStatus.QUEUED, {})
        await queue.defer(session, runtime.jobs, queue.ANSWER, record.id)
        await session.refresh(record)
    return record


async def run(runtime: Runtime, answer_id: UUID) -> None:
    """Answer a queued question; does nothing for one that is answered or that another worker holds."""
    async with try_lock(runtime.database, f"answer:{answer_id}") as lock:
        if lock is None:
            return
        async with runtime.database.begin() as session:
            record = await session.get_one(AnswerRecord, answer_id, with_for_update=True)
            if RunStatus(record.status).ended:
                return
            record.status = RunStatus.RUNNING
            corpus = await session.get_one(Corpus, record.corpus_id)
            events.publish(session, answer_id, RunStatus.RUNNING, {})
        await _run(runtime, corpus, record)


async def _run(runtime: Runtime, corpus: Corpus, record: AnswerRecord) -> None:
    try:
        parameters = AnswerParameters.model_validate(record.parameters)
        result = await _answer(runtime, corpus, record.question, parameters)
    except TooSlow as error:
        await _fail(runtime, record.id, str(error))
    except Unavailable:
        raise
    except CredenceError as error:
        await _fail(runtime, record.id, str(error))
    except Exception:
        await _fail(runtime, record.id, "An unexpected error ended this answer; the service's log has the details.")
        raise
    else:
        async with runtime.database.begin() as session:
            _succeed(session, await session.get_one(AnswerRecord, record.id), result)


async def _answer(runtime: Runtime, corpus: Corpus, question: str, parameters: AnswerParameters) -> AnswerResult:
    composed = await _composed(runtime, corpus, question, parameters)
    return await with_conflict_score(runtime, question, composed)


async def _composed(runtime: Runtime, corpus: Corpus, question: str, parameters: AnswerParameters) -> Composed:
    seconds = runtime.settings.answer_timeout_seconds
    try:
        async with asyncio.timeout(seconds):
            return await _compute(runtime, corpus, question, parameters)
    except TimeoutError as error:
        raise TooSlow(
            f"No answer within {seconds:g} seconds (CREDENCE_ANSWER_TIMEOUT_SECONDS). Readings made so far are kept, "
            "so that asking again goes on from there; or ask with a smaller kappa or max_readings."
        ) from error


async def _compute(runtime: Runtime, corpus: Corpus, question: str, parameters: AnswerParameters) -> Composed:
    began = time.perf_counter()
    runtime.require_reader()
    vector: Vector = (await runtime.embedder.embed([question]))[0]
    async with runtime.database.begin() as session:
        current = await standings(session, corpus)
        candidates = await _candidates(session, corpus, question, vector, parameters, len(current.items))
    if not current.items:
        raise Conflict("This corpus has no active sources to ask. Register some and load their documents.")
    weights = Weights(current)
    relevance = candidates or {}
    by = parameters.rank_by
    ranked = [weights.ranked(one.source_id, relevance.get(one.source_id), by) for one in current.items]
    if weights.shared:  # sources still to come may share the weight of those that lead
        parameters = parameters.model_copy(update={"stop_early": False})
    walk = Walk(runtime, corpus, question, vector, parameters.class_policy)
    walked = await walk.run(ranked, parameters, candidates)
    result = compose.answer_result(current, weights, walked, parameters, (time.perf_counter() - began) * 1000)
    return Composed(result, _read(result, walked, current), weights.default)


def _read(result: AnswerResult, walked: Walked, current: Standings) -> Library:
    """What the selected sources were read from."""
    heard = [walked.heard[one.source_id] for one in result.selected_sources]
    return library_of(
        (passage for one in heard for passage in one.passages), {one.source_id: one for one in current.items}
    )


async def _candidates(
    session: AsyncSession,
    corpus: Corpus,
    question: str,
    vector: Vector,
    parameters: AnswerParameters,
    sources: int,
) -> dict[UUID, float] | None:
    """Sources in which one search over the whole corpus finds something, with their relevance; None is all of them."""
    wanted = sources > MANY_SOURCES if parameters.candidates_only is None else parameters.candidates_only
    return await passages.candidate_sources(session, corpus, question, vector, limit=CANDIDATES) if wanted else None


def _succeed(session: AsyncSession, record: AnswerRecord, result: AnswerResult) -> None:
    record.status, record.finished_at = RunStatus.SUCCEEDED, datetime.now(UTC)
    record.outcome, record.estimation_id = result.outcome, result.estimation_id
    record.result = result.model_dump(mode="json")
    events.publish(
        session, record.id, RunStatus.SUCCEEDED, {"outcome": result.outcome, "answers": list(result.answers)}
    )


async def _fail(runtime: Runtime, answer_id: UUID, why: str) -> None:
    log.warning("answer_failed", answer_id=str(answer_id), why=why)
    async with runtime.database.begin() as session:
        record = await session.get_one(AnswerRecord, answer_id, with_for_update=True)
        record.status, record.finished_at, record.problem = RunStatus.FAILED, datetime.now(UTC), {"detail": why}
        events.publish(session, answer_id, RunStatus.FAILED, {"detail": why})
