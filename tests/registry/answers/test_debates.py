"""Debates in the service: fed by selected sources alone, with the vote beside them."""

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from answering.errors import ModelError
from registry.answers import jobs as queued_answers
from registry.answers import store as stored_answers
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.documents import store as documents
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.platform.enums import RunStatus
from registry.platform.providers import Judges
from registry.platform.settings import AnswerJudge
from registry.runtime import Runtime
from registry.sources import store as sources
from tests.fakes.openai_server import FakeOpenAIServer, dropped, in_turn
from tests.registry.answers.asking import RELIABLE, asked
from tests.registry.debaters import debater, user_message
from tests.registry.world import question


async def test_a_debate_with_the_vote_beside_it(runtime_with_model: Runtime, corpus: Corpus) -> None:
    answer = await asked(runtime_with_model, corpus, strategy="madam", kappa=3)
    assert (answer.outcome, answer.answers, answer.decided_by) == ("answered", ("grey",), "debate")
    assert answer.vote is not None
    assert answer.vote.answers == ("grey",)
    assert {line.answer: line.votes for line in answer.tally} == {"grey": 2, "pink": 1}
    assert [dissenter.answer for dissenter in answer.dissent] == ["pink"]
    assert [citation.answer for citation in answer.dissent_citations] == ["grey", "grey", "pink"]
    assert answer.certificate.size is not None
    debate = answer.debate
    assert debate is not None
    assert (debate.stop_reason, debate.rounds, debate.model) == ("converged", 2, "openai:fake")
    assert debate.settings == {
        "rounds": 3,
        "aggregator": True,
        "unaggregated": "majority",
        "first": "agents",
        "seen": "aggregate",
        "show_reliability": False,
    }
    assert [(document.id, document.source, document.reliability) for document in debate.documents] == [
        ("d1", "Herald", 0.95),
        ("d2", "Gazette", 0.9),
        ("d3", "Rumour", 0.4),
    ]
    assert [(supported.answer, supported.documents) for supported in debate.answers] == [("grey", ("d1", "d2"))]
    assert 0.9 < answer.confidence <= 1


async def test_citations_stand_verbatim_in_documents_of_the_answer(runtime_with_model: Runtime, corpus: Corpus) -> None:
    answer = await asked(runtime_with_model, corpus, strategy="concatenated", kappa=4)
    assert answer.answers == ("grey", "pink")
    assert [(citation.answer, "grey" in citation.quote, "pink" in citation.quote) for citation in answer.citations] == [
        ("grey", True, False),
        ("grey", True, False),
        ("pink", False, True),
        ("pink", False, True),
    ]
    async with runtime_with_model.database.begin() as session:
        for citation in answer.citations:
            document = await documents.get(session, corpus, citation.source_id, citation.document_id)
            assert document.content[citation.start : citation.end] == citation.quote


async def test_only_what_selected_sources_published_is_read(
    runtime_with_model: Runtime, corpus: Corpus, server: FakeOpenAIServer
) -> None:
    for strategy in ("madam", "astute", "drag", "concatenated", "self_consistency"):
        server.requests.clear()
        await asked(runtime_with_model, corpus, strategy=strategy, kappa=2)
        sent = "\n".join(user_message(request.body) for request in server.requests)
        assert "By herald." in sent, strategy
        assert not any(f"By {name}." in sent for name in ("rumour", "gossip", "hearsay")), strategy


async def test_a_search_without_restriction_finds_other_sources(runtime_with_model: Runtime, corpus: Corpus) -> None:
    parameters: dict[str, Any] = {"strategy": "drag", "kappa": 1, "drag": {"selected_only": False, "per_query": 20}}
    answer = await asked(runtime_with_model, corpus, **parameters)
    assert answer.debate is not None
    selected = {document.source: document.selected for document in answer.debate.documents}
    assert False in selected.values()
    # Its vote would weigh nothing.
    assert "Hearsay" not in selected
    searches = [turn for turn in answer.debate.transcript if turn.kind == "search"]
    assert searches[0].said.startswith("tower colours: d")
    restricted = await asked(runtime_with_model, corpus, strategy="drag", kappa=1)
    assert restricted.debate is not None
    assert {document.source for document in restricted.debate.documents} == {"Herald"}


async def test_what_only_the_model_remembers_is_not_supported(runtime_with_model: Runtime, corpus: Corpus) -> None:
    answer = await asked(runtime_with_model, corpus, strategy="no_rag")
    assert (answer.outcome, answer.answers, answer.confidence, answer.citations) == ("unsupported", ("mauve",), 0.0, ())
    assert any("memory of the language model" in note for note in answer.notes)
    assert answer.debate is not None
    assert answer.debate.documents == ()


async def test_a_debate_without_documents_costs_nothing(
    runtime_with_model: Runtime, corpus: Corpus, server: FakeOpenAIServer
) -> None:
    async with runtime_with_model.database.begin() as session:
        for name in RELIABLE:
            source = await sources.find(session, corpus, name)
            for document in (await documents.page(session, corpus, source.id, cursor=None, limit=50)).items:
                await documents.delete(session, corpus, source.id, document.id)
    answer = await asked(runtime_with_model, corpus, strategy="madam")
    assert (answer.outcome, answer.answers) == ("no_evidence", ())
    assert answer.debate is not None
    assert answer.debate.stop_reason == "no_documents"
    assert not server.requests


def as_in_paper(runtime: Runtime) -> Runtime:
    """With three passages in a reading."""
    return replace(runtime, settings=runtime.settings.model_copy(update={"passages_per_source": 3}))


async def test_models_are_told_when_documents_were_published(
    runtime_with_model: Runtime, corpus: Corpus, server: FakeOpenAIServer
) -> None:
    async with runtime_with_model.database.begin() as session:
        herald = (await sources.find(session, corpus, "herald")).id
    text = "By herald. The tower of Jelt is painted grey."
    published = datetime(2019, 5, 3, 23, 30, tzinfo=timezone(timedelta(hours=-2)))
    document = DocumentInput(external_id="Jelt", title="Jelt", content=text, published_at=published)
    await ingest(runtime_with_model, corpus, herald, [document])
    await asked(runtime_with_model, corpus, tower="Jelt", strategy="concatenated", kappa=1)
    assert "<document 1, published 2019-05-04>" in user_message(server.requests[0].body)
    server.requests.clear()
    await asked(as_in_paper(runtime_with_model), corpus, "Jelt", strategy="madam", kappa=1, paper=True)
    assert "<document 1>" in user_message(server.requests[0].body)
    assert not any("2019" in user_message(request.body) for request in server.requests)


async def test_as_in_their_papers_debates_keep_what_no_document_supports(
    runtime_with_model: Runtime, corpus: Corpus, server: FakeOpenAIServer
) -> None:
    server.chat = debater(debate_aggregator='Answers: ["mauve"]')
    answer = await asked(runtime_with_model, corpus, strategy="madam", kappa=2)
    by_paper = await asked(as_in_paper(runtime_with_model), corpus, strategy="madam", kappa=2, paper=True)
    assert answer.debate is not None
    assert by_paper.debate is not None
    assert (answer.debate.answers, answer.debate.unsupported) == ((), ("mauve",))
    assert ([said.answer for said in by_paper.debate.answers], by_paper.debate.unsupported) == (["mauve"], ())


def judging(runtime: Runtime) -> Runtime:
    """The same service with its language model as judge."""
    settings = runtime.settings.model_copy(update={"conflict_judge": AnswerJudge("language_model")})
    return replace(runtime, settings=settings, judges=Judges(runtime.chat))


async def test_the_judge_spends_from_the_same_budget(
    runtime_with_model: Runtime, corpus: Corpus, server: FakeOpenAIServer
) -> None:
    runtime = judging(runtime_with_model)
    whole = await asked(runtime, corpus, strategy="concatenated", kappa=3)
    assert whole.conflict_score is not None
    judged = whole.conflict_score.usage.model_calls
    assert judged == 6
    assert len(server.requests) == judged + 1
    assert whole.usage.model_calls == whole.usage.readings + judged + 1
    short = await asked(runtime, corpus, strategy="concatenated", kappa=3, max_model_calls=4)
    assert (short.answers, short.conflict_score) == (("grey", "pink"), None)
    assert "max_model_calls" in (short.conflict_score_missing or "")
    assert len(server.requests) == judged + 1 + 4


async def test_of_auto_the_judge_spends_first(
    runtime_with_model: Runtime, corpus: Corpus, server: FakeOpenAIServer
) -> None:
    auto: dict[str, Any] = {"strategy": "auto", "auto": {"debate": "madam"}, "kappa": 3}
    answer = await asked(judging(runtime_with_model), corpus, **auto, max_model_calls=6)
    assert answer.auto is not None
    assert (answer.auto.action, answer.auto.reasons[-1]) == ("vote", "no_budget")
    assert len(server.requests) == 3
    assert answer.usage.model_calls == answer.usage.readings + 3
    debated = await asked(judging(runtime_with_model), corpus, **auto, max_model_calls=20)
    assert debated.debate is not None
    assert debated.usage.model_calls == len(server.requests) - 3
    assert debated.usage.readings_cached == debated.usage.readings


@pytest.mark.parametrize("limit", [{"max_model_calls": 0}, {"max_tokens": 0}, {"max_seconds": 0}])
async def test_a_debate_cut_off_at_once_leaves_the_vote(
    runtime_with_model: Runtime, corpus: Corpus, server: FakeOpenAIServer, limit: dict[str, Any]
) -> None:
    answer = await asked(runtime_with_model, corpus, strategy="madam", kappa=3, **limit)
    assert (answer.answers, answer.decided_by) == (("grey",), "vote")
    assert answer.debate is not None
    assert answer.debate.answers == ()
    assert not server.requests
    assert any(next(iter(limit)) in note for note in answer.notes)
    assert any("weighted vote" in note for note in answer.notes)


async def test_a_model_that_dies_half_way_leaves_a_partial_answer(
    runtime_with_model: Runtime, corpus: Corpus, server: FakeOpenAIServer
) -> None:
    server.chat = in_turn(*["Answer: grey\nBecause: so."] * 3, 'Answers: ["grey"]\nExplanation: All say so.', dropped())
    answer = await asked(runtime_with_model, corpus, strategy="madam", kappa=3)
    assert answer.answers == ("grey",)
    assert answer.debate is not None
    assert "failed" in {turn.status for turn in answer.debate.transcript}
    assert any("got no reply" in note and "CREDENCE_CHAT_URL" in note for note in answer.notes)


async def test_a_model_that_is_dead_is_a_clear_problem(
    runtime_with_model: Runtime, corpus: Corpus, server: FakeOpenAIServer
) -> None:
    server.stop()
    with pytest.raises(ModelError, match="CREDENCE_CHAT_URL"):
        await asked(runtime_with_model, corpus, strategy="madam")
    queued = await queued_answers.start(
        runtime_with_model, corpus, question("Grom"), AnswerParameters.model_validate({"strategy": "drag"})
    )
    await queued_answers.run(runtime_with_model, queued.id)
    async with runtime_with_model.database.begin() as session:
        done = await stored_answers.get(session, corpus, queued.id)
    assert done.status == RunStatus.FAILED
    assert "CREDENCE_CHAT_URL" in (done.problem or {})["detail"]
