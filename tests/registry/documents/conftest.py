"""A source to ingest into."""

import pytest

from registry.corpora.model import Corpus
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.model import Source
from registry.sources.schemas import SourceInput


@pytest.fixture
async def source(runtime: Runtime, corpus: Corpus) -> Source:
    async with runtime.database.begin() as session:
        return await sources.create(session, corpus, SourceInput(name="Herald", external_id="herald"))
