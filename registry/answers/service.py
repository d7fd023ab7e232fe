"""Stage 2 of RA-RAG: a question, the sources that deserve it, what is made of them, and the answer stored whole."""

from datetime import UTC, datetime
from uuid import UUID

import structlog
from sqlalchemy.ext.asyncio import AsyncSession
from uuid_utils.compat import uuid7

from estimator.errors import CredenceError
from registry.answers.context import Asking
from registry.answers.flow import answer
from registry.answers.progress import Progress, Published, silent
from registry.database import job_queue
from registry.database.locks import try_lock
from registry.errors import TooSlow, Unavailable
from registry.inputs.answers import AnswerParameters
from registry.models import AnswerRecord, Corpus, RunStatus
from registry.results.answer import AnswerResult
from registry.runtime import Runtime
from registry.store import events

log = structlog.get_logger(__name__)


async def ask(
    runtime: Runtime,
    corpus: Corpus,
    question: str,
    parameters: AnswerParameters,
    *,
    key_id: UUID | None = None,
    progress: Progress = silent,
) -> AnswerRecord:
    """Answer now; the answer is stored once it is whole. Raises what went wrong, `TooSlow` among others.

    The allowance of the key, if it has one, pays for language models.
    """
    result = await answer(await Asking.of(runtime, corpus, question, parameters, key_id=key_id, progress=progress))
    record = _record(corpus, question, parameters, key_id)
    async with runtime.database.begin() as session:
        _succeed(session, record, result)
        session.add(record)
    return record


async def start(
    runtime: Runtime, corpus: Corpus, question: str, parameters: AnswerParameters, *, key_id: UUID | None = None
) -> AnswerRecord:
    """Queue the question, with its job, in one transaction."""
    await (await Asking.of(runtime, corpus, question, parameters, key_id=key_id)).require_models()
    async with runtime.database.begin() as session:
        record = _record(corpus, question, parameters, key_id)
        session.add(record)
        await session.flush()
        events.publish(session, record.id, RunStatus.QUEUED, {})
        await job_queue.defer(session, runtime.jobs, job_queue.ANSWER, record.id)
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
        progress = Published(runtime.database, record.id)
        asking = await Asking.of(runtime, corpus, record.question, parameters, key_id=record.key_id, progress=progress)
        result = await answer(asking)
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


def _record(corpus: Corpus, question: str, parameters: AnswerParameters, key_id: UUID | None) -> AnswerRecord:
    return AnswerRecord(
        id=uuid7(),
        corpus_id=corpus.id,
        key_id=key_id,
        question=question,
        parameters=parameters.model_dump(mode="json"),
    )


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
