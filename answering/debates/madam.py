"""MADAM-RAG: one agent a document, an aggregator, and revision in the light of the aggregate (Wang et al. 2025).

In round 1 every agent answers from its document alone; the aggregator makes answers and an explanation of all replies;
in rounds 2 to T the agents see those and keep or revise theirs. The debate ends when no agent changes its answer.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from answering.debates.labels import publication_labels, publication_note, reliability_label
from answering.debates.parsing import AgentAnswer, AnswerList, parse_agent_answer, parse_answers
from answering.debates.protocol import (
    Ask,
    Conversation,
    Debate,
    DebateResult,
    Read,
    ReplyStatus,
    SourceDocument,
    StopReason,
    ask,
    out_of_budget,
    read,
)
from answering.debates.quoting import document_blocks, paragraphs, question_line, tagged
from answering.debates.support import check_support, class_keys, first_spellings
from answering.equivalence import ClassPolicy
from answering.errors import BadParameter
from answering.prompts import load_prompt

DEFAULT_ROUNDS = 3
NO_AGGREGATE = "No aggregate could be had: these are the answers of most agents."
MAJORITY = "The answers of most agents."
EVERY = "The answers of all agents."


class FirstReading(StrEnum):
    """Who reads the documents in round 1."""

    AGENTS = "agents"
    """The language model, once a document."""
    READER = "reader"
    """Any reader: with the compact one and one round, the aggregate is the only call of a language model."""


class Unaggregated(StrEnum):
    """What counts without an aggregator."""

    MAJORITY = "majority"
    """The answer that most agents give; of several with as many, all."""
    EVERY = "every"
    """Every agent's answer: right where sources were selected by reliability and questions are ambiguous."""


@dataclass(frozen=True, slots=True)
class MadamSettings:
    """`rounds` is the paper's T; without an aggregator `unaggregated` decides, and the agents see each other.

    `show_reliability` tells the aggregator how far the source behind each agent was right.
    """

    rounds: int = DEFAULT_ROUNDS
    aggregator: bool = True
    unaggregated: Unaggregated = Unaggregated.MAJORITY
    first: FirstReading = FirstReading.AGENTS
    show_reliability: bool = False
    policy: ClassPolicy = ClassPolicy.VALUES

    def __post_init__(self) -> None:
        if self.rounds < 1:
            raise BadParameter(f"a debate has at least 1 round, not {self.rounds}")


def madam(question: str, documents: Sequence[SourceDocument], settings: MadamSettings | None = None) -> Debate:
    """The debate over these documents; without any it ends at once."""
    if not documents:
        return DebateResult((), "There is no document to speak for.", StopReason.NO_DOCUMENTS, 0)
    return (yield from _Madam(question, documents, settings or MadamSettings()).debate())


def unchanged(before: Sequence[AgentAnswer | None], now: Sequence[AgentAnswer | None], policy: ClassPolicy) -> bool:
    """Whether every agent kept its answer: the same class, or again that its document has none.

    A reply that was not understood agrees with nothing, not even with another one.
    """
    pairs = list(zip(before, now, strict=True))
    if any(old is None or new is None for old, new in pairs):
        return False
    said = [position.answer for pair in pairs for position in pair if position is not None]
    keys = class_keys([answer for answer in said if answer is not None], policy)
    return all(_key(keys, old) == _key(keys, new) for old, new in pairs)


def majority(positions: Sequence[AgentAnswer | None], policy: ClassPolicy) -> list[str]:
    """The answer that most agents give; of several with as many, all. No agent without an answer counts."""
    answers = [position.answer for position in positions if position is not None and position.answer is not None]
    keys = class_keys(answers, policy)
    counted = Counter(keys[answer] for answer in answers)
    most = max(counted.values(), default=0)
    return [answer for key, answer in first_spellings(answers, keys).items() if counted[key] == most]


def _key(keys: dict[str, str], position: AgentAnswer | None) -> str | None:
    return None if position is None or position.answer is None else keys[position.answer]


class _Madam:
    def __init__(self, question: str, documents: Sequence[SourceDocument], settings: MadamSettings) -> None:
        self._question = question
        self._documents = documents
        self._settings = settings
        self._positions: list[AgentAnswer | None] = [None] * len(documents)
        self._aggregate: AnswerList | None = None

    def debate(self) -> Debate:
        for number in range(1, self._settings.rounds + 1):
            before = self._positions
            spent = yield from self._agents(number)
            if spent:
                return self._result(StopReason.OUT_OF_BUDGET, number - 1)
            if number > 1 and unchanged(before, self._positions, self._settings.policy):
                return self._result(StopReason.CONVERGED, number)
            if self._settings.aggregator:
                spent = yield from self._aggregated(number)
                if spent:
                    return self._result(StopReason.OUT_OF_BUDGET, number - 1)
        return self._result(StopReason.ROUNDS_SPENT, self._settings.rounds)

    def _agents(self, number: int) -> Conversation[bool]:
        """Every agent's position of this round; whether the budget ended before all had spoken."""
        if number == 1 and self._settings.first is FirstReading.READER:
            return (yield from self._readings())
        replies = yield from ask([self._agent(place, number) for place in range(len(self._documents))])
        self._positions = [
            old if reply.status is ReplyStatus.OUT_OF_BUDGET else reply.value
            for old, reply in zip(self._positions, replies, strict=True)
        ]
        return out_of_budget(replies)

    def _readings(self) -> Conversation[bool]:
        replies = yield from read(
            [Read(_name(place), 1, self._question, document) for place, document in enumerate(self._documents)]
        )
        self._positions = [None if reply.value is None else AgentAnswer(reply.value.answer) for reply in replies]
        return out_of_budget(replies)

    def _agent(self, place: int, number: int) -> Ask[AgentAnswer]:
        document = document_blocks([self._documents[place]])
        if number == 1:
            text = paragraphs(document, question_line(self._question))
            return Ask(_name(place), 1, load_prompt("debate_agent"), text, parse_agent_answer)
        own = tagged("reply", "yours", _said(self._positions[place]))
        text = paragraphs(document, own, self._seen(place), question_line(self._question))
        return Ask(_name(place), number, load_prompt("debate_agent_revises"), text, parse_agent_answer)

    def _seen(self, place: int) -> str:
        """What an agent sees of the round before: the aggregate, or without one what the others said."""
        if self._aggregate is not None:
            answers = "; ".join(self._aggregate.answers) or "none"
            return tagged("summary", "of all agents", f"Answers: {answers}. {self._aggregate.explanation}")
        return "\n".join(
            tagged("reply", _name(other), _said(position))
            for other, position in enumerate(self._positions)
            if other != place
        )

    def _aggregated(self, number: int) -> Conversation[bool]:
        replies = "\n".join(
            tagged("reply", self._mark(place), _said(position)) for place, position in enumerate(self._positions)
        )
        text = paragraphs(replies, publication_note(self._documents), question_line(self._question))
        (reply,) = yield from ask([Ask("aggregator", number, load_prompt("debate_aggregator"), text, parse_answers)])
        if reply.status is ReplyStatus.OUT_OF_BUDGET:
            return True
        if reply.status is not ReplyStatus.FAILED:  # a model that dies takes nothing back
            self._aggregate = reply.value
        return False

    def _mark(self, place: int) -> str:
        """The agent, and what is known of its document."""
        document = self._documents[place]
        told = reliability_label(document.reliability) if self._settings.show_reliability else ""
        return ", ".join(filter(None, (_name(place), *publication_labels([document]), told)))

    def _result(self, reason: StopReason, rounds: int) -> DebateResult:
        said = {
            document.id: None if position is None else position.answer
            for document, position in zip(self._documents, self._positions, strict=True)
        }
        if self._aggregate is not None:
            proposed, explanation = list(self._aggregate.answers), self._aggregate.explanation
        elif self._settings.aggregator:
            proposed, explanation = majority(self._positions, self._settings.policy), NO_AGGREGATE
        elif self._settings.unaggregated is Unaggregated.EVERY:
            proposed, explanation = [answer for answer in said.values() if answer is not None], EVERY
        else:
            proposed, explanation = majority(self._positions, self._settings.policy), MAJORITY
        found = check_support(proposed, self._documents, self._settings.policy, said)
        return DebateResult(found.answers, explanation, reason, rounds, found.unsupported)


def _name(place: int) -> str:
    return f"agent {place + 1}"


def _said(position: AgentAnswer | None) -> str:
    if position is None:
        return "unknown"
    because = f". Because: {position.reason}" if position.reason else ""
    return f"{position.answer or 'unknown'}{because}"
