"""Nothing of a deleted corpus or source is left, what is too old goes, and everything else stays."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import psycopg
import pytest
from sqlalchemy import text

from registry.answers import service as answers
from registry.answers.model import AnswerRecord, AnswerShare
from registry.answers.schemas import AnswerParameters
from registry.corpora import store as corpora
from registry.corpora.model import Corpus, CorpusQuestions
from registry.corpora.schemas import CorpusInput
from registry.estimations import service as estimation
from registry.estimations.model import StoredEvaluation
from registry.estimations.schemas import EstimationParameters
from registry.events.model import AuditEvent, Event
from registry.jobs import housekeeping
from registry.keys import service as keys
from registry.keys.model import BrowserSession, KeySpending, RateCount
from registry.keys.schemas import KeyInput, Scope
from registry.platform.database.base import Base
from registry.platform.database.engine import libpq_url
from registry.platform.database.idempotency import IdempotentRequest
from registry.platform.database.job_queue import enter_schema
from registry.platform.enums import RunStatus, Trigger
from registry.queries import store as queries
from registry.queries.model import JoinedAnswers
from registry.queries.schemas import QueryInput
from registry.readings.model import CachedReading
from registry.runtime import Runtime
from registry.schedules.model import Schedule, Tick
from registry.sources import store as sources
from registry.sources.model import Source
from registry.webhooks.model import Webhook, WebhookDelivery
from tests.registry.world import TOWERS, build, colour_reader, honest, liar, question

LONG_AGO = datetime.now(UTC) - timedelta(days=1000)
# What was estimated and answered from a source, when it was there, stays as it was then.
HISTORY = {"answers", "audit_events", "estimations", "estimation_sources", "estimation_queries", "votes", "events"}


@pytest.fixture
async def other(runtime: Runtime) -> Corpus:
    async with runtime.database.begin() as session:
        return await corpora.create(session, CorpusInput(name="other"))


async def used(runtime: Runtime, corpus: Corpus) -> dict[str, Source]:
    """Sources that were read, estimated and asked."""
    busy = replace(runtime, reader=colour_reader())
    built = await build(busy, corpus, {"herald": honest(), "gazette": honest(), "rumour": liar("Brin")}, TOWERS)
    run = await estimation.start(busy, corpus, EstimationParameters(), Trigger.COMMAND)
    await estimation.run(busy, run.id)
    record = await answers.ask(busy, corpus, question("Aldra"), AnswerParameters())
    assert record.status == RunStatus.SUCCEEDED
    return built


def tables_with(runtime: Runtime, identifier: UUID) -> set[str]:
    """The tables with a row that names the identifier."""
    return {name for name, rows in _tables(runtime) if any(str(identifier) in row for row in rows)}


def counts(runtime: Runtime) -> dict[str, int]:
    return {name: len(rows) for name, rows in _tables(runtime)}


def _tables(runtime: Runtime) -> Iterator[tuple[str, list[str]]]:
    names = [table.name for table in Base.metadata.sorted_tables]
    with psycopg.connect(libpq_url(runtime.database.url)) as connection:
        for name in [*names, "procrastinate.procrastinate_jobs"]:
            statement = f"SELECT t::text FROM {name} AS t"  # noqa: S608  (names of our tables)
            yield name, [row[0] for row in connection.execute(statement.encode())]


async def test_nothing_of_a_deleted_corpus_is_left_in_any_table(runtime: Runtime, other: Corpus) -> None:
    before = counts(runtime)
    built = await used(runtime, other)
    assert {"corpora", "sources", "queries", "estimations", "answers", "readings"} <= tables_with(runtime, other.id)
    async with runtime.database.begin() as session:
        await corpora.delete(session, other)
    assert tables_with(runtime, other.id) == {"audit_events"}  # who deleted it
    assert {name for source in built.values() for name in tables_with(runtime, source.id)} == set()
    after = counts(runtime)
    grown = {name for name in after if after[name] > before[name]}
    assert grown <= {
        "audit_events",
        "embedding_space",
        "procrastinate.procrastinate_jobs",
    }  # a job without a subject ends at once


async def test_nothing_of_a_deleted_source_is_left_but_history(runtime: Runtime, corpus: Corpus) -> None:
    built = await used(runtime, corpus)
    gone, kept = built["rumour"], built["herald"]
    assert {"sources", "documents", "passages", "readings"} <= tables_with(runtime, gone.id)
    async with runtime.database.begin() as session:
        await sources.delete(session, corpus, gone.id)
    assert tables_with(runtime, gone.id) <= HISTORY
    assert {"sources", "documents", "passages", "readings"} <= tables_with(runtime, kept.id)


async def test_what_is_too_old_goes_and_what_is_not_stays(runtime: Runtime, corpus: Corpus) -> None:
    async with runtime.database.begin() as session:
        key, _ = await keys.create(session, None, KeyInput(name="a", scopes=frozenset({Scope.READ})))
        schedule = Schedule(corpus_id=corpus.id, name="a", cron="0 3 * * *", parameters={})
        webhook = Webhook(corpus_id=corpus.id, url="https://a.example/", events=[], secret="")
        session.add_all([schedule, webhook])
    for moment in (LONG_AGO, datetime.now(UTC)):
        async with runtime.database.begin() as session:
            session.add_all(rows(corpus, key.id, schedule.id, moment))
            session.add(WebhookDelivery(webhook_id=webhook.id, type="a", data={}, created_at=moment))
    before = counts(runtime)
    expected = {
        "answers": 1,
        "audit_events": 1,
        "browser_sessions": 1,
        "corpus_questions": 1,
        "evaluations": 1,
        "events": 1,
        "idempotent_requests": 1,
        "key_spending": 1,
        "rate_counts": 1,
        "readings": 1,
        "schedule_ticks": 1,
        "webhook_deliveries": 1,
    }
    assert await housekeeping.clean(runtime) == expected
    after = counts(runtime)
    assert {name: before[name] - after[name] for name in before if before[name] != after[name]} == expected
    assert await housekeeping.clean(runtime) == {}


async def test_links_that_ended_and_joins_that_were_undone_go_after_their_time(
    runtime: Runtime, corpus: Corpus
) -> None:
    """But the last join of a question that a query asks: votes on it are read again in every run."""
    now, later = datetime.now(UTC), datetime.now(UTC) + timedelta(days=30)
    async with runtime.database.begin() as session:
        await queries.create(session, corpus, QueryInput(text="asked"))
        record = AnswerRecord(corpus_id=corpus.id, question="q", status=RunStatus.SUCCEEDED, finished_at=now)
        session.add(record)
        await session.flush()
        session.add_all(
            AnswerShare(
                corpus_id=corpus.id,
                answer_id=record.id,
                token_hash=str(number).encode(),
                actor="key",
                created_by="a",
                expires_at=expires,
                revoked_at=revoked,
            )
            for number, (expires, revoked) in enumerate(
                [(LONG_AGO, None), (later, LONG_AGO), (now, None), (later, None)]
            )
        )
        joins = [("asked", LONG_AGO), ("asked", LONG_AGO), ("other", LONG_AGO), ("other", now), ("third", None)]
        for asked, undone in joins:
            join = {"question": asked, "answers": ["a", "b"], "actor": "key", "created_by": "a", "undone_at": undone}
            session.add(JoinedAnswers(corpus_id=corpus.id, **join))
            await session.flush()
    assert await housekeeping.clean(runtime) == {"answer_shares": 2, "joined_answers": 2}
    assert await housekeeping.clean(runtime) == {}


async def test_readings_and_events_of_what_is_gone_are_swept(runtime: Runtime, corpus: Corpus) -> None:
    """They may be written while the corpus is deleted."""
    async with runtime.database.begin() as session:
        session.add_all(
            [
                reading(b"1", corpus_id=uuid4()),
                reading(b"2", corpus_id=corpus.id, source_id=uuid4()),
                reading(b"3", corpus_id=corpus.id),
                Event(subject_id=uuid4(), kind="a", data={}, created_at=datetime.now(UTC) - timedelta(hours=2)),
            ]
        )
    assert await housekeeping.clean(runtime) == {"events": 1, "readings": 2}


async def test_jobs_that_ended_go_after_their_time(runtime: Runtime) -> None:
    insert = "INSERT INTO procrastinate_jobs (queue_name, task_name, args) VALUES ('a', 'a', '{}') RETURNING id"
    async with runtime.database.begin() as session:
        await enter_schema(session)
        for status in ("todo", "doing", "failed", "failed"):
            job_id = await session.scalar(text(insert))
            update = text(
                "UPDATE procrastinate_jobs SET status = CAST(:status AS procrastinate_job_status) WHERE id = :id"
            )
            await session.execute(update, {"status": status, "id": job_id})
        newest = "(SELECT max(id) FROM procrastinate_jobs)"
        long_ago = f"UPDATE procrastinate_events SET at = now() - interval '8 days' WHERE job_id <> {newest}"  # noqa: S608
        await session.execute(text(long_ago))
    assert await housekeeping.clean(runtime) == {"procrastinate_jobs": 1}


def reading(name: bytes, **values: object) -> CachedReading:
    usage = {"model_calls": 0, "input_tokens": 0, "output_tokens": 0, "milliseconds": 0.0}
    return CachedReading(reader="a", prompt_hash=name, passages_hash=name, raw="", **usage, **values)


def rows(corpus: Corpus, key_id: UUID, schedule_id: UUID, moment: datetime) -> list[Base]:
    """A row of every table that forgets."""
    name = str(moment.year)
    return [
        AnswerRecord(corpus_id=corpus.id, question="a", status="succeeded", finished_at=moment, parameters={}),
        BrowserSession(token_hash=name.encode(), key_id=key_id, expires_at=moment + timedelta(days=1)),
        Event(subject_id=uuid4(), kind="a", data={}, created_at=moment),
        IdempotentRequest(scope="a", key=name, request_hash=b"", created_at=moment),
        KeySpending(key_id=key_id, day=moment.date()),
        AuditEvent(actor="job", action="source.deleted", resource_id=uuid4(), created_at=moment),
        CorpusQuestions(corpus_id=corpus.id, day=moment.date(), questions=1),
        RateCount(kind="request", subject="a", minute=int(moment.timestamp() // 60), count=1),
        reading(name.encode(), created_at=moment),
        StoredEvaluation(corpus_id=corpus.id, estimation_id=uuid4(), report={}, created_at=moment),
        Tick(schedule_id=schedule_id, due_at=moment),
    ]
