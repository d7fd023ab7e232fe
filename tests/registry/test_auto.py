"""`auto`: the vote where it is safe, a debate where sources conflict, no answer where nothing holds."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

import pytest

from registry import ask, sources
from registry.answer_view import AnswerResult
from registry.models import Corpus
from registry.parameters import AnswerParameters
from registry.runtime import Runtime
from registry.settings import AnswerJudge
from registry.sources import OverrideInput
from tests.fakes.openai_server import FakeOpenAIServer
from tests.registry.debaters import debating, served
from tests.registry.world import build, colour_reader, question

STATED = {
    "herald": {"Grom": "grey", "Aldra": "red", "Brin": "blue"},
    "gazette": {"Grom": "grey", "Aldra": "red", "Brin": "green"},
    "rumour": {"Grom": "pink", "Aldra": "red"},
    "gossip": {"Grom": "pink"},
}
ALIKE = 0.7


@pytest.fixture
def server() -> Iterator[FakeOpenAIServer]:
    with served() as server:
        yield server


@pytest.fixture
async def world(runtime: Runtime, corpus: Corpus, server: FakeOpenAIServer) -> AsyncIterator[Runtime]:
    """Sources that are as reliable as each other, and agree about Aldra alone."""
    plain = runtime.settings.model_copy(update={"passages_per_source": 1, "conflict_judge": AnswerJudge.NONE})
    reading = replace(runtime, reader=colour_reader(), settings=plain)
    await build(reading, corpus, STATED)
    async with runtime.database.begin() as session:
        for name in STATED:
            source = await sources.find(session, corpus, name)
            given = OverrideInput(reliability=ALIKE, reason="known")
            await sources.set_override(session, corpus, source.id, given, created_by="test")
    debate = debating(reading, server)
    yield debate
    assert debate.chat is not None
    await debate.chat.aclose()


async def asked(runtime: Runtime, corpus: Corpus, tower: str, **auto: object) -> AnswerResult:
    parameters = AnswerParameters.model_validate({"strategy": "auto", "auto": auto or None})
    record = await ask.ask(runtime, corpus, question(tower), parameters)
    return AnswerResult.model_validate(record.result)


async def test_what_nobody_disputes_costs_no_call(world: Runtime, corpus: Corpus, server: FakeOpenAIServer) -> None:
    found = await asked(world, corpus, "Aldra")
    assert (found.answers, found.decided_by) == (("red",), "vote")
    assert found.auto is not None
    assert (found.auto.action, found.auto.reasons) == ("vote", ("undisputed",))
    assert not server.requests


async def test_a_conflict_is_debated(world: Runtime, corpus: Corpus, server: FakeOpenAIServer) -> None:
    found = await asked(world, corpus, "Grom")
    assert found.auto is not None
    assert found.auto.action == "debate"
    assert "tied" in found.auto.reasons
    assert found.decided_by == "debate"
    assert found.debate is not None
    assert found.debate.strategy == "madam"
    assert server.requests
    other = await asked(world, corpus, "Brin", debate="astute")
    assert other.debate is not None
    assert other.debate.strategy == "astute"


async def test_without_a_model_the_vote_stands_and_says_so(world: Runtime, corpus: Corpus) -> None:
    async with world.database.begin() as session:
        source = await sources.find(session, corpus, "herald")
        given = OverrideInput(reliability=0.8, reason="better")
        await sources.set_override(session, corpus, source.id, given, created_by="test")
    found = await asked(replace(world, chat=None), corpus, "Grom")
    assert (found.answers, found.decided_by, found.debate) == (("grey",), "vote", None)
    assert found.auto is not None
    assert "no_model" in found.auto.reasons
    assert any("CREDENCE_CHAT_MODEL" in note for note in found.notes)


async def test_a_tie_that_nobody_can_debate_has_no_answer(world: Runtime, corpus: Corpus) -> None:
    found = await asked(replace(world, chat=None), corpus, "Grom")
    assert (found.outcome, found.answers, found.decided_by) == ("conflicting", (), "nobody")
    assert found.vote is not None
    assert set(found.vote.answers) == {"grey", "pink"}
    assert len(found.tally) == 2
    assert any("No answer holds (tied" in note for note in found.notes)


async def test_what_nobody_knows_has_no_answer(world: Runtime, corpus: Corpus) -> None:
    found = await asked(world, corpus, "Nowhere")
    assert (found.outcome, found.answers) == ("unsupported", ())
    assert found.auto is not None
    assert (found.auto.action, found.auto.reasons) == ("abstain", ("no_votes",))


async def test_a_dead_model_leaves_the_vote(world: Runtime, corpus: Corpus, server: FakeOpenAIServer) -> None:
    server.stop()
    found = await asked(world, corpus, "Grom")
    assert (found.decided_by, set(found.answers)) == ("vote", {"grey", "pink"})
    assert any("could not be held" in note and "CREDENCE_CHAT_URL" in note for note in found.notes)


async def test_a_budget_too_small_for_a_debate_leaves_the_vote(
    world: Runtime, corpus: Corpus, server: FakeOpenAIServer
) -> None:
    parameters = AnswerParameters.model_validate({"strategy": "auto", "max_model_calls": 2, "kappa": 3})
    record = await ask.ask(world, corpus, question("Grom"), parameters)
    found = AnswerResult.model_validate(record.result)
    assert found.auto is not None
    assert "no_budget" in found.auto.reasons
    assert not server.requests
