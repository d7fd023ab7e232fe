"""The last message of a conversation is rewritten by the language model where there is one, else by rule."""

from dataclasses import replace

import pytest

from answering.errors import ModelTimeout
from answering.questions.conversation import Role, Turn
from registry.answers.conversation import whole_question
from registry.corpora.model import Corpus
from registry.keys import service as keys
from registry.keys.schemas import KeyInput, Scope
from registry.runtime import Runtime
from tests.fakes.scripted_chat import Script, ScriptedChat

TURNS = [
    Turn(Role.USER, "Who designed the Skerrow Lighthouse?"),
    Turn(Role.ASSISTANT, "**Hélène Marchetti**"),
    Turn(Role.USER, "When was it built?"),
]
BY_RULE = "When was the Skerrow Lighthouse built?"
BY_MODEL = "In which year was the Skerrow Lighthouse built?"


def with_chat(runtime: Runtime, script: Script) -> tuple[Runtime, ScriptedChat]:
    chat = ScriptedChat(script)
    return replace(runtime, chat=chat), chat


async def test_without_a_model_the_rules_decide(runtime: Runtime) -> None:
    assert await whole_question(runtime, TURNS) == BY_RULE


async def test_the_model_sees_both_sides(runtime: Runtime) -> None:
    runtime, chat = with_chat(runtime, BY_MODEL)
    assert await whole_question(runtime, TURNS) == BY_MODEL
    assert "Hélène Marchetti" in chat.calls[0].message


async def test_a_first_question_is_left_alone(runtime: Runtime) -> None:
    runtime, chat = with_chat(runtime, BY_MODEL)
    assert await whole_question(runtime, TURNS[:1]) == TURNS[0].text
    assert not chat.calls


@pytest.mark.parametrize("script", ["", lambda _call: ModelTimeout("no reply in time")])
async def test_a_model_that_fails_costs_no_answer(runtime: Runtime, script: Script) -> None:
    assert await whole_question(with_chat(runtime, script)[0], TURNS) == BY_RULE


async def test_the_call_counts_against_the_key(runtime: Runtime, corpus: Corpus) -> None:
    runtime, chat = with_chat(runtime, BY_MODEL)
    values = KeyInput(name="chat", scopes=frozenset({Scope.ASK}), daily_model_calls=1)
    async with runtime.database.begin() as session:
        key, _ = await keys.create(session, corpus, values)
    assert await whole_question(runtime, TURNS, key_id=key.id) == BY_MODEL
    assert await whole_question(runtime, TURNS, key_id=key.id) == BY_RULE
    assert len(chat.calls) == 1
