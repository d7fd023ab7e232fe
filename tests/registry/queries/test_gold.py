"""The history of gold answers: added, replaced, undone, whoever changes them."""

import json
from collections.abc import AsyncIterator
from uuid import UUID

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusInput
from registry.documents import imports
from registry.events import audit
from registry.events.audit import Actor
from registry.platform.enums import ActorKind
from registry.platform.errors import NotFound
from registry.queries import store as queries
from registry.queries.model import GoldEntry, Query
from registry.queries.schemas import QueryInput, QueryPatch
from registry.queries.store import gold
from registry.runtime import Runtime

Change = tuple[list[str] | None, list[str] | None, bool]


@pytest.fixture
async def query(session: AsyncSession, corpus: Corpus) -> Query:
    return (await queries.create(session, corpus, QueryInput(text="Who built the mill?", external_id="mill")))[0]


async def entries(session: AsyncSession, corpus: Corpus, query_id: UUID) -> list[GoldEntry]:
    return list((await gold.page(session, corpus, query_id, limit=50)).items)


async def changes(session: AsyncSession, corpus: Corpus, query_id: UUID) -> list[Change]:
    """The oldest first."""
    listed = reversed(await entries(session, corpus, query_id))
    return [(entry.answers_before, entry.answers_after, entry.undone_at is not None) for entry in listed]


async def test_every_change_is_an_entry(session: AsyncSession, corpus: Corpus) -> None:
    created, _ = await queries.create(session, corpus, QueryInput(text="Who?", external_id="q", gold_answers=["A"]))
    await queries.update(session, corpus, created.id, QueryPatch(gold_answers=["B"]))
    await queries.update(session, corpus, created.id, QueryPatch(active=False))
    await queries.create(session, corpus, QueryInput(text="What?", external_id="q"))
    await queries.create(session, corpus, QueryInput(text="What?", external_id="q", gold_answers=["C"]))
    await queries.update(session, corpus, created.id, QueryPatch(gold_answers=None))
    assert await changes(session, corpus, created.id) == [
        (None, ["A"], False),
        (["A"], ["B"], False),
        (["B"], ["C"], False),
        (["C"], None, False),
    ]


async def test_an_import_without_answers_leaves_those_that_a_person_set(runtime: Runtime, corpus: Corpus) -> None:
    async def lines() -> AsyncIterator[bytes]:
        yield json.dumps({"text": "Who built the mill?", "external_id": "mill", "topic": "mills"}).encode()

    async def imported() -> UUID:
        (result,) = [result async for result in imports.import_queries(runtime, corpus, lines())]
        assert result.id is not None
        return result.id

    query_id = await imported()
    async with runtime.database.begin() as session:
        await gold.add(session, corpus, query_id, ["Tora"])
    assert await imported() == query_id
    async with runtime.database.begin() as session:
        assert (await queries.get(session, corpus, query_id)).gold_answers == ["Tora"]
        assert len(await entries(session, corpus, query_id)) == 1


async def test_an_entry_says_who_and_from_where(session: AsyncSession, corpus: Corpus, query: Query) -> None:
    audit.current_actor.set(audit.JOB)
    for number, actor in enumerate((None, ActorKind.BROWSER)):
        await gold.add(session, corpus, query.id, [str(number)], actor=actor)
    for who in (Actor(ActorKind.CLI, key_name="anna"), Actor(ActorKind.KEY, key_name="ops")):
        token = audit.current_actor.set(who)
        await gold.add(session, corpus, query.id, [who.actor])
        audit.current_actor.reset(token)
    told = [(entry.created_by, entry.actor) for entry in reversed(await entries(session, corpus, query.id))]
    assert told == [("job", "job"), ("job", "browser"), ("anna", "cli"), ("ops", "key")]


async def test_entries_belong_to_their_query_and_corpus(session: AsyncSession, corpus: Corpus, query: Query) -> None:
    other = await corpora.create(session, CorpusInput(name="press"))
    sibling, _ = await queries.create(session, corpus, QueryInput(text="Who burnt the mill?"))
    _, _, entry = await gold.add(session, corpus, query.id, ["Tora"])
    assert entry is not None
    for owner, query_id in ((other, query.id), (corpus, sibling.id), (corpus, UUID(int=7))):
        with pytest.raises(NotFound):
            await gold.undo(session, owner, query_id, entry.id)
    for work in (gold.add(session, other, query.id, ["Ola"]), gold.page(session, other, query.id, limit=9)):
        with pytest.raises(NotFound):
            await work
    assert await entries(session, corpus, sibling.id) == []
    await queries.delete(session, corpus, query.id)
    assert (await session.scalars(select(GoldEntry.id))).all() == []
