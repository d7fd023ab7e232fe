"""The protocol of a judge: it labels what passages say about claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, TypeAlias

from answering.models import Chat, Usage
from answering.providers import Provider


class Label(StrEnum):
    """The stance of a passage on a claim: the labels of ConflictScore, and `reports`.

    FNC-1 calls the four agree, disagree, discuss, unrelated; RumourEval support, deny, query or comment.

    >>> Label("supports") is Label.SUPPORTS
    True
    """

    SUPPORTS = "supports"
    """It says so, wholly or in part."""
    CONTRADICTS = "contradicts"
    """It says what cannot be true together with the claim: another value for the same attribute."""
    REPORTS = "reports"
    """It tells that others say so, or asks whether it is so, without taking a side."""
    IRRELEVANT = "irrelevant"
    """It does none of these, even if it is about the same topic."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A claim and a passage to judge it by.

    >>> Pair(claim_of("Who opened the hall?", "Lena Dahl"), "The hall was opened by Lena Dahl.").claim
    'Who opened the hall? Lena Dahl.'
    """

    claim: str
    passage: str


@dataclass(frozen=True, slots=True)
class Quote:
    """A part of a passage: `text == passage[start:end]`, in characters (code points).

    >>> Quote(4, 8, "hall").text
    'hall'
    """

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """A label and the probabilities of the four labels, which sum to 1.

    `quote` is None where the passage is irrelevant, and where the judge gives none. `note` says what went wrong, if
    anything did.

    >>> Judgement.certain(Label.CONTRADICTS)
    Judgement(label=<Label.CONTRADICTS: 'contradicts'>, supports=0.0, contradicts=1.0, reports=0.0, irrelevant=0.0, ...)
    """

    label: Label
    supports: float
    contradicts: float
    reports: float
    irrelevant: float
    quote: Quote | None = None
    note: str | None = None
    usage: Usage = field(default_factory=Usage)

    @classmethod
    def certain(
        cls, label: Label, quote: Quote | None = None, *, note: str | None = None, usage: Usage | None = None
    ) -> Judgement:
        """The judgement of a judge that gives no probabilities."""
        supports, contradicts, reports, irrelevant = (float(label is other) for other in Label)
        return cls(label, supports, contradicts, reports, irrelevant, quote, note, usage or Usage())

    @property
    def probabilities(self) -> Mapping[Label, float]:
        return dict(zip(Label, (self.supports, self.contradicts, self.reports, self.irrelevant), strict=True))


class Judge(Protocol):
    """A judge.

    >>> import asyncio
    >>> from tests.fakes.scripted_judge import ScriptedJudge
    >>> judge: Judge = ScriptedJudge({("It is red.", "It is blue."): Label.CONTRADICTS})
    >>> [judgement.label.value for judgement in asyncio.run(judge.judge_all([Pair("It is red.", "It is blue.")]))]
    ['contradicts']
    """

    @property
    def name(self) -> str:
        """A stable identity, stored with each judgement; it differs where a setting changes the judgements."""
        ...

    async def judge_all(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """One judgement for each pair, in their order. Raises `ModelError` if there is no usable reply."""
        ...

    async def aclose(self) -> None:
        """Closes connections and models; the judge is not used afterwards."""
        ...


RequireChat: TypeAlias = Callable[[], Chat]
"""Returns the configured chat model, or raises that there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeProvider(Provider[RequireChat, Judge]):
    """A kind of judge; those that call a model are made with the configured chat model."""


def claim_of(question: str, answer: str) -> str:
    """The claim that an answer makes: the question, then the answer. The compact judge was trained on this form.

    >>> claim_of("Who opened the hall?", "Lena Dahl")
    'Who opened the hall? Lena Dahl.'
    """
    question = " ".join(question.split()).rstrip("?.! ")
    answer = " ".join(answer.split()).rstrip(". ")
    return f"{question}? {answer}."
