"""Sources and overrides in the database."""

from uuid import uuid4

import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusInput
from registry.documents.model import Document, Passage
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.estimations import store as estimations
from registry.estimations.schemas import EstimationParameters
from registry.platform.database.engine import Database
from registry.platform.enums import RunStatus, SourceStatus, Trigger
from registry.platform.errors import Conflict, InvalidInput, NotFound
from registry.runtime import Runtime
from registry.sources import reliabilities
from registry.sources import store as sources
from registry.sources.model import Source
from registry.sources.schemas import OverrideInput, SourceInput, SourcePatch


async def test_a_source_is_found_by_its_names_and_only_in_its_corpus(session: AsyncSession, corpus: Corpus) -> None:
    source = await sources.create(session, corpus, SourceInput(name="Herald", external_id="שלום 1"))
    named = await sources.create(session, corpus, SourceInput(name="Gazette"))
    other = await corpora.create(session, CorpusInput(name="other"))
    for reference in ("שלום 1", str(source.id), "Herald"):
        assert (await sources.find(session, corpus, reference)).id == source.id
        with pytest.raises(NotFound):
            await sources.find(session, other, reference)
    assert named.external_id == "Gazette"
    for look_up in (sources.get(session, other, source.id), sources.lock(session, other, {source.id})):
        with pytest.raises(NotFound):
            await look_up
    with pytest.raises(NotFound):
        await sources.get(session, corpus, uuid4())


async def test_a_second_source_of_one_external_id_is_refused_and_nothing_else_lost(
    database: Database, corpus: Corpus
) -> None:
    async with database.begin() as session:
        first = await sources.create(session, corpus, SourceInput(name="Herald", external_id="herald"))
        with pytest.raises(Conflict, match="'herald'") as refused:
            await sources.create(session, corpus, SourceInput(name="Again", external_id="herald"))
        await sources.create(session, corpus, SourceInput(name="Gazette"))
    assert refused.value.location == f"/v1/corpora/default/sources/{first.id}"
    async with database.begin() as session:
        page = await sources.page(session, corpus, cursor=None, limit=1)
        rest = await sources.page(session, corpus, cursor=page.next_cursor, limit=1)
    assert [source.name for source in (*page.items, *rest.items)] == ["Herald", "Gazette"]
    assert rest.next_cursor is None


async def test_a_name_again_is_refused_unless_an_external_id_tells_the_two_apart(
    session: AsyncSession, corpus: Corpus
) -> None:
    first = await sources.create(session, corpus, SourceInput(name="Herald", external_id="h1"))
    with pytest.raises(Conflict, match="send an external_id") as refused:
        await sources.create(session, corpus, SourceInput(name="Herald"))
    assert refused.value.location == f"/v1/corpora/default/sources/{first.id}"
    await sources.create(session, corpus, SourceInput(name="Herald", external_id="h2"))
    with pytest.raises(InvalidInput, match=r"2 sources are named 'Herald'.*'h1', 'h2'"):
        await sources.find(session, corpus, "Herald")


async def test_unknown_names_become_sources_once(session: AsyncSession, corpus: Corpus) -> None:
    known = await sources.create(session, corpus, SourceInput(name="Herald", external_id="h1"))
    for name in ("h1", "h2"):
        await sources.create(session, corpus, SourceInput(name="Twin", external_id=f"twin-{name}"))
    unknown_id = str(uuid4())
    references = {"Herald", "New", "Twin", unknown_id, str(known.id)}
    for _ in range(2):
        found = await sources.find_or_create(session, corpus, references)
        assert found["Herald"] is found[str(known.id)] is known
        assert isinstance(found["New"], Source)
        assert (found["New"].name, found["New"].external_id) == ("New", "New")
        assert "2 sources" in str(found["Twin"])
        assert "There is no source" in str(found[unknown_id])
    assert await session.scalar(select(func.count()).select_from(Source)) == 4


async def test_a_patch_changes_what_it_names(session: AsyncSession, corpus: Corpus) -> None:
    source = await sources.create(session, corpus, SourceInput(name="Herald", url="http://a", attributes={"a": 1}))
    changed = await sources.update(session, corpus, source.id, SourcePatch(status=SourceStatus.PAUSED))
    assert (changed.name, changed.url, changed.status, changed.attributes) == ("Herald", "http://a", "paused", {"a": 1})
    changed = await sources.update(session, corpus, source.id, SourcePatch(url=None, name=None, attributes={}))
    assert (changed.name, changed.url, changed.attributes) == ("Herald", None, {})
    paused = await sources.page(session, corpus, cursor=None, limit=9, status=SourceStatus.PAUSED)
    active = await sources.page(session, corpus, cursor=None, limit=9, status=SourceStatus.ACTIVE)
    assert (len(paused.items), len(active.items)) == (1, 0)


async def test_an_override_is_set_replaced_and_removed(session: AsyncSession, corpus: Corpus) -> None:
    source = await sources.create(session, corpus, SourceInput(name="Herald"))
    for reliability in (0.9, 0.1):
        override = OverrideInput(reliability=reliability, reason="audited")
        await sources.set_override(session, corpus, source.id, override, created_by="me")
    (standing,) = (await reliabilities.of_source(session, corpus, source.id)).sources
    assert (standing.reliability, standing.estimated, standing.vote_count) == (0.1, None, 0)
    await sources.delete_override(session, corpus, source.id)
    with pytest.raises(NotFound, match="override"):
        await sources.delete_override(session, corpus, source.id)
    assert (await reliabilities.of_source(session, corpus, source.id)).sources[0].reliability is None


async def test_what_an_estimation_reads_is_not_deleted_under_it(runtime: Runtime, corpus: Corpus) -> None:
    async with runtime.database.begin() as session:
        source = await sources.create(session, corpus, SourceInput(name="Herald"))
    await ingest(runtime, corpus, source.id, [DocumentInput(content="A sentence.")])
    async with runtime.database.begin() as session:
        run = await estimations.create(session, corpus, EstimationParameters(), Trigger.COMMAND)
        with pytest.raises(Conflict) as refused:
            await sources.delete(session, corpus, source.id)
        assert refused.value.location == f"/v1/corpora/default/estimations/{run.id}"
        run.status = RunStatus.SUCCEEDED
    async with runtime.database.begin() as session:
        await sources.delete(session, corpus, source.id)
        for table in (Source, Document, Passage):
            assert await session.scalar(select(func.count()).select_from(table)) == 0
