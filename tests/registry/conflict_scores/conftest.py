"""A corpus with a liar whose reliability is known."""

from dataclasses import replace

import pytest

from registry.corpora.model import Corpus
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.schemas import OverrideInput
from tests.registry.conflict_scores.judges import colour_judge, judged_by
from tests.registry.world import build, colour_reader, honest, liar


@pytest.fixture
async def world(runtime: Runtime, corpus: Corpus) -> Runtime:
    """Two that tell the truth, one that lies about Aldra, and knows who is how reliable."""
    runtime = judged_by(replace(runtime, reader=colour_reader()), colour_judge())
    built = await build(runtime, corpus, {"herald": honest(), "gazette": honest(), "rumour": liar("Aldra")})
    async with runtime.database.begin() as session:
        for name, reliability in (("herald", 0.9), ("gazette", 0.8), ("rumour", 0.4)):
            override = OverrideInput(reliability=reliability, reason="known")
            await sources.set_override(session, corpus, built[name].id, override, created_by="test")
    return runtime
