"""Documents in the database."""

import pytest
from sqlalchemy import select

from registry.corpora.model import Corpus
from registry.documents import store as documents
from registry.documents.model import Passage
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.platform.errors import NotFound
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.schemas import SourceInput


async def test_documents_are_listed_without_their_text_and_deleted_with_their_passages(
    runtime: Runtime, corpus: Corpus
) -> None:
    async with runtime.database.begin() as session:
        source = await sources.create(session, corpus, SourceInput(name="Herald"))
        other = await sources.create(session, corpus, SourceInput(name="Gazette"))
    inputs = [DocumentInput(external_id=name, content=f"About {name}.") for name in ("a", "b")]
    results = await ingest(runtime, corpus, source.id, inputs)
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
