"""Claims: the statements of a response, one each, and the protocol of what splits a response into them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from answering.models.usage import Usage
from answering.text import squad_normalise


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement, worded so that it can be judged alone.

    `start` and `end` are the characters of the response that state it, None where its words are not consecutive there.

    >>> Claim("The bridge was opened in 1911.", start=0, end=30).text
    'The bridge was opened in 1911.'
    """

    text: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class SplitResult:
    """The claims of a response in their order, the cost of splitting it, and what went wrong, if something did."""

    claims: tuple[Claim, ...]
    usage: Usage = field(default_factory=Usage)
    note: str | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """The note, if there is one."""
        return (self.note,) if self.note else ()


class Splitter(Protocol):
    """Splits a response into claims."""

    @property
    def name(self) -> str:
        """A stable identity; differs where any setting changes the claims."""
        ...

    async def split(self, response: str, question: str | None) -> SplitResult:
        """The claims of the response, each once; none where it states nothing. Raises ModelError."""
        ...


def distinct(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """Each claim once, however it is capitalised and punctuated; those without a word are left out."""
    by_words: dict[str, Claim] = {}
    for claim in claims:
        by_words.setdefault(squad_normalise(claim.text), claim)
    return tuple(claim for words, claim in by_words.items() if words)
