"""The audit log: every change with who made it, in its transaction, and nothing that must stay secret."""

from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import select, text

from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusInput, CorpusPatch
from registry.documents import store as documents
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.events import audit
from registry.events.model import AuditEvent
from registry.events.store import audit_page
from registry.keys import service as keys
from registry.keys import store as key_store
from registry.keys.schemas import KeyInput, RotationInput, Scope
from registry.platform.database.engine import Database
from registry.platform.enums import SourceStatus
from registry.queries import store as queries
from registry.queries.schemas import QueryInput, QueryPatch
from registry.runtime import Runtime
from registry.schedules import store as schedules
from registry.schedules.schemas import ScheduleInput, SchedulePatch
from registry.sources import store as sources
from registry.sources.schemas import OverrideInput, RatingInput, SourceInput, SourcePatch
from registry.sources.store import ratings

PLANTED = "zanzibar"


async def recorded(database: Database) -> Sequence[AuditEvent]:
    async with database.begin() as session:
        return (await session.scalars(select(AuditEvent).order_by(AuditEvent.id))).all()


def told(event: AuditEvent) -> tuple[str, Any, Any]:
    return event.action, event.before, event.after


async def test_changes_are_recorded_with_what_they_replaced(runtime: Runtime) -> None:
    audit.current_actor.set(audit.JOB)
    async with runtime.database.begin() as session:
        corpus = await corpora.create(session, CorpusInput(name="press"))
        source = await sources.create(session, corpus, SourceInput(name="herald"))
        override = OverrideInput(reliability=0.5, reason="sold " * 100)
        await sources.set_override(session, corpus, source.id, override, "ops")
        await sources.set_override(session, corpus, source.id, OverrideInput(reliability=0.7, reason="b"), "ops")
        await sources.set_override(session, corpus, source.id, OverrideInput(reliability=0.7, reason="b"), "ops")
        await sources.delete_override(session, corpus, source.id)
        rating = RatingInput(rating=0.25, origin="list")
        for strength in (3.0, 3.0, 4.0):
            await ratings.put(session, source, rating.model_copy(update={"strength": strength}), "ops")
        await ratings.delete(session, corpus, source.id)
        schedule = await schedules.create(session, corpus, ScheduleInput(name="nightly", cron="0 3 * * *"))
        await schedules.update(session, corpus, schedule.id, SchedulePatch(enabled=False))
        await schedules.delete(session, corpus, schedule.id)
        await sources.update(session, corpus, source.id, SourcePatch(status=SourceStatus.PAUSED, description="x"))
        await corpora.update(session, corpus, CorpusPatch(max_documents=9))
    document = DocumentInput(external_id="d", content=f"It is {PLANTED}.")
    (sent,) = await ingest(runtime, corpus, source.id, [document])
    async with runtime.database.begin() as session:
        await documents.delete(session, corpus, source.id, sent.document_id)
        await sources.delete(session, corpus, source.id)
        await corpora.delete(session, corpus)
    events = await recorded(runtime.database)
    assert {event.actor for event in events} == {"job"}
    assert {event.corpus_id for event in events} == {corpus.id}
    changes = {event.action: told(event) for event in events}
    assert [event.action for event in events] == [
        *("corpus.created", "override.set", "override.set", "override.deleted"),
        *("rating.set", "rating.set", "rating.deleted"),
        *("schedule.created", "schedule.changed", "schedule.deleted"),
        *("source.changed", "corpus.changed", "document.deleted", "source.deleted", "corpus.deleted"),
    ]
    assert events[1].after == {"reliability": 0.5, "reason": ("sold " * 100)[:200]}
    assert told(events[2])[1:] == (events[1].after | {"reason": "sold " * 40}, {"reliability": 0.7, "reason": "b"})
    assert told(events[5])[1:] == ({"strength": 3.0}, {"strength": 4.0})
    assert changes["schedule.changed"][1:] == ({"enabled": True}, {"enabled": False})
    assert changes["source.changed"][1:] == ({"status": "active"}, {"status": "paused"})
    assert changes["corpus.changed"][1:] == ({"max_documents": None}, {"max_documents": 9})
    assert changes["corpus.deleted"][1:] == ({"name": "press"}, None)


async def test_a_record_goes_with_its_change_when_that_is_rolled_back(database: Database, corpus: Corpus) -> None:
    with pytest.raises(RuntimeError):  # noqa: PT012  (the transaction ends with it)
        async with database.begin() as session:
            await sources.create(session, corpus, SourceInput(name="herald"))
            await keys.create(session, corpus, KeyInput(name="a", scopes=frozenset({Scope.READ})))
            await session.flush()
            raise RuntimeError
    assert await recorded(database) == []


async def test_no_secret_and_no_question_is_recorded(database: Database, corpus: Corpus) -> None:
    async with database.begin() as session:
        values = KeyInput(name="app", scopes=frozenset({Scope.READ}), daily_tokens=7)
        key, secret = await keys.create(session, corpus, values)
        _, other = await keys.rotate(session, corpus, key.id, RotationInput())
        for _ in range(2):
            await key_store.revoke(session, corpus, key.id)
        asked = QueryInput(external_id="q", text=f"Who is {PLANTED}?")
        query, _ = await queries.create(session, corpus, asked)
        for gold in ([PLANTED], [PLANTED], None):
            await queries.create(session, corpus, asked.model_copy(update={"gold_answers": gold}))
        await queries.update(session, corpus, query.id, QueryPatch(gold_answers=[PLANTED, "b"], text="?"))
        await queries.delete(session, corpus, query.id)
    events = await recorded(database)
    assert [event.action for event in events] == [*("key.created", "key.rotated", "key.revoked"), *4 * ["gold.changed"]]
    counts = [
        (event.before["gold_answers"], event.after["gold_answers"])
        for event in events[3:]
        if event.before and event.after
    ]
    assert counts == [(0, 1), (1, 0), (0, 2), (2, 0)]
    assert events[0].after
    assert events[0].after["daily_tokens"] == 7
    async with database.begin() as session:
        rows = (await session.scalars(text("SELECT audit_events::text FROM audit_events"))).all()
        page = await audit_page(session, corpus, cursor=None, limit=2)
        rest = await audit_page(session, None, cursor=page.next_cursor, limit=9)
    assert not [row for row in rows for hidden in (PLANTED, secret[4:10], other[4:10]) if hidden in row]
    assert [event.id for event in (*page.items, *rest.items)] == [event.id for event in reversed(events)]
