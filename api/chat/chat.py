"""A message of a chat answered: by rule if its front end sent it by itself, else as a question to the corpus."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from uuid import UUID

from pydantic import ValidationError
from uuid_utils.compat import uuid7

from answering.questions.conversation import Role, Turn
from api.chat.model_names import ModelName
from api.chat.reply import Reply, addresses_of, write_reply
from registry.answers import service as answers
from registry.answers.conversation import FollowUp, whole_question
from registry.answers.model import AnswerRecord
from registry.answers.question import Progress, silent
from registry.answers.result_schemas import AnswerResult
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.passages.schemas import EvidenceFilter
from registry.platform.errors import InvalidInput
from registry.platform.fields import QUESTION
from registry.runtime import Runtime
from registry.viewers.model import Asker

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
    return [Turn(turn.role, typed_by_user(turn.text)) if turn.role is Role.USER else turn for turn in turns]


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A question of a chat front end; `field` names the part of its request that holds the messages."""

    runtime: Runtime
    corpus: Corpus
    model: ModelName
    system: str
    turns: Sequence[Turn]
    asker: Asker
    field: str
    before: AnswerRecord | None = None
    """The answer that the conversation goes on from, if it is stored."""
    restriction: EvidenceFilter = dataclass_field(default_factory=EvidenceFilter)
    keep_as_query: bool = True
    """Whether the question may become a query."""
    answer_id: UUID = dataclass_field(default_factory=uuid7)
    """The id under which the answer is stored, unless the front end sent the request by itself."""

    def check(self) -> None:
        """Raises `InvalidInput` without a question, `SettingsError` if a model that is needed is not configured."""
        if not self.turns or self.turns[-1].role is not Role.USER:
            raise InvalidInput("The last message must be one of the user.", field=self.field)
        if reply_to_task(self.system, self.turns) is None:
            self._checked(typed_by_user(self.turns[-1].text))
            self.runtime.require_reader()
            if self.model.strategy.debates:
                self.runtime.require_chat()

    async def answer(self, progress: Progress = silent) -> Reply:
        """The reply. Raises what `registry.answers.ask` raises."""
        by_rule = reply_to_task(self.system, self.turns)
        if by_rule is not None:
            return Reply(by_rule)
        turns = typed_turns(self.turns)
        question = self._checked(await whole_question(self.runtime, turns, key_id=self.asker.key_id))
        record = await answers.ask(
            self.runtime,
            self.corpus,
            question if self.before is None else FollowUp.of(self.before, question, turns[-1].text),
            AnswerParameters(
                strategy=self.model.strategy,
                keep_as_query=self.keep_as_query,
                **self.restriction.model_dump(exclude_none=True),
            ),
            asker=self.asker,
            progress=progress,
            answer_id=self.answer_id,
        )
        result = AnswerResult.model_validate(record.result)
        async with self.runtime.database.begin() as session:
            addresses = await addresses_of(session, result)
        asked = " ".join(turns[-1].text.split())
        understood = " ".join(question.split())
        return write_reply(result, addresses, answer_id=self.answer_id, asked=asked, understood=understood)

    def _checked(self, question: str) -> str:
        try:
            return QUESTION.validate_python(question)
        except ValidationError as error:
            message = error.errors()[0]["msg"].removeprefix("Value error, ")
            raise InvalidInput(f"The question {message[0].lower()}{message[1:]}.", field=self.field) from error
