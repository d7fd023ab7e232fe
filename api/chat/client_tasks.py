"""Requests that chat front ends send by themselves: recognised by the wording of their templates, answered by rule.

A title, tags or follow-up questions need no source to be read. Each front end lets its operator change the templates;
a request that is made by another template is answered as a question.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from answering.questions.conversation import Role, Turn

TITLE_WORDS = 8
# The line after the mark of Open WebUI, LibreChat or n8n; a longer one is cut.
_FIRST_MESSAGE = re.compile(r"(?:<chat_history>\s*+USER:|\bUser:|^>>> (?!\[file))[ \t]*+(.{1,200})", re.MULTILINE)
_ATTACHED = re.compile(r"\s*+### Task:\s+Respond to the user query using the provided context")
_FIELDS = "title|tags|follow_ups|queries|text|prompt"


@dataclass(frozen=True, slots=True)
class ClientTask:
    """A kind of request: the client that sends it, what its template begins with, and the reply to its text."""

    client: str
    pattern: str
    reply: Callable[[str], str]

    def matches(self, text: str) -> bool:
        """Whether a message is made by the template."""
        return re.match(rf"\s*+{self.pattern}", text, re.DOTALL) is not None


def title_of(request: str) -> str:
    """The first words of the conversation that a request for a title quotes."""
    match = _FIRST_MESSAGE.search(request)
    words = match[1].split() if match else []
    return " ".join(words[:TITLE_WORDS]).rstrip("?!.,;:") or "Question"


def _json(**fields: object) -> Callable[[str], str]:
    return lambda _request: json.dumps(fields)


def _open_webui(field: str, reply: Callable[[str], str]) -> ClientTask:
    """A task whose template asks for a JSON object with this field and quotes what was said or typed."""
    # Atomic groups: without backtracking the time is linear in a message that a client may make very long.
    asks_for = rf'(?>.*?\{{\s*+"(?=(?:{_FIELDS})"\s*+:)){field}"'
    quotes = "(?>.*?<(?:chat_history|text)>)"
    return ClientTask("Open WebUI", rf"### Task:(?!\s+Respond to the user query){asks_for}{quotes}", reply)


TASKS: Sequence[ClientTask] = (
    _open_webui("title", lambda request: json.dumps({"title": title_of(request)}, ensure_ascii=False)),
    _open_webui("tags", _json(tags=["General"])),
    _open_webui("follow_ups", _json(follow_ups=[])),
    _open_webui("queries", _json(queries=[])),
    _open_webui("text", _json(text="")),
    _open_webui("prompt", _json(prompt="")),
    ClientTask("Open WebUI", "Your task is to reflect the speaker's likely facial expression", lambda _request: "💬"),
    ClientTask("Open WebUI", r'Available Tools:(?>.*?"tool_calls")', _json(tool_calls=[])),
    ClientTask("LibreChat", r"(?:Please )?[Pp]rovide a concise, 5-word-or-less title for the conversation", title_of),
    ClientTask(
        "LibreChat",
        r"Analyze this conversation and provide:\s+1\. The detected language",
        lambda request: json.dumps({"language": "English", "title": title_of(request)}, ensure_ascii=False),
    ),
    ClientTask("n8n", "Generate a concise and descriptive title for an AI chat conversation", title_of),
)


def reply_to_task(system: str, turns: Sequence[Turn]) -> str | None:
    """The reply to a request that a front end sent by itself; None for a question."""
    texts = [text for text in (turns[-1].text, system) if text]
    reply = next((task.reply(text) for text in texts for task in TASKS if task.matches(text)), None)
    # What a client sent may hold half of a surrogate pair, which cannot be sent back.
    return None if reply is None else reply.encode("utf-8", "replace").decode()


def typed_by_user(text: str) -> str:
    """The message without the template in which Open WebUI wraps it where files are attached."""
    if not _ATTACHED.match(text):
        return text
    _, tag, query = text.rpartition("<user_query>")
    return query.partition("</user_query>")[0].strip() if tag else text.rpartition("</context>")[2].strip()


def typed_turns(turns: Sequence[Turn]) -> list[Turn]:
    """The turns as they were typed."""
    return [Turn(turn.role, typed_by_user(turn.text)) if turn.role is Role.USER else turn for turn in turns]
