"""Rows that are too old to be kept or about something that is gone; jobs that were begun; and failed work."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeAlias
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    TableClause,
    cast,
    delete,
    exists,
    func,
    inspect,
    literal_column,
    not_,
    select,
    text,
    tuple_,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased
from sqlalchemy.types import String

from registry.answers.model import AnswerRecord, AnswerShare
from registry.corpora.model import Corpus, CorpusQuestions
from registry.documents.model import Document, DocumentRevision
from registry.estimations.model import EstimationRun, StoredEvaluation
from registry.events.model import AuditEvent, Event
from registry.jobs.model import BegunJob
from registry.keys.model import BrowserSession, KeySpending, RateCount
from registry.keys.rates import KEPT_MINUTES
from registry.platform.database import idempotency
from registry.platform.database.base import Base
from registry.platform.database.idempotency import IdempotentRequest
from registry.platform.database.job_queue import ENTER_SCHEMA, JOB_EVENTS, JOBS, FailedSubjects, Subjects, enter_schema
from registry.platform.enums import RunStatus
from registry.platform.settings import Settings
from registry.queries.model import JoinedAnswers, Query
from registry.readings.model import CachedReading
from registry.schedules.model import Schedule, Tick
from registry.sources.model import Source
from registry.webhooks.model import Webhook, WebhookDelivery

# Of one transaction, which must not hold many rows for long.
BATCH = 5000
LOCK = 0x486F7573
KEEP_SPENDING = timedelta(days=90)
KEEP_READINGS = timedelta(days=365)
# Events of runs and answers, which followers read while they happen, and past due times of schedules.
KEEP_EVENTS = timedelta(days=30)
# What was sent to webhooks, or could not be.
KEEP_DELIVERIES = timedelta(days=30)
# Links that show no answer any more, and joins that were undone.
KEEP_ENDED = timedelta(days=30)
# Jobs that failed or were cancelled, and those that were begun and never again after their process ended.
KEEP_JOBS = timedelta(days=7)
# The rows of a subject may be written before it.
KEEP_ORPHANS = timedelta(hours=1)


JobKey: TypeAlias = tuple[str, UUID]
"""A job, by its name and its subject."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule by which rows of a table are deleted."""

    rows: TableClause
    condition: Callable[[Settings], ColumnElement[bool]]


def _older(moment: Any, age: timedelta) -> ColumnElement[bool]:  # noqa: ANN401  (a column, mapped or not)
    result: ColumnElement[bool] = moment < func.now() - age
    return result


def _rows(model: type[Base]) -> TableClause:
    assert isinstance(model.__table__, TableClause)  # noqa: S101  (no model is mapped to a join)
    return model.__table__


SCHEDULES, WEBHOOKS = _rows(Schedule), _rows(Webhook)
_ANOTHER = aliased(JoinedAnswers)
RULES = (
    Rule(_rows(IdempotentRequest), lambda _: _older(IdempotentRequest.created_at, idempotency.KEEP)),
    Rule(_rows(RateCount), lambda _: RateCount.minute < func.extract("epoch", func.now()) / 60 - KEPT_MINUTES),
    Rule(_rows(BrowserSession), lambda _: BrowserSession.expires_at < func.now()),
    Rule(_rows(KeySpending), lambda _: _older(KeySpending.day, KEEP_SPENDING)),
    Rule(_rows(CorpusQuestions), lambda _: _older(CorpusQuestions.day, KEEP_SPENDING)),
    Rule(
        _rows(AnswerRecord),
        lambda settings: _older(AnswerRecord.finished_at, timedelta(days=settings.keep_answers_days)),
    ),
    Rule(_rows(AnswerShare), lambda _: _older(func.least(AnswerShare.expires_at, AnswerShare.revoked_at), KEEP_ENDED)),
    Rule(
        _rows(JoinedAnswers),
        # As long as a query asks the question, one row of it says that votes on it are not taken over.
        lambda _: (
            _older(JoinedAnswers.undone_at, KEEP_ENDED)
            & (
                exists().where(
                    _ANOTHER.corpus_id == JoinedAnswers.corpus_id,
                    _ANOTHER.question == JoinedAnswers.question,
                    _ANOTHER.id > JoinedAnswers.id,
                )
                | not_(exists().where(Query.corpus_id == JoinedAnswers.corpus_id, Query.text == JoinedAnswers.question))
            )
        ),
    ),
    Rule(
        _rows(StoredEvaluation),
        lambda settings: _older(StoredEvaluation.created_at, timedelta(days=settings.keep_answers_days)),
    ),
    Rule(
        _rows(Event),
        lambda _: (
            _older(Event.created_at, KEEP_EVENTS)
            | _older(Event.created_at, KEEP_ORPHANS)
            & not_(exists().where(EstimationRun.id == Event.subject_id))
            & not_(exists().where(AnswerRecord.id == Event.subject_id))
        ),
    ),
    Rule(
        _rows(CachedReading),
        lambda _: (
            _older(CachedReading.created_at, KEEP_READINGS)
            | CachedReading.corpus_id.is_not(None) & not_(exists().where(Corpus.id == CachedReading.corpus_id))
            | CachedReading.source_id.is_not(None) & not_(exists().where(Source.id == CachedReading.source_id))
        ),
    ),
    Rule(_rows(AuditEvent), lambda settings: _older(AuditEvent.created_at, timedelta(days=settings.keep_audit_days))),
    Rule(_rows(WebhookDelivery), lambda _: _older(WebhookDelivery.created_at, KEEP_DELIVERIES)),
    Rule(_rows(BegunJob), lambda _: _older(BegunJob.created_at, KEEP_JOBS)),
    Rule(
        _rows(DocumentRevision),
        lambda settings: exists().where(
            Document.id == DocumentRevision.document_id,
            Document.revision > DocumentRevision.revision + settings.keep_revisions,
        ),
    ),
    Rule(_rows(Tick), lambda _: _older(Tick.due_at, KEEP_EVENTS)),
    Rule(
        JOBS,
        lambda _: (
            cast(JOBS.c.status, String).in_(["succeeded", "failed", "cancelled", "aborted"])
            & not_(
                exists().where(
                    JOB_EVENTS.c.job_id == JOBS.c.id,
                    JOB_EVENTS.c.at >= func.now() - KEEP_JOBS,
                )
            )
        ),
    ),
)


async def delete_batch(session: AsyncSession, rule: Rule, settings: Settings) -> int:
    """Delete a batch and return the number of rows; none while another process cleans."""
    if not await session.scalar(text("SELECT pg_try_advisory_xact_lock(:key)"), {"key": LOCK}):
        return 0
    await enter_schema(session)
    place: ColumnElement[str] = literal_column("ctid")
    old = select(place).select_from(rule.rows).where(rule.condition(settings)).limit(BATCH)
    return len((await session.execute(delete(rule.rows).where(place.in_(old)).returning(place))).all())


async def failed_of_kind(
    session: AsyncSession, failed: FailedSubjects, limit: int
) -> Sequence[Row[UUID, UUID, str, Any, datetime | None, str]]:
    """The newest of the subjects that ended with a problem, each with the name of its corpus."""
    subject, corpus_id, _, _, finished_at = failed.selected_columns
    rows = failed.add_columns(Corpus.name).join(Corpus, Corpus.id == corpus_id)
    return (await session.execute(rows.order_by(finished_at.desc().nulls_last(), subject).limit(limit))).all()


async def was_begun(session: AsyncSession, key: JobKey) -> bool:
    """Whether a job was begun and did not come to an end."""
    return await session.get(BegunJob, key) is not None


async def note_begun(session: AsyncSession, key: JobKey) -> int:
    """Note that a job is begun; returns how often that was so since it last came to an end."""
    name, subject_id = key
    row = insert(BegunJob).values(name=name, subject_id=subject_id, times=1)
    again = row.on_conflict_do_update(index_elements=["name", "subject_id"], set_={"times": BegunJob.times + 1})
    return (await session.execute(again.returning(BegunJob.times))).scalar_one()


async def forget_begun(session: AsyncSession, keys: Collection[JobKey]) -> None:
    """Note that jobs came to an end."""
    await session.execute(delete(BegunJob).where(tuple_(BegunJob.name, BegunJob.subject_id).in_(keys)))


def pause(connection: Connection, unfinished: Iterable[Subjects], reason: str) -> None:
    """Leave nothing that would be done by itself: jobs and what they are for end as failed for a reason, schedules and
    webhooks are switched off. The schema may be an older one, without some of the tables.
    """
    connection.execute(ENTER_SCHEMA)
    connection.execute(delete(JOBS).where(cast(JOBS.c.status, String).in_(["todo", "doing"])))
    changes: list[tuple[TableClause, ColumnElement[bool], dict[str, Any]]] = [
        (SCHEDULES, SCHEDULES.c.enabled, {"enabled": False}),
        (WEBHOOKS, WEBHOOKS.c.enabled, {"enabled": False, "disabled_because": reason}),
    ]
    for subjects in unfinished:
        (subject_id,) = subjects.selected_columns
        rows = subject_id.table
        problem = {"detail": reason} if isinstance(rows.c.problem.type, JSONB) else reason
        ended = {"status": RunStatus.FAILED, "problem": problem, "finished_at": func.now()}
        changes.append((rows, subject_id.in_(subjects), ended))
    present = inspect(connection).get_table_names()
    for rows, condition, values in changes:
        if rows.name in present:
            connection.execute(update(rows).where(condition).values(values))
