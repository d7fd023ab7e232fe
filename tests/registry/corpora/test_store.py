"""Corpora in the database."""

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusInput, CorpusPatch, TextSearch
from registry.documents.model import Document, Passage
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.estimations import store as estimations
from registry.estimations.model import EstimationRun
from registry.estimations.schemas import EstimationParameters
from registry.events import store as events
from registry.events.model import Event
from registry.platform.enums import RunStatus, Trigger
from registry.platform.errors import Conflict, NotFound
from registry.queries import store as queries
from registry.queries.schemas import QueryInput
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.model import Source
from registry.sources.schemas import SourceInput
from tests.tables import for_each


async def test_a_corpus_is_made_changed_and_deleted_with_all_it_holds(runtime: Runtime) -> None:
    async with runtime.database.begin() as session:
        corpus = await corpora.create(session, CorpusInput(name="press", text_search=TextSearch.GERMAN))
        run = await estimations.create(session, corpus, EstimationParameters(), Trigger.COMMAND)
        events.publish(session, run.id, RunStatus.SUCCEEDED, {})
        run.status = RunStatus.SUCCEEDED
        source = await sources.create(session, corpus, SourceInput(name="Herald"))
        await queries.create(session, corpus, QueryInput(text="Wer?"))
    await ingest(runtime, corpus, source.id, [DocumentInput(content="Ein Satz.")])
    async with runtime.database.begin() as session:
        assert (await corpora.update(session, corpus, CorpusPatch(description="papers"))).description == "papers"
        with pytest.raises(Conflict, match="already is a corpus") as refused:
            await corpora.create(session, CorpusInput(name="press"))
        assert refused.value.location == "/v1/corpora/press"
    async with runtime.database.begin() as session:
        await corpora.delete(session, corpus)
    async with runtime.database.begin() as session:
        assert [corpus.name for corpus in (await corpora.page(session, cursor=None, limit=9)).items] == ["default"]
        for table in (Source, Document, Passage, EstimationRun, Event):
            assert await session.scalar(select(func.count()).select_from(table)) == 0


async def test_the_default_corpus_stays(session: AsyncSession, corpus: Corpus) -> None:
    with pytest.raises(Conflict, match="default corpus"):
        await corpora.delete(session, corpus)


@for_each("name", ["nowhere", "", "a\x00b", "\ud800", "'; DROP TABLE corpora; --", "x" * 10_000])
async def test_names_of_nothing_are_not_found(session: AsyncSession, corpus: Corpus, name: str) -> None:
    with pytest.raises(NotFound):
        await corpora.get(session, name)
    with pytest.raises(NotFound):
        await sources.find(session, corpus, name)


async def test_every_text_search_is_one_that_postgres_has(session: AsyncSession) -> None:
    languages = set((await session.scalars(text("SELECT cfgname FROM pg_ts_config"))).all())
    assert {language.value for language in TextSearch} <= languages
