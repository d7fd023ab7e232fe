"""The protocol of a reader: it answers a question from passages alone, or abstains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import HttpUrl, SecretStr

from answering.enums import AbstentionReason
from answering.models import Chat, Usage
from answering.providers import Provider

IDK = "IDK"


@dataclass(frozen=True, slots=True)
class Location:
    """The place from which an answer was copied: characters [start, end) of the passage with this index.

    >>> Location(passage=0, start=4, end=9)
    Location(passage=0, start=4, end=9)
    """

    passage: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Reading:
    """The answer of a reader, None where it abstains (IDK).

    `raw` is the reply of the model. `confidence` is in [0, 1], or None where the reader gives none. `location` is given
    by readers that copy their answers. A `cached` reading was made earlier.

    >>> Reading.abstention(Usage()).answer is None
    True
    """

    answer: str | None
    raw: str
    confidence: float | None
    usage: Usage
    location: Location | None = None
    cached: bool = False
    reason: AbstentionReason | None = None
    """Reason to abstain; None for an answer."""

    @classmethod
    def abstention(
        cls, usage: Usage, confidence: float | None = None, reason: AbstentionReason = AbstentionReason.NO_ANSWER
    ) -> Reading:
        """The reading of a reader that abstains."""
        return cls(None, IDK, confidence, usage, reason=reason)


class Reader(Protocol):
    """A reader.

    >>> import asyncio
    >>> from tests.fakes.scripted_reader import ScriptedReader
    >>> reader: Reader = ScriptedReader({"Who built the mill?": "Tora Myhre"})
    >>> asyncio.run(reader.read("Who built the mill?", ["Tora Myhre built the mill."])).answer
    'Tora Myhre'
    """

    @property
    def name(self) -> str:
        """A stable identity, stored with each reading; it differs where a setting changes the replies."""
        ...

    @property
    def prompt_hash(self) -> str:
        """SHA-256 (hex) of everything in the prompt but the question and the passages."""
        ...

    async def read(self, question: str, passages: Sequence[str], contexts: Sequence[str] = ()) -> Reading:
        """The reading of passages; `contexts`, one for each where given, say what each stands below: the title of its
        document, a heading. They are no part of an answer.

        Raises `ModelError` if there is no usable reply.
        """
        ...

    async def aclose(self) -> None:
        """Closes connections and stops servers; the reader is not used afterwards."""
        ...


def any_language(_question: str) -> bool:
    """Whether a reader of all languages knows that of a question: True."""
    return True


class ReaderSettings(Protocol):
    @property
    def reader_url(self) -> HttpUrl | None: ...

    @property
    def reader_model(self) -> str | None: ...

    @property
    def reader_api_key(self) -> SecretStr | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderProvider(Provider[ReaderSettings, Reader | None]):
    """A kind of reader; `make_chat` makes the chat model that it reads with, where it has one, and `knows` says
    whether it knows the language of a question.
    """

    make_chat: Callable[[ReaderSettings], Chat] | None = None
    knows: Callable[[str], bool] = any_language
