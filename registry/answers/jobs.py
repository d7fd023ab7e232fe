"""Questions that a worker answers: queued, answered by a job, and failed."""

import asyncio
from datetime import UTC, datetime
from uuid import UUID

import structlog

from estimator.errors import CredenceError
from registry.answers import store as stored_answers
from registry.answers.conversation import FollowUp
from registry.answers.model import AnswerRecord
from registry.answers.question import open_context
from registry.answers.schemas import AnswerParameters
from registry.answers.service import answer, keep_questions, new_record, succeed, text_of
from registry.corpora.model import Corpus
from registry.events import store as events
from registry.job_kind import JobKind
from registry.keys.quotas import take_question
from registry.platform.database.base import Json
from registry.platform.database.engine import Database
from registry.platform.database.job_queue import Job, defer
from registry.platform.database.locks import try_lock
from registry.platform.enums import RunStatus
from registry.platform.errors import TooSlow, Unavailable
from registry.runtime import Runtime
from registry.viewers.model import UNRESTRICTED, Asker

log = structlog.get_logger(__name__)

# Before estimations: somebody waits for the answer.
JOB = Job("answer", priority=10)


class ProgressEvents:
    """Stores every step as an event of the answer."""

    def __init__(self, database: Database, answer_id: UUID) -> None:
        self._database = database
        self._answer_id = answer_id
        # Ids rise in the order of commits only if there is one commit at a time; a follower would miss some otherwise.
        self._lock = asyncio.Lock()

    async def __call__(self, kind: str, data: Json) -> None:
        """Store a step; if the database is unavailable the step is lost, not the answer."""
        try:
            async with self._lock, self._database.begin() as session:
                events.publish(session, self._answer_id, kind, data)
        except Unavailable as error:
            log.warning("step_not_recorded", reason=error)


async def start(
    runtime: Runtime,
    corpus: Corpus,
    question: str | FollowUp,
    parameters: AnswerParameters,
    *,
    asker: Asker = UNRESTRICTED,
) -> AnswerRecord:
    """Queue a question and its job in one transaction. Raises as `QuestionContext.require_models` does."""
    context = await open_context(runtime, corpus, text_of(question), parameters, asker=asker)
    await context.require_models()
    async with runtime.database.begin() as session:
        await take_question(session, corpus, asker.key_id)
        record = new_record(corpus, question, context.parameters, asker)
        session.add(record)
        await session.flush()
        events.publish(session, record.id, RunStatus.QUEUED, {})
        await defer(session, runtime.jobs, JOB, record.id)
        await session.refresh(record)
    return record


async def run(runtime: Runtime, answer_id: UUID) -> None:
    """Answer a queued question; returns at once if it is answered or another worker has it."""
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
        progress = ProgressEvents(runtime.database, record.id)
        context = await open_context(
            runtime,
            corpus,
            record.question,
            parameters,
            asker=record.asker,
            progress=progress,
        )
        answered = await answer(context)
    except TooSlow as error:
        await fail(runtime, record.id, error)
    except Unavailable:
        raise
    except CredenceError as error:
        await fail(runtime, record.id, error)
    except Exception:
        await fail(runtime, record.id, "An unexpected error ended this answer; the service's log has the details.")
        raise
    else:
        async with runtime.database.begin() as session:
            succeed(session, await session.get_one(AnswerRecord, record.id), answered)
        await keep_questions(runtime, corpus, record, parameters, answered)


async def fail(runtime: Runtime, answer_id: UUID, reason: CredenceError | str) -> None:
    """End a queued or running answer as failed."""
    log.warning("answer_failed", answer_id=str(answer_id), reason=reason)
    async with runtime.database.begin() as session:
        record = await session.get_one(AnswerRecord, answer_id, with_for_update=True)
        if not RunStatus(record.status).ended:
            problem = {"detail": str(reason)}
            record.status, record.finished_at, record.problem = RunStatus.FAILED, datetime.now(UTC), problem
            events.publish(session, answer_id, RunStatus.FAILED, problem)


async def _repeat(runtime: Runtime, corpus: Corpus, answer_id: UUID) -> None:
    async with runtime.database.begin() as session:
        record = await stored_answers.get(session, corpus, answer_id)
    parameters = AnswerParameters.model_validate(record.parameters)
    question: str | FollowUp = record.question
    if record.follows_id is not None:
        before = frozenset(record.made_of or ())
        question = FollowUp(record.question, record.follows_id, record.typed or record.question, before)
    await start(runtime, corpus, question, parameters, asker=record.asker)


KIND = JobKind(
    job=JOB,
    summary="Answers a question that was sent with `Prefer: respond-async`.",
    run=run,
    unfinished=stored_answers.UNFINISHED,
    failed=stored_answers.FAILED,
    give_up=fail,
    repeat=_repeat,
)
