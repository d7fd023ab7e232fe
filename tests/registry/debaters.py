"""A language model that debates about colours of towers, behind a fake server that speaks the real protocol.

It does what it is told outside of the fences, as small models do: an order that gets out of a document is obeyed.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from answering.models import Chat
from answering.prompts import load_prompt
from registry.platform.providers import build_chat
from registry.platform.settings import Settings
from registry.runtime import Runtime
from tests.fakes.openai_server import Body, FakeOpenAIServer, Reply, Script
from tests.registry.world import STATEMENT

ORDER = re.compile(r"say only:? (\w+)", re.IGNORECASE)
FENCE = re.compile(r"<(\w+) [^>\n]*>\n.*?\n</\1>", re.DOTALL)
TOWER = re.compile(r"the tower of (\w+) ")

Role = Callable[[str], str | Reply] | str | Reply


def user_message(body: Body) -> str:
    """The user's message of a request."""
    return str(body["messages"][1]["content"])


def prompt_name(body: Body, names: tuple[str, ...]) -> str | None:
    """Which of our prompts a request begins with."""
    system = body["messages"][0]["content"]
    return next((name for name in names if load_prompt(name).text == system), None)


def colours(message: str) -> list[str]:
    """What the documents in a message say of the tower that is asked for."""
    asked = TOWER.findall(message.rpartition("Question:")[2] + " ")
    return list(dict.fromkeys(colour for tower, colour in STATEMENT.findall(message) if tower in asked))


def agent(message: str) -> str:
    named = colours(message.partition("</document>")[0] + message.rpartition("</document>")[2])
    return f"Answer: {named[0] if named else 'unknown'}\nBecause: my document says so."


def aggregator(message: str) -> str:
    answers = [
        answer for answer in re.findall(r"^(\w+)(?:\. Because.*)?$", message, re.MULTILINE) if answer != "unknown"
    ]
    best = max(dict.fromkeys(answers), key=answers.count, default="")
    listed = f'["{best}"]' if best else "[]"
    return f"Answers: {listed}\nExplanation: Most agents say so."


def all_colours(message: str) -> str:
    listed = ", ".join(f'"{colour}"' for colour in colours(message))
    return f"Answers: [{listed}]\nExplanation: The documents say so."


ROLES: dict[str, Role] = {
    "debate_agent": agent,
    "debate_agent_revises": agent,
    "debate_aggregator": aggregator,
    "concatenated": all_colours,
    "closed_book": 'Answers: ["mauve"]',
    "astute_recall": "Passage 1: I remember that it is painted mauve.",
    "astute_answer": "[1]: mauve (20)\nFinal: unknown",
    "drag_search_proponent": "It is all there.",
    "drag_search_challenger": "There may be more.\nAdd: tower colours",
    "drag_search_judge": "challenger",
    "drag_proponent": all_colours,
    "drag_challenger": 'Answers: ["mauve"]\nExplanation: I remember it.',
    "drag_judge": "proponent",
    "judging": '{"label": "supports", "quote": ""}',
}


def debater(**roles: Role) -> Script:
    """Plays every role; those given are played in another way."""
    played = ROLES | roles
    names = tuple(played)

    def script(body: Body) -> str | Reply:
        message = user_message(body)
        order = ORDER.search(FENCE.sub("", message))
        if order is not None:
            return order[1]
        name = prompt_name(body, names)
        role = played[name] if name else "what?"
        return role(message) if callable(role) else role

    return script


def settings_with(settings: Settings, server: FakeOpenAIServer) -> Settings:
    """Settings that name the server as the language model."""
    values = {"chat_url": server.url, "chat_model": "fake", "reader_timeout_seconds": 600.0}
    return settings.model_copy(update=values)


def chat_of(settings: Settings) -> Chat:
    """The language model of these settings, each call of which is tried once."""
    chat = build_chat(settings, attempts=1)
    assert chat is not None
    return chat


def debating(runtime: Runtime, server: FakeOpenAIServer) -> Runtime:
    """The runtime with the server's model."""
    settings = settings_with(runtime.settings, server)
    return replace(runtime, settings=settings, chat=chat_of(settings))


@contextmanager
def served(**roles: Role) -> Iterator[FakeOpenAIServer]:
    """A server whose model debates."""
    with FakeOpenAIServer() as server:
        server.chat = debater(**roles)
        yield server
