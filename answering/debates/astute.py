"""Astute RAG: passages from the model's memory beside retrieved ones (Wang et al. 2024, arXiv:2410.07176, section 4).

The model writes at most m passages from memory. Then internal and external passages are consolidated t times into
groups that agree, each with its sources; each group gets an answer and a confidence, and the best answers are chosen.
The last consolidation and the answer are one call (the paper's Algorithm 1).
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from answering.debates.parsing.passages import (
    MAX_GROUP_CHARACTERS,
    Group,
    GroupAnswers,
    parse_group_answers,
    parse_groups,
    parse_passages,
)
from answering.debates.protocol import Ask, Conversation, Debate, DebateAnswer, DebateResult, SourceDocument, ask
from answering.debates.quoting import document_blocks, paragraphs, question_line, reliability_label, tagged
from answering.debates.schema import AstuteParameters, ReplyStatus, SourceLabels, StopReason
from answering.debates.strategy import StrategyDefinition
from answering.debates.support import AnswerPolicy, check_support, class_keys
from answering.prompts import load_prompt

T = TypeVar("T")
AGENT = "consolidator"
UNREADABLE = "The model's answer could not be read."
BY_CONFIDENCE = "The model named no final answer: this is the one it is most sure of."


def astute(
    question: str,
    documents: Sequence[SourceDocument],
    parameters: AstuteParameters | None = None,
    policy: AnswerPolicy | None = None,
) -> Debate:
    """Answers from these documents and the model's memory; an answer from memory alone has no documents.

    >>> (request,) = next(astute("Who leads the choir?", [SourceDocument("d1", "Lena Dahl leads the choir.")]))
    >>> request.agent, request.prompt.name
    ('memory', 'astute_recall')
    """
    return (yield from _Astute(question, documents, parameters or AstuteParameters(), policy or AnswerPolicy()).steps())


class _Astute:
    def __init__(
        self, question: str, documents: Sequence[SourceDocument], parameters: AstuteParameters, policy: AnswerPolicy
    ) -> None:
        self._question = question
        self._external = tuple(documents)
        self._parameters = parameters
        self._policy = policy
        self._internal: tuple[str, ...] = ()
        self._groups: tuple[Group, ...] = ()

    def steps(self) -> Debate:
        if self._parameters.passages and (yield from self._recall()):
            return self._no_answer(StopReason.OUT_OF_BUDGET, 0)
        if not self._external and not self._internal:
            return DebateResult((), "There is no document, and nothing is remembered.", StopReason.NO_DOCUMENTS, 0)
        for number in range(1, self._parameters.consolidations):
            if (yield from self._consolidate(number)):
                return self._no_answer(StopReason.OUT_OF_BUDGET, number - 1)
        return (yield from self._answer(self._parameters.consolidations))

    def _recall(self) -> Conversation[bool]:
        """Asks for passages from memory; returns whether the budget was spent before."""
        most = self._parameters.passages
        message = paragraphs(f"Write at most {most} passage{'s' if most > 1 else ''}.", question_line(self._question))
        parse = partial(parse_passages, max_passages=most)
        (reply,) = yield from ask([Ask("memory", 0, load_prompt("astute_recall"), message, parse)])
        self._internal = reply.value or ()
        return reply.status is ReplyStatus.OUT_OF_BUDGET

    def _consolidate(self, number: int) -> Conversation[bool]:
        """Asks for groups of passages that agree; returns whether the budget was spent before."""
        (reply,) = yield from ask([self._request("astute_consolidate", number, parse_groups)])
        self._groups = reply.value or self._groups
        return reply.status is ReplyStatus.OUT_OF_BUDGET

    def _answer(self, number: int) -> Debate:
        (reply,) = yield from ask([self._request("astute_answer", number, parse_group_answers)])
        if reply.status is ReplyStatus.OUT_OF_BUDGET:
            return self._no_answer(StopReason.OUT_OF_BUDGET, number - 1)
        if reply.value is None:
            return self._no_answer(StopReason.ANSWERED, number)
        return self._result(reply.value, number)

    def _request(self, name: str, number: int, parse: Callable[[str, int], T | None]) -> Ask[T]:
        """A request about all passages and the groups so far; passages are numbered from 1, external ones first."""
        internal = [SourceDocument(f"memory:{number}", text) for number, text in enumerate(self._internal, 1)]
        groups = "\n".join(
            tagged("group", f"of documents {', '.join(map(str, group.documents))}", group.text, MAX_GROUP_CHARACTERS)
            for group in self._groups
        )
        passages = [*self._external, *internal]
        prompt = load_prompt(name)
        message = paragraphs(
            document_blocks(passages, self._labels()), groups, question_line(self._question), prompt.closing
        )
        return Ask(AGENT, number, prompt, message, lambda reply: parse(reply, len(passages)))

    def _labels(self) -> list[str] | None:
        if self._parameters.labels is SourceLabels.NONE:
            return None
        with_reliability = self._parameters.labels is SourceLabels.RELIABILITY
        return [
            f"from a publisher{f', {reliability_label(document)}' if with_reliability else ''}"
            for document in self._external
        ] + ["from memory"] * len(self._internal)

    def _result(self, reply: GroupAnswers, rounds: int) -> DebateResult:
        """The chosen answers; one that no document supports is kept only if it is the model's memory."""
        proposed = _chosen(reply)
        keys = class_keys([*proposed, *(group.answer for group in reply.groups if group.answer)], self._policy)
        confidences = _confidences(reply, keys)
        support = check_support(proposed, self._external, self._policy, confidences=confidences)
        remembered = self._remembered(reply, keys)
        from_memory = tuple(
            DebateAnswer(answer, keys[answer], (), confidences.get(keys[answer]))
            for answer in support.unsupported
            if keys[answer] in remembered
        )
        unsupported = tuple(answer for answer in support.unsupported if keys[answer] not in remembered)
        answers = support.answers + from_memory
        return DebateResult(answers, _explanation(reply), StopReason.ANSWERED, rounds, unsupported)

    def _remembered(self, reply: GroupAnswers, keys: Mapping[str, str]) -> set[str]:
        """The classes of the answers of groups with a passage from memory."""
        external = len(self._external)
        return {keys[group.answer] for group in reply.groups if group.answer and max(group.documents) > external}

    def _no_answer(self, reason: StopReason, rounds: int) -> DebateResult:
        groups = " ".join(group.text for group in self._groups)
        return DebateResult((), groups if reason is StopReason.OUT_OF_BUDGET else UNREADABLE, reason, rounds)


def _confidences(reply: GroupAnswers, keys: Mapping[str, str]) -> dict[str, float]:
    """The highest confidence that the model gives to a group with an answer of the class, by class."""
    confidences: dict[str, float] = {}
    for group in reply.groups:
        if group.answer is not None and group.confidence is not None:
            key = keys[group.answer]
            confidences[key] = max(confidences.get(key, 0.0), group.confidence)
    return confidences


def _chosen(reply: GroupAnswers) -> list[str]:
    """The final answers, or the answer with the highest confidence where the model named none."""
    if reply.final is not None:
        return list(reply.final)
    answered = [group for group in reply.groups if group.answer is not None]
    best = max(answered, key=lambda group: group.confidence or 0.0, default=None)
    return [best.answer] if best and best.answer else []


def _explanation(reply: GroupAnswers) -> str:
    lines = [
        f"Documents {', '.join(map(str, group.documents))}: {group.answer or 'no answer'}"
        f"{'' if group.confidence is None else f' ({group.confidence:.0%})'}."
        for group in reply.groups
    ]
    return " ".join([*lines, *([] if reply.final is not None else [BY_CONFIDENCE])])


ASTUTE = StrategyDefinition(
    "astute",
    AstuteParameters,
    astute,
    lambda _documents, parameters: parameters.consolidations + bool(parameters.passages),
    escalation=True,
    in_paper={"passages": 1, "consolidations": 1, "labels": SourceLabels.KIND},
)
