"""What the rest of Credence knows of a judge."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from answering.models.usage import Usage
from answering.text import squad_normalise


class Label(StrEnum):
    """What a passage says about a claim (ConflictScore's three labels)."""

    SUPPORTS = "supports"
    """It says so, wholly or in part."""
    CONTRADICTS = "contradicts"
    """It says something that cannot be true together with the claim: another value for the same attribute."""
    IRRELEVANT = "irrelevant"
    """It says neither, also where it is about the same topic."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One thing to judge; `answering.judges.judge.claim_of` makes the claim of a question and its answer."""

    claim: str
    passage: str


@dataclass(frozen=True, slots=True)
class Quote:
    """Where the passage says it: `text == passage[start:end]`, counted in characters (code points)."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """A label with the three probabilities, which sum to 1.

    `evidence` is None where the passage is irrelevant, and where the judge cannot say. `note` tells what went wrong,
    where something did.
    """

    label: Label
    supports: float
    contradicts: float
    irrelevant: float
    evidence: Quote | None = None
    note: str | None = None
    usage: Usage = field(default_factory=Usage)


class Judge(Protocol):
    """Says what passages say about claims."""

    @property
    def name(self) -> str:
        """A stable identity, stored with each judgement; differs where any setting changes the judgements."""
        ...

    async def judge_all(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """One judgement a pair, in their order. Raises ModelError where none can be had."""
        ...

    async def aclose(self) -> None:
        """Lets go of connections and models; a closed judge is not asked again."""
        ...


def certain(
    label: Label, evidence: Quote | None = None, *, note: str | None = None, usage: Usage | None = None
) -> Judgement:
    """The judgement of one who gives no probabilities."""
    return Judgement(
        label,
        supports=float(label is Label.SUPPORTS),
        contradicts=float(label is Label.CONTRADICTS),
        irrelevant=float(label is Label.IRRELEVANT),
        evidence=evidence,
        note=note,
        usage=usage or Usage(),
    )


def claim_of(question: str, answer: str) -> str:
    """`Who opened the hall? Lena Dahl.`; the compact judge was trained on this form and on plain sentences."""
    asked = " ".join(question.split()).rstrip("?.! ")
    said = " ".join(answer.split()).rstrip(". ")
    return f"{asked}? {said}."


def answer_stands(claim: str, passage: str) -> bool | None:
    """Whether the answer of such a claim stands in the passage word for word; None for a claim of another form."""
    _, mark, answer = claim.partition("? ")
    words = squad_normalise(answer)
    if not mark or not words:
        return None
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", squad_normalise(passage)) is not None
