"""What the rest of Credence knows of a chat model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from answering.models.usage import Usage

SEED = 7


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the words of a reply are drawn; `max_tokens` None leaves the longest reply to the model."""

    temperature: float = 0.0
    seed: int = SEED
    max_tokens: int | None = None


GREEDY = Sampling()


@dataclass(frozen=True, slots=True)
class Completion:
    """What the model wrote, empty where it wrote nothing, and what it cost."""

    text: str
    usage: Usage


class Chat(Protocol):
    """One completion of a system prompt and a message."""

    @property
    def name(self) -> str:
        """A stable identity, stored with what the model said."""
        ...

    async def complete(self, system: str, message: str, *, sampling: Sampling = GREEDY) -> Completion:
        """Raises ModelError where no reply can be had."""
        ...

    async def aclose(self) -> None:
        """Lets go of connections; a closed model is not asked again."""
        ...
