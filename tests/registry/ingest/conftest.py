"""A source to ingest into."""

import pytest

from registry.inputs.sources import SourceInput
from registry.models import Corpus, Source
from registry.runtime import Runtime
from registry.store import sources


@pytest.fixture
async def source(runtime: Runtime, corpus: Corpus) -> Source:
    async with runtime.database.begin() as session:
        return await sources.create(session, corpus, SourceInput(name="Herald", external_id="herald"))
