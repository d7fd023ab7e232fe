"""What the rest of Credence knows of a reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from answering.models.usage import Usage

__all__ = ["Location", "Reader", "Reading", "Usage"]


@dataclass(frozen=True, slots=True)
class Location:
    """Where an answer was copied from: characters [start, end) of one of the passages, counted from 0."""

    passage: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader answers from some passages: `answer` is None where it abstains (IDK).

    `raw` is the model's reply as it came. `confidence` is in [0, 1], None where the reader has none. `location` is
    known of readers that copy their answer. A `cached` reading was made earlier.
    """

    answer: str | None
    raw: str
    confidence: float | None
    usage: Usage
    location: Location | None = None
    cached: bool = False


class Reader(Protocol):
    """Answers a question from passages alone, or abstains."""

    @property
    def name(self) -> str:
        """A stable identity, stored with each reading; differs where any setting changes the replies."""
        ...

    @property
    def prompt_hash(self) -> str:
        """SHA-256 (hex) of everything of the prompt but the question and the passages."""
        ...

    async def read(self, question: str, passages: Sequence[str]) -> Reading:
        """Raises ModelError where no reply can be had."""
        ...

    async def aclose(self) -> None:
        """Lets go of connections and models; a closed reader is not read with again."""
        ...
