"""Debates whose budget or language model gives out: none loses an answer that the vote has."""

from dataclasses import replace
from typing import Any

import pytest

from answering.errors import ModelError
from registry.answers import service as answers
from registry.answers import store as stored_answers
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.platform.enums import RunStatus
from registry.platform.providers import Judges
from registry.platform.settings import AnswerJudge
from registry.runtime import Runtime
from tests.fakes.openai_server import FakeOpenAIServer, dropped, in_turn
from tests.registry.answers.asking import asked
from tests.registry.world import question


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
    queued = await answers.start(
        runtime_with_model, corpus, question("Grom"), AnswerParameters.model_validate({"strategy": "drag"})
    )
    await answers.run(runtime_with_model, queued.id)
    async with runtime_with_model.database.begin() as session:
        done = await stored_answers.get(session, corpus, queued.id)
    assert done.status == RunStatus.FAILED
    assert "CREDENCE_CHAT_URL" in (done.problem or {})["detail"]
