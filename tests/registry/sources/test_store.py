"""Sources and overrides in the database."""

from uuid import uuid4

import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusInput
from registry.platform.errors import NotFound
from registry.sources import store as sources
from registry.sources.model import Source
from registry.sources.schemas import SourceInput


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
