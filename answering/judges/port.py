"""What the rest of Credence knows of a judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from answering.models.usage import Usage


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
    """One thing to judge; `answering.judges.claims.claim_of` makes the claim of a question and its answer."""

    claim: str
    passage: str


@dataclass(frozen=True, slots=True)
class Evidence:
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
    evidence: Evidence | None = None
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
    label: Label, evidence: Evidence | None = None, *, note: str | None = None, usage: Usage | None = None
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
