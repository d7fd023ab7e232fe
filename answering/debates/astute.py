"""Astute RAG: what the model remembers beside what was retrieved, sorted by agreement (Wang et al. 2024).

The model writes at most m passages from memory, as many as it is sure of; then internal and external passages are
consolidated t times into groups that agree, each with its sources; each group gets an answer and a confidence, and the
best are chosen. The last consolidation and the answer are one call (the paper's Algorithm 1).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import TypeVar

from answering.debates.labels import reliability_label
from answering.debates.parsing import Group, GroupAnswers, parse_group_answers, parse_groups, parse_passages
from answering.debates.parsing.groups import MAX_GROUP_CHARACTERS
from answering.debates.protocol import (
    Ask,
    Conversation,
    Debate,
    DebateAnswer,
    DebateResult,
    ReplyStatus,
    SourceDocument,
    StopReason,
    ask,
)
from answering.debates.quoting import document_blocks, paragraphs, question_line, tagged
from answering.debates.support import check_support, class_keys
from answering.equivalence import ClassPolicy
from answering.errors import BadParameter
from answering.prompts import load_prompt

T = TypeVar("T")
AGENT = "consolidator"
UNREADABLE = "The model's answer could not be read."
BY_CONFIDENCE = "The model named no final answer: this is the one it is most sure of."


class SourceLabels(StrEnum):
    """What the model is told of where a passage is from."""

    NONE = "none"
    KIND = "kind"
    """From memory, or from a publisher."""
    RELIABILITY = "reliability"
    """Also how far the publisher was right, as estimated."""


@dataclass(frozen=True, slots=True)
class AstuteSettings:
    """`passages` is the paper's m, 0 for no memory at all; `consolidations` its t."""

    passages: int = 1
    consolidations: int = 1
    labels: SourceLabels = SourceLabels.KIND
    policy: ClassPolicy = ClassPolicy.VALUES

    def __post_init__(self) -> None:
        if self.passages < 0:
            raise BadParameter(f"the model writes 0 passages or more from memory, not {self.passages}")
        if self.consolidations < 1:
            raise BadParameter(f"passages are consolidated at least once, not {self.consolidations} times")


def astute(question: str, documents: Sequence[SourceDocument], settings: AstuteSettings | None = None) -> Debate:
    """Answers from these documents and the model's memory; an answer that only memory supports has no documents."""
    return (yield from _Astute(question, documents, settings or AstuteSettings()).debate())


class _Astute:
    def __init__(self, question: str, documents: Sequence[SourceDocument], settings: AstuteSettings) -> None:
        self._question = question
        self._external = tuple(documents)
        self._settings = settings
        self._memories: tuple[str, ...] = ()
        self._groups: tuple[Group, ...] = ()

    def debate(self) -> Debate:
        if self._settings.passages and (yield from self._recalled()):
            return self._nothing(StopReason.OUT_OF_BUDGET, 0)
        if not self._external and not self._memories:
            return DebateResult((), "There is no document, and nothing is remembered.", StopReason.NO_DOCUMENTS, 0)
        for number in range(1, self._settings.consolidations):
            if (yield from self._consolidated(number)):
                return self._nothing(StopReason.OUT_OF_BUDGET, number - 1)
        return (yield from self._answered(self._settings.consolidations))

    def _recalled(self) -> Conversation[bool]:
        """Passages from memory; whether the budget ended before."""
        most = self._settings.passages
        text = paragraphs(f"Write at most {most} passage{'s' if most > 1 else ''}.", question_line(self._question))
        parse = partial(parse_passages, most=most)
        (reply,) = yield from ask([Ask("memory", 0, load_prompt("astute_recall"), text, parse)])
        self._memories = reply.value or ()
        return reply.status is ReplyStatus.OUT_OF_BUDGET

    def _consolidated(self, number: int) -> Conversation[bool]:
        """Groups, from the documents and the groups before; whether the budget ended before."""
        parse = partial(parse_groups, documents=self._count)
        (reply,) = yield from ask([self._grouping("astute_consolidate", number, parse)])
        self._groups = reply.value or self._groups
        return reply.status is ReplyStatus.OUT_OF_BUDGET

    def _answered(self, number: int) -> Debate:
        parse = partial(parse_group_answers, documents=self._count)
        (reply,) = yield from ask([self._grouping("astute_answer", number, parse)])
        if reply.status is ReplyStatus.OUT_OF_BUDGET:
            return self._nothing(StopReason.OUT_OF_BUDGET, number - 1)
        if reply.value is None:
            return self._nothing(StopReason.ANSWERED, number)
        return self._result(reply.value, number)

    def _grouping(self, name: str, number: int, parse: Callable[[str], T | None]) -> Ask[T]:
        prompt = load_prompt(name)
        return Ask(AGENT, number, prompt, paragraphs(self._context(), prompt.closing), parse)

    @property
    def _count(self) -> int:
        return len(self._external) + len(self._memories)

    def _context(self) -> str:
        internal = [SourceDocument(f"memory:{number}", text) for number, text in enumerate(self._memories, 1)]
        groups = "\n".join(
            tagged("group", f"of documents {', '.join(map(str, group.documents))}", group.text, MAX_GROUP_CHARACTERS)
            for group in self._groups
        )
        blocks = document_blocks([*self._external, *internal], self._labels())
        return paragraphs(blocks, groups, question_line(self._question))

    def _labels(self) -> list[str] | None:
        if self._settings.labels is SourceLabels.NONE:
            return None
        told = self._settings.labels is SourceLabels.RELIABILITY
        return [
            f"from a publisher{f', {reliability_label(document.reliability)}' if told else ''}"
            for document in self._external
        ] + ["from memory"] * len(self._memories)

    def _result(self, found: GroupAnswers, rounds: int) -> DebateResult:
        """The chosen answers; one that stands in no document is kept only if it is the model's memory."""
        proposed = _chosen(found)
        keys = class_keys([*proposed, *(one.answer for one in found.groups if one.answer)], self._settings.policy)
        confidences = _confidences(found, keys)
        grounded = check_support(proposed, self._external, self._settings.policy, confidences=confidences)
        remembered = self._remembered(found, keys)
        own = tuple(
            DebateAnswer(answer, keys[answer], (), confidences.get(keys[answer]))
            for answer in grounded.unsupported
            if keys[answer] in remembered
        )
        left = tuple(answer for answer in grounded.unsupported if keys[answer] not in remembered)
        return DebateResult(grounded.answers + own, _explained(found), StopReason.ANSWERED, rounds, left)

    def _remembered(self, found: GroupAnswers, keys: Mapping[str, str]) -> set[str]:
        """The classes of answers in whose group a passage from memory is."""
        external = len(self._external)
        return {keys[one.answer] for one in found.groups if one.answer and max(one.documents) > external}

    def _nothing(self, reason: StopReason, rounds: int) -> DebateResult:
        told = " ".join(group.text for group in self._groups)
        return DebateResult((), told if reason is StopReason.OUT_OF_BUDGET else UNREADABLE, reason, rounds)


def _confidences(found: GroupAnswers, keys: Mapping[str, str]) -> dict[str, float]:
    """How sure the model is of each class: as of the group it is most sure of."""
    sure: dict[str, float] = {}
    for one in found.groups:
        if one.answer is not None and one.confidence is not None:
            sure[keys[one.answer]] = max(sure.get(keys[one.answer], 0.0), one.confidence)
    return sure


def _chosen(found: GroupAnswers) -> list[str]:
    if found.final is not None:
        return list(found.final)
    sure = [(one.confidence or 0.0, one.answer) for one in found.groups if one.answer is not None]
    best = max((confidence for confidence, _answer in sure), default=0.0)
    return [answer for confidence, answer in sure if confidence == best][:1]


def _explained(found: GroupAnswers) -> str:
    lines = [
        f"Documents {', '.join(map(str, one.documents))}: {one.answer or 'no answer'}"
        f"{'' if one.confidence is None else f' ({one.confidence:.0%})'}."
        for one in found.groups
    ]
    return " ".join([*lines, *([] if found.final is not None else [BY_CONFIDENCE])])
