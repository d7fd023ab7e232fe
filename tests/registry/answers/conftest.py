"""Corpora that disagree, and a language model that debates about one."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

import pytest

from registry.corpora.model import Corpus
from registry.platform.settings import AnswerJudge
from registry.runtime import Runtime
from tests.fakes.openai_server import FakeOpenAIServer
from tests.registry.answers.asking import RELIABLE, rated
from tests.registry.debaters import debating, served
from tests.registry.world import TOWERS, build, colour_reader, honest, liar


@pytest.fixture
def server() -> Iterator[FakeOpenAIServer]:
    with served() as server:
        yield server


@pytest.fixture
async def runtime_with_model(runtime: Runtime, corpus: Corpus, server: FakeOpenAIServer) -> AsyncIterator[Runtime]:
    """Two good sources against three bad ones about Grom; the language model is real but for its words."""
    settings = runtime.settings.model_copy(update={"passages_per_source": 1, "conflict_judge": AnswerJudge.NONE})
    reading = replace(runtime, reader=colour_reader(), settings=settings)
    good, bad = honest() | {"Grom": "grey"}, {"Grom": "pink"}
    await build(reading, corpus, {name: good if share > 0.5 else bad for name, share in RELIABLE.items()}, TOWERS)
    await rated(reading, corpus, RELIABLE)
    debate = debating(reading, server)
    yield debate
    assert debate.chat is not None
    await debate.chat.aclose()


@pytest.fixture
async def outnumbered(runtime: Runtime, corpus: Corpus) -> Runtime:
    """Two good sources against three bad ones about Grom, which no query asks about."""
    runtime = replace(runtime, reader=colour_reader())
    good, bad = honest() | {"Grom": "grey"}, {"Grom": "pink"}
    stated = {
        "herald": good,
        "gazette": good,
        "times": honest(),
        "rumour": liar("Aldra", "Brin", "Corvo", "Delm") | bad,
        "gossip": liar("Brin", "Corvo", "Delm", "Esk") | bad,
        "hearsay": {tower: f"colour{tower}" for tower in TOWERS} | bad,
    }
    await build(runtime, corpus, stated, TOWERS)
    return runtime
