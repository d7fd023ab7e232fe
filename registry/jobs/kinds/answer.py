"""The job that answers a question."""

from sqlalchemy import select

from registry import answers
from registry.jobs.kind import JobKind
from registry.models import AnswerRecord
from registry.models.estimations import ACTIVE_STATUSES

KIND = JobKind(
    job=answers.JOB,
    summary="Answers a question that was asked with `Prefer: respond-async`.",
    run=answers.run,
    unfinished=select(AnswerRecord.id).where(AnswerRecord.status.in_(ACTIVE_STATUSES)),
)
