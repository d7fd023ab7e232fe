"""The protocol of a chat model, and its messages: passages that cannot pass for instructions, then the question."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import add
from typing import Protocol

from pydantic import HttpUrl, SecretStr

from answering.models.usage import Usage
from answering.providers import Provider
from answering.text import compose

SEED = 7
# The longest completion by default; a rewritten response or a turn of a debate is far shorter.
MAX_TOKENS = 2048


@dataclass(frozen=True, slots=True)
class Sampling:
    """Sampling of the tokens of a completion; `max_tokens` None leaves the limit to the model.

    >>> Sampling()
    Sampling(temperature=0.0, seed=7, max_tokens=None)
    """

    temperature: float = 0.0
    seed: int = SEED
    max_tokens: int | None = None


GREEDY = Sampling()


@dataclass(frozen=True, slots=True)
class Completion:
    """The text that a model wrote, which may be empty, and its usage.

    >>> Completion("Paris", Usage(model_calls=1, input_tokens=20, output_tokens=1)).text
    'Paris'
    """

    text: str
    usage: Usage


class Chat(Protocol):
    """A chat model.

    >>> import asyncio
    >>> from tests.fakes.scripted_chat import ScriptedChat
    >>> chat: Chat = ScriptedChat("Paris")
    >>> asyncio.run(chat.complete("Answer in one word.", "What is the capital of France?")).text
    'Paris'
    """

    @property
    def name(self) -> str:
        """A stable identity, stored with what the model wrote."""
        ...

    async def complete(self, system: str, message: str, *, sampling: Sampling = GREEDY) -> Completion:
        """Raises `ModelError` if there is no usable reply."""
        ...

    async def aclose(self) -> None:
        """Closes connections and stops servers; the model is not used afterwards."""
        ...


class ChatSettings(Protocol):
    @property
    def chat_url(self) -> HttpUrl | None: ...

    @property
    def chat_model(self) -> str | None: ...

    @property
    def chat_api_key(self) -> SecretStr | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatProvider(Provider[ChatSettings, Chat]):
    """A kind of chat model; the first one in the list that `serves` the settings is made."""

    serves: Callable[[ChatSettings], bool]
    calls_model: bool = True


# Our tags, and the shapes of control tokens of chat templates, which some servers obey inside of data: <|im_end|>,
# </s>, <<SYS>>, <start_of_turn>, <unused0>, <seed:bos>, [INST], [CALL_ID], ]~b]. Most HTML has none of these shapes.
_MARKUP = re.compile(
    r"""<(?=\s*/?\s*passage | [|<] | /?[^\s<>]{0,40}?[^\sA-Za-z<>/-][^\s<>]{0,40}\s?>
        | /?(?:s|bo[is]|eo[a-z]|so[a-z]|pad|unk|mask|sep|cls|think|thinking|answer|end|endoftext|reponame|filename
            |role|system|user|human|assistant|bot|model|context|tool|image|audio|video)\s?>)
    | \[(?=/?(?:(?-i:[A-Z]{2,}(?:_[A-Z0-9]+)*) | INST|SYS|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_\w+|PREFIX|MIDDLE|SUFFIX
        |IMG\w*|gMASK|(?:unused|control_)\d+)\] | e~\[)
    | \](?=~)""",
    re.IGNORECASE | re.VERBOSE,
)
OPEN, CLOSE = "<passage>", "</passage>"


def user_message(question: str, passages: Sequence[str], contexts: Sequence[str] = ()) -> str:
    """The passages, each in tags that its text cannot close, below its context where these are given; the question."""
    above = [f"Below the title: {single_line(context)}\n" if context else "" for context in contexts]
    tagged = map(tagged_passage, passages)
    blocks = "\n".join(map(add, above or [""] * len(passages), tagged))
    return f"{blocks}\n\nQuestion: {single_line(question)}\nAnswer:"


def tagged_passage(text: str) -> str:
    """A text in passage tags, on lines of its own."""
    return f"{OPEN}\n{escape_markup(text)}\n{CLOSE}"


def escape_markup(text: str) -> str:
    """The text in composed Unicode without format characters, so that no markup hides in other forms of its letters,
    with a round bracket where another would open or close our tags or be a control token of a chat template.
    """
    lines = text.encode("utf-8", "replace").decode("utf-8").splitlines()
    return _MARKUP.sub("(", "\n".join(map(compose, lines)))


def single_line(text: str) -> str:
    """The escaped text on one line: single spaces and no control characters."""
    printable = "".join(character if character.isprintable() else " " for character in escape_markup(text))
    return " ".join(printable.split())
