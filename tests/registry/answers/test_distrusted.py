"""Sources that take no part: below chance, or below the reliability that was asked for."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from registry.answers.result_schemas import AnswerResult
from registry.corpora.model import Corpus
from registry.platform.settings import AnswerJudge
from registry.runtime import Runtime
from tests.fakes.openai_server import FakeOpenAIServer
from tests.fakes.scripted_reader import ScriptedReader
from tests.registry.answers.asking import asked, rated
from tests.registry.debaters import debating
from tests.registry.world import build, colour_reader

DEBATES = ("madam", "astute", "drag", "concatenated", "self_consistency", "auto")


@pytest.fixture
async def world(runtime: Runtime, corpus: Corpus, server: FakeOpenAIServer) -> AsyncIterator[Runtime]:
    """One source against three about Grom."""
    settings = runtime.settings.model_copy(update={"conflict_judge": AnswerJudge.NONE})
    reading = replace(runtime, reader=colour_reader(), settings=settings)
    colours = {"herald": "grey", "gazette": "pink", "rumour": "pink", "gossip": "pink"}
    await build(reading, corpus, {name: {"Grom": colour} for name, colour in colours.items()})
    debate = debating(reading, server)
    yield debate
    assert debate.chat is not None
    await debate.chat.aclose()


def reason(answer: AnswerResult) -> str | None:
    return answer.no_answer.code if answer.no_answer else None


async def test_where_nobody_takes_part_nobody_is_asked_and_the_answer_says_so(
    world: Runtime, corpus: Corpus, server: FakeOpenAIServer
) -> None:
    for reliabilities, least in (((0.9, 0.6, 0.6, 0.6), 0.95), ((0.05, 0.05, 0.05, 0.05), 0.0)):
        await rated(world, corpus, dict(zip(("herald", "gazette", "rumour", "gossip"), reliabilities, strict=True)))
        for strategy in DEBATES:
            answer = await asked(world, corpus, strategy=strategy, least_reliability=least)
            assert (answer.outcome, answer.answers, answer.confidence) == ("unsupported", (), 0.0), strategy
            assert (reason(answer), answer.decided_by) == ("nobody_reliable", "nobody"), strategy
    blind = replace(world, reader=ScriptedReader(lambda _question, _passages: None, name="blind"))
    for strategy in DEBATES:
        answer = await asked(blind, corpus, strategy=strategy)
        assert (answer.answers, reason(answer)) == ((), "nobody_answered"), strategy
    assert not server.requests


async def test_what_stands_is_shown_with_its_own_confidence(world: Runtime, corpus: Corpus) -> None:
    """Three sources that take no part outvote one that does."""
    await rated(world, corpus, {"herald": 0.9, "gazette": 0.6, "rumour": 0.6, "gossip": 0.6})
    answer = await asked(world, corpus, strategy="auto", least_reliability=0.7)
    assert (answer.answers, answer.outcome) == (("grey",), "answered")
    assert answer.confidence == next(line.probability for line in answer.tally if line.answer == "grey")
    assert any("more likely wrong than right" in note for note in answer.notes)


async def test_a_tie_is_broken_by_who_takes_part(world: Runtime, corpus: Corpus) -> None:
    await rated(world, corpus, {"herald": 0.9, "gazette": 0.35, "rumour": 0.35, "gossip": 0.35})
    tie = await asked(world, corpus, min_margin=1)
    assert (tie.answers, tie.outcome) == (("grey", "pink"), "conflicting")
    trusted = await asked(world, corpus, min_margin=1, least_reliability=0.5)
    assert (trusted.answers, trusted.outcome) == (("grey",), "answered")
    nobody = await asked(world, corpus, min_margin=1, least_reliability=0.95)
    assert (nobody.answers, nobody.outcome, reason(nobody)) == ((), "unsupported", "nobody_reliable")
