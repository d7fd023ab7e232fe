"""Claims: what a response states, one statement each, and the port of what takes a response apart."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

import regex

from answering.conflict.clauses import has_verb
from answering.judges import claim_of
from answering.models.usage import Usage
from answering.text import squad_normalise, tokenize

# So many words are no sentence, unless they end as one or have a verb.
SHORT_WORDS = 8
_ENDS_A_SENTENCE = regex.compile(r"[.!?\u2026\u3002][\p{Pf}\p{Pe}\"']?$")
_DECORATION = regex.compile(r"\*\*|__|`|\s?\[\d{1,3}(?:,\s?\d{1,3}){0,9}\]")


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement, worded so that it can be judged alone.

    `start` and `end` are where the response makes it (characters), None where its words stand nowhere in a row.
    """

    text: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class SplitResult:
    """The claims of a response in their order, what finding them cost, and what went wrong, if something did."""

    claims: tuple[Claim, ...]
    usage: Usage = field(default_factory=Usage)
    note: str | None = None


class Splitter(Protocol):
    """Takes a response apart into claims."""

    @property
    def name(self) -> str:
        """A stable identity; differs where any setting changes the claims."""
        ...

    async def split(self, response: str, question: str | None) -> SplitResult:
        """The claims of the response, each once; none where it states nothing. Raises ModelError."""
        ...


def worded(statement: str, question: str | None, *, alone: bool) -> str:
    """The claim that a statement makes: with the question where it answers that, otherwise as it stands.

    `alone` says that the statement is all of the response, so that it is what the question asks for.
    """
    text = " ".join(_DECORATION.sub("", statement).split())
    if question and (alone or is_fragment(text)):
        return claim_of(question, text)
    return text if _ENDS_A_SENTENCE.search(text) else f"{text}."


def is_fragment(text: str) -> bool:
    """Whether the text is an answer of few words, which says nothing without its question."""
    words = len(tokenize(text))
    return words <= 2 or (words <= SHORT_WORDS and not _ENDS_A_SENTENCE.search(text) and not has_verb(text))


def distinct(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """Each claim once, however it is capitalised and punctuated; those without a word are none."""
    by_words: dict[str, Claim] = {}
    for claim in claims:
        by_words.setdefault(squad_normalise(claim.text), claim)
    return tuple(claim for words, claim in by_words.items() if words)
