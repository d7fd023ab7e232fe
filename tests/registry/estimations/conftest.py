"""Three sources of which one lies, for tests of runs."""

from dataclasses import replace

import pytest

from registry.corpora.model import Corpus
from registry.runtime import Runtime
from tests.registry.world import TOWERS, build, colour_reader, honest, liar


@pytest.fixture
async def three_sources(runtime: Runtime, corpus: Corpus) -> Runtime:
    runtime = replace(runtime, reader=colour_reader())
    stated = {"herald": honest(), "gazette": honest(), "rumour": liar("Aldra", "Brin", "Corvo")}
    await build(runtime, corpus, stated, TOWERS)
    return runtime
