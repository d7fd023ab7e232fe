"""The job that answers a question."""

from uuid import UUID

from sqlalchemy import select

from registry import answers
from registry.inputs.answers import AnswerParameters
from registry.jobs.kind import JobKind
from registry.models import AnswerRecord, Corpus, RunStatus
from registry.models.estimations import ACTIVE_STATUSES
from registry.runtime import Runtime
from registry.store import answers as stored_answers


async def _repeat(runtime: Runtime, corpus: Corpus, answer_id: UUID) -> None:
    async with runtime.database.begin() as session:
        record = await stored_answers.get(session, corpus, answer_id)
    parameters = AnswerParameters.model_validate(record.parameters)
    await answers.start(runtime, corpus, record.question, parameters, key_id=record.key_id)


KIND = JobKind(
    job=answers.JOB,
    summary="Answers a question that was sent with `Prefer: respond-async`.",
    run=answers.run,
    unfinished=select(AnswerRecord.id).where(AnswerRecord.status.in_(ACTIVE_STATUSES)),
    failed=select(
        AnswerRecord.id,
        AnswerRecord.corpus_id,
        AnswerRecord.question,
        AnswerRecord.problem,
        AnswerRecord.finished_at,
    ).where(AnswerRecord.status == RunStatus.FAILED),
    repeat=_repeat,
)
