"""The protocol of a chat model: one completion of a system prompt and a message."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from pydantic import HttpUrl, SecretStr

from answering.models.usage import Usage
from answering.providers import Provider

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
    >>> from answering.models import ScriptedChat
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
    """The settings that chat models are made from."""

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
