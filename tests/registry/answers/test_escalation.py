"""`auto`: the vote where it is safe, all answers or a debate where it is not, no answer where nothing holds."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from registry.answers import service as answers
from registry.answers.result_schemas import AnswerResult
from registry.answers.schemas import AnswerParameters, Strategy
from registry.corpora.model import Corpus
from registry.platform.settings import AnswerJudge
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.schemas import OverrideInput
from tests.fakes.openai_server import FakeOpenAIServer
from tests.fakes.scripted_reader import ScriptedReader
from tests.registry.answers.asking import rated
from tests.registry.debaters import debating, user_message
from tests.registry.world import build, colour_reader, question

STATED = {
    "herald": {"Grom": "grey", "Aldra": "red", "Brin": "blue"},
    "gazette": {"Grom": "grey", "Aldra": "red", "Brin": "green"},
    "rumour": {"Grom": "pink", "Aldra": "red"},
    "gossip": {"Grom": "pink"},
}
ALIKE = 0.7


@pytest.fixture
async def world(runtime: Runtime, corpus: Corpus, server: FakeOpenAIServer) -> AsyncIterator[Runtime]:
    """Sources that are as reliable as each other, and agree about Aldra alone."""
    plain = runtime.settings.model_copy(update={"passages_per_source": 1, "conflict_judge": AnswerJudge.NONE})
    reading = replace(runtime, reader=colour_reader(), settings=plain)
    await build(reading, corpus, STATED)
    async with runtime.database.begin() as session:
        for name in STATED:
            source = await sources.find(session, corpus, name)
            override = OverrideInput(reliability=ALIKE, reason="known")
            await sources.set_override(session, corpus, source.id, override, created_by="test")
    debate = debating(reading, server)
    yield debate
    assert debate.chat is not None
    await debate.chat.aclose()


async def asked(runtime: Runtime, corpus: Corpus, tower: str, **auto: object) -> AnswerResult:
    parameters = AnswerParameters.model_validate({"strategy": "auto", "auto": auto or None})
    record = await answers.ask(runtime, corpus, question(tower), parameters)
    return AnswerResult.model_validate(record.result)


async def test_what_nobody_disputes_costs_no_call(world: Runtime, corpus: Corpus, server: FakeOpenAIServer) -> None:
    answer = await asked(world, corpus, "Aldra")
    assert (answer.answers, answer.decided_by) == (("red",), "vote")
    assert answer.auto is not None
    assert (answer.auto.action, answer.auto.reasons) == ("vote", ("undisputed",))
    assert not server.requests


async def test_where_sources_disagree_all_answers_stand_side_by_side(
    world: Runtime, corpus: Corpus, server: FakeOpenAIServer
) -> None:
    answer = await asked(world, corpus, "Grom")
    assert answer.auto is not None
    assert answer.auto.action == "side_by_side"
    assert "tied" in answer.auto.reasons
    assert (answer.outcome, set(answer.answers), answer.decided_by) == ("conflicting", {"grey", "pink"}, "readings")
    assert answer.vote is not None
    assert all(source.supports for source in answer.selected_sources)
    by_source = {source.source_id: source.answer for source in answer.selected_sources}
    assert {citation.source_id: citation.answer for citation in answer.citations} == by_source
    assert all(citation.answer is not None and citation.answer in citation.quote for citation in answer.citations)
    assert any("Sources disagree" in note for note in answer.notes)
    assert not server.requests


async def test_a_conflict_is_debated_where_that_is_wished(
    world: Runtime, corpus: Corpus, server: FakeOpenAIServer
) -> None:
    answer = await asked(world, corpus, "Grom", debate="madam")
    assert answer.auto is not None
    assert answer.auto.action == "debate"
    assert "tied" in answer.auto.reasons
    assert answer.decided_by == "debate"
    assert answer.debate is not None
    assert answer.debate.strategy == "madam"
    assert server.requests
    other = await asked(world, corpus, "Brin", debate="astute")
    assert other.debate is not None
    assert other.debate.strategy == "astute"


async def test_without_a_model_the_vote_stands_and_says_so(world: Runtime, corpus: Corpus) -> None:
    async with world.database.begin() as session:
        source = await sources.find(session, corpus, "herald")
        override = OverrideInput(reliability=0.8, reason="better")
        await sources.set_override(session, corpus, source.id, override, created_by="test")
    answer = await asked(replace(world, chat=None), corpus, "Grom", debate="madam")
    assert (answer.answers, answer.decided_by, answer.debate) == (("grey",), "vote", None)
    assert answer.auto is not None
    assert "no_model" in answer.auto.reasons
    assert any("CREDENCE_CHAT_MODEL" in note for note in answer.notes)


async def test_a_tie_that_nobody_can_debate_has_no_answer(world: Runtime, corpus: Corpus) -> None:
    answer = await asked(replace(world, chat=None), corpus, "Grom", debate="madam")
    assert (answer.outcome, answer.answers, answer.decided_by) == ("conflicting", (), "nobody")
    assert answer.no_answer is not None
    assert answer.no_answer.code == "no_answer_holds"
    assert answer.vote is not None
    assert set(answer.vote.answers) == {"grey", "pink"}
    assert [citation.answer for citation in answer.dissent_citations] == [
        line.answer for line in answer.tally for _ in "12"
    ]
    assert any("No answer is safe enough (tied" in note for note in answer.notes)


def blind() -> ScriptedReader:
    """A reader that finds nothing anywhere."""
    return ScriptedReader(lambda _question, _passages: None)


async def test_what_the_reader_missed_the_language_model_may_find(
    world: Runtime, corpus: Corpus, server: FakeOpenAIServer
) -> None:
    answer = await asked(replace(world, reader=blind()), corpus, "Aldra")
    assert (answer.outcome, answer.answers, answer.decided_by) == ("answered", ("red",), "debate")
    assert answer.auto is not None
    assert (answer.auto.action, answer.auto.reasons) == ("debate", ("no_votes",))
    assert answer.debate is not None
    assert answer.debate.strategy == "concatenated"
    assert len(server.requests) == 1
    assert {citation.quote for citation in answer.citations}
    assert {source.reason for source in answer.rejected_sources} == {"abstained"}
    assert 0.5 < answer.confidence < 1


async def test_sources_that_count_nothing_are_not_looked_into(
    world: Runtime, corpus: Corpus, server: FakeOpenAIServer
) -> None:
    await rated(world, corpus, {"herald": 0.8, "gazette": 0.8, "rumour": 0.02})
    answer = await asked(replace(world, reader=blind()), corpus, "Grom")
    assert answer.answers == ("grey", "pink")
    assert "By rumour." not in user_message(server.requests[0].body)
    assert "By gossip." in user_message(server.requests[0].body)


async def test_a_dead_model_leaves_the_vote(world: Runtime, corpus: Corpus, server: FakeOpenAIServer) -> None:
    server.stop()
    answer = await asked(world, corpus, "Grom", debate="madam")
    assert (answer.decided_by, set(answer.answers)) == ("vote", {"grey", "pink"})
    assert any("could not be held" in note and "CREDENCE_CHAT_URL" in note for note in answer.notes)


async def test_answers_and_documents_of_distrusted_sources_stand_beside_no_others_and_in_no_debate(
    world: Runtime, corpus: Corpus, server: FakeOpenAIServer
) -> None:
    await rated(world, corpus, {"rumour": 0.02, "gossip": 0.02})
    answer = await asked(world, corpus, "Grom", certificate=5)
    assert (answer.answers, answer.decided_by) == (("grey",), "vote")
    assert not server.requests
    await answers.ask(world, corpus, question("Grom"), AnswerParameters(strategy=Strategy("madam")))
    messages = [user_message(request.body) for request in server.requests]
    assert any("grey" in message for message in messages)
    assert not any("pink" in message for message in messages)
