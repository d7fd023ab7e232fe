"""Corpora, sources, overrides, standings and queries in the real database."""

from uuid import uuid4

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from registry import ingest
from registry.database.engine import Database
from registry.errors import Conflict, NotFound
from registry.inputs.corpora import CorpusInput, CorpusPatch, TextSearch
from registry.inputs.documents import DocumentInput
from registry.inputs.estimations import EstimationParameters
from registry.inputs.queries import QueryInput, QueryPatch
from registry.inputs.sources import OverrideInput, SourceInput, SourcePatch
from registry.models import (
    Corpus,
    Document,
    EstimationRun,
    Event,
    Passage,
    RunSource,
    RunStatus,
    Source,
    SourceStatus,
    Trigger,
)
from registry.runtime import Runtime
from registry.store import corpora, documents, estimations, events, queries, reliabilities, sources


async def test_a_corpus_is_made_changed_and_deleted_with_all_it_holds(runtime: Runtime) -> None:
    async with runtime.database.begin() as session:
        corpus = await corpora.create(session, CorpusInput(name="press", text_search=TextSearch.GERMAN))
        run = await estimations.create(session, corpus, EstimationParameters(), Trigger.COMMAND)
        events.publish(session, run.id, RunStatus.SUCCEEDED, {})
        run.status = RunStatus.SUCCEEDED
        source = await sources.create(session, corpus, SourceInput(name="Herald"))
        await queries.create(session, corpus, QueryInput(text="Wer?"))
    await ingest.ingest(runtime, corpus, source.id, [DocumentInput(content="Ein Satz.")])
    async with runtime.database.begin() as session:
        assert (await corpora.update(session, corpus, CorpusPatch(description="papers"))).description == "papers"
        with pytest.raises(Conflict, match="already is a corpus") as refused:
            await corpora.create(session, CorpusInput(name="press"))
        assert refused.value.location == "/v1/corpora/press"
    async with runtime.database.begin() as session:
        await corpora.delete(session, corpus)
    async with runtime.database.begin() as session:
        assert [found.name for found in (await corpora.page(session, cursor=None, limit=9)).items] == ["default"]
        for table in (Source, Document, Passage, EstimationRun, Event):
            assert await session.scalar(select(func.count()).select_from(table)) == 0


async def test_the_default_corpus_stays(session: AsyncSession, corpus: Corpus) -> None:
    with pytest.raises(Conflict, match="default corpus"):
        await corpora.delete(session, corpus)


@pytest.mark.parametrize("name", ["nowhere", "", "a\x00b", "\ud800", "'; DROP TABLE corpora; --", "x" * 10_000])
async def test_names_of_nothing_are_not_found(session: AsyncSession, corpus: Corpus, name: str) -> None:
    with pytest.raises(NotFound):
        await corpora.get(session, name)
    with pytest.raises(NotFound):
        await sources.find(session, corpus, name)


async def test_every_text_search_is_one_that_postgres_has(session: AsyncSession) -> None:
    known = set((await session.scalars(text("SELECT cfgname FROM pg_ts_config"))).all())
    assert {language.value for language in TextSearch} <= known


async def test_a_source_is_found_by_either_name_and_only_in_its_corpus(session: AsyncSession, corpus: Corpus) -> None:
    source = await sources.create(session, corpus, SourceInput(name="Herald", external_id="שלום 1"))
    nameless = await sources.create(session, corpus, SourceInput(name="Gazette"))
    other = await corpora.create(session, CorpusInput(name="other"))
    assert (await sources.find(session, corpus, "שלום 1")).id == source.id
    assert (await sources.find(session, corpus, str(source.id))).id == source.id
    assert nameless.external_id == str(nameless.id)
    for look_up in (sources.get(session, other, source.id), sources.lock(session, other, source.id)):
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
        given = OverrideInput(reliability=reliability, reason="audited")
        await sources.set_override(session, corpus, source.id, given, created_by="me")
    (standing,) = (await reliabilities.of_source(session, corpus, source.id)).sources
    assert (standing.reliability, standing.estimated, standing.vote_count) == (0.1, None, 0)
    await sources.delete_override(session, corpus, source.id)
    with pytest.raises(NotFound, match="override"):
        await sources.delete_override(session, corpus, source.id)
    assert (await reliabilities.of_source(session, corpus, source.id)).sources[0].reliability is None


async def estimated(
    session: AsyncSession, corpus: Corpus, found: dict[Source, float], status: RunStatus = RunStatus.SUCCEEDED
) -> EstimationRun:
    """A run that has found these reliabilities."""
    run = await estimations.create(session, corpus, EstimationParameters(), Trigger.COMMAND)
    run.status, run.labels = status, 2
    for source, reliability in found.items():
        votes = int(reliability * 10)
        row = RunSource(estimation_id=run.id, source_id=source.id, source_name=source.name, reliability=reliability)
        row.weight, row.vote_count, row.abstention_count = 2 * reliability - 1, votes, 0
        session.add(row)
    await session.flush()
    return run


async def test_the_newest_succeeded_run_counts_unless_an_operator_knows_better(
    session: AsyncSession, corpus: Corpus
) -> None:
    herald, gazette, mute = [
        await sources.create(session, corpus, SourceInput(name=name)) for name in ("Herald", "Gazette", "Mute")
    ]
    assert (await reliabilities.current_reliabilities(session, corpus)).estimation_id is None
    first = await estimated(session, corpus, {herald: 0.2, gazette: 0.3})
    current = await estimated(session, corpus, {herald: 0.8, gazette: 0.9, mute: 0.0})
    await estimated(session, corpus, {herald: 0.1}, RunStatus.FAILED)
    await sources.set_override(
        session, corpus, gazette.id, OverrideInput(reliability=0.5, reason="bought"), created_by="me"
    )
    found = await reliabilities.current_reliabilities(session, corpus)
    assert found.estimation_id == current.id
    assert {one.name: (one.reliability, one.estimated) for one in found.sources} == {
        "Herald": (0.8, 0.8),
        "Gazette": (0.5, 0.9),
        "Mute": (None, None),
    }
    await sources.update(session, corpus, herald.id, SourcePatch(status=SourceStatus.PAUSED))
    assert [one.name for one in (await reliabilities.current_reliabilities(session, corpus)).sources] == [
        "Gazette",
        "Mute",
    ]
    past = await reliabilities.history(session, corpus, herald.id, cursor=None, limit=9)
    assert [(row.estimation_id, row.reliability) for row in past.items] == [(first.id, 0.2), (current.id, 0.8)]


async def test_what_an_estimation_reads_is_not_deleted_under_it(runtime: Runtime, corpus: Corpus) -> None:
    async with runtime.database.begin() as session:
        source = await sources.create(session, corpus, SourceInput(name="Herald"))
    await ingest.ingest(runtime, corpus, source.id, [DocumentInput(content="A sentence.")])
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


async def test_a_query_is_replaced_by_its_external_id(session: AsyncSession, corpus: Corpus) -> None:
    first, created = await queries.create(session, corpus, QueryInput(text="Who?", external_id="q", gold_answers=["A"]))
    same, again = await queries.create(session, corpus, QueryInput(text="Who?", external_id="q", gold_answers=["A"]))
    changed, anew = await queries.create(session, corpus, QueryInput(text="What?", external_id="q"))
    assert (created, again, anew) == (True, False, False)
    assert first.id == same.id == changed.id
    assert (changed.text, changed.gold_answers) == ("What?", None)
    patched = await queries.update(session, corpus, first.id, QueryPatch(active=False, gold_answers=["B"]))
    assert (patched.active, patched.gold_answers, patched.text) == (False, ["B"], "What?")
    assert not (await queries.page(session, corpus, cursor=None, limit=9, active=True)).items
    await queries.delete(session, corpus, first.id)
    with pytest.raises(NotFound):
        await queries.get(session, corpus, first.id)


async def test_documents_are_listed_without_their_text_and_deleted_with_their_passages(
    runtime: Runtime, corpus: Corpus
) -> None:
    async with runtime.database.begin() as session:
        source = await sources.create(session, corpus, SourceInput(name="Herald"))
        other = await sources.create(session, corpus, SourceInput(name="Gazette"))
    given = [DocumentInput(external_id=name, content=f"About {name}.") for name in ("a", "b")]
    results = await ingest.ingest(runtime, corpus, source.id, given)
    async with runtime.database.begin() as session:
        page = await documents.page(session, corpus, source.id, cursor=None, limit=1)
        assert "content" not in page.items[0].__dict__
        assert page.next_cursor is not None
        assert (await documents.get(session, corpus, source.id, results[1].document_id)).content == "About b."
        with pytest.raises(NotFound):
            await documents.get(session, corpus, other.id, results[1].document_id)
    async with runtime.database.begin() as session:
        await documents.delete(session, corpus, source.id, results[0].document_id)
        left = (await session.scalars(select(Passage.document_id))).all()
    assert left == [results[1].document_id]
