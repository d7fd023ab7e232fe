"""MADAM-RAG: one agent for each document, an aggregator, and revision (Wang et al. 2025, arXiv:2504.13079, section 4).

In round 1 every agent answers from its document alone, and the aggregator writes answers and an explanation from all
replies. In rounds 2 to T every agent sees the aggregate and keeps or revises its answer. The debate ends when no agent
changes its answer. Without an aggregator the agents see the replies of the others, as they do in the released code.
"""

from collections import Counter
from collections.abc import Sequence

from answering.debates.parsing.answers import AgentAnswer, AnswerList, parse_agent_answer, parse_answers
from answering.debates.protocol import (
    Ask,
    Conversation,
    Debate,
    DebateResult,
    Read,
    SourceDocument,
    ask,
    out_of_budget,
    read,
)
from answering.debates.quoting import (
    document_blocks,
    joined_labels,
    paragraphs,
    publication_label,
    publication_note,
    question_line,
    reliability_label,
    tagged,
)
from answering.debates.schema import FirstReading, MadamParameters, ReplyStatus, Seen, StopReason, Unaggregated
from answering.debates.strategy import StrategyDefinition
from answering.debates.support import AnswerPolicy, check_support, class_keys, first_spellings
from answering.prompts import load_prompt

NO_AGGREGATE = "No aggregate could be had: these are the answers of most agents."
MAJORITY = "The answers of most agents."
EVERY = "The answers of all agents."


def madam(
    question: str,
    documents: Sequence[SourceDocument],
    parameters: MadamParameters | None = None,
    policy: AnswerPolicy | None = None,
) -> Debate:
    """The debate over these documents; without any it ends at once.

    >>> documents = [SourceDocument("d1", "Lena Dahl leads the choir."), SourceDocument("d2", "Ivar Brask leads it.")]
    >>> [request.agent for request in next(madam("Who leads the choir?", documents))]
    ['agent 1', 'agent 2']
    """
    if not documents:
        return DebateResult((), "There is no document to speak for.", StopReason.NO_DOCUMENTS, 0)
    debate = _Madam(question, documents, parameters or MadamParameters(), policy or AnswerPolicy())
    return (yield from debate.rounds())


def unchanged(before: Sequence[AgentAnswer | None], after: Sequence[AgentAnswer | None], policy: AnswerPolicy) -> bool:
    """Whether every agent kept its answer: an answer of the same class, or again none.

    A reply that could not be read (None) is equal to no other, not even to a second one.
    """
    answers = [*before, *after]
    if None in answers:
        return False
    keys = class_keys([reply.answer for reply in answers if reply and reply.answer is not None], policy)
    classes = [keys[reply.answer] if reply and reply.answer is not None else None for reply in answers]
    return classes[: len(before)] == classes[len(before) :]


def majority(replies: Sequence[AgentAnswer | None], policy: AnswerPolicy) -> list[str]:
    """The answer that most agents give; of several with as many, all. Agents without an answer do not count."""
    answers = [reply.answer for reply in replies if reply is not None and reply.answer is not None]
    keys = class_keys(answers, policy)
    counts = Counter(keys[answer] for answer in answers)
    highest = max(counts.values(), default=0)
    return [answer for key, answer in first_spellings(answers, keys).items() if counts[key] == highest]


class _Madam:
    def __init__(
        self, question: str, documents: Sequence[SourceDocument], parameters: MadamParameters, policy: AnswerPolicy
    ) -> None:
        self._question = question
        self._documents = documents
        self._parameters = parameters
        self._policy = policy
        self._replies: list[AgentAnswer | None] = [None] * len(documents)
        self._aggregate: AnswerList | None = None

    def rounds(self) -> Debate:
        for number in range(1, self._parameters.rounds + 1):
            before = self._replies
            if (yield from self._ask_agents(number)):
                return self._result(StopReason.OUT_OF_BUDGET, number - 1)
            if number > 1 and unchanged(before, self._replies, self._policy):
                return self._result(StopReason.CONVERGED, number)
            if self._parameters.aggregator and (yield from self._aggregate_replies(number)):
                return self._result(StopReason.OUT_OF_BUDGET, number - 1)
        return self._result(StopReason.ROUNDS_SPENT, self._parameters.rounds)

    def _ask_agents(self, number: int) -> Conversation[bool]:
        """Asks every agent; returns whether the budget was spent before all had replied."""
        agents = range(len(self._documents))
        if number == 1 and self._parameters.first is FirstReading.READER:
            readings = yield from read(
                [Read(_agent(agent), 1, self._question, self._documents[agent]) for agent in agents]
            )
            self._replies = [AgentAnswer(reading.value.answer) if reading.value else None for reading in readings]
            return out_of_budget(readings)
        replies = yield from ask([self._agent_request(agent, number) for agent in agents])
        self._replies = [
            previous if reply.status is ReplyStatus.OUT_OF_BUDGET else reply.value
            for previous, reply in zip(self._replies, replies, strict=True)
        ]
        return out_of_budget(replies)

    def _agent_request(self, agent: int, number: int) -> Ask[AgentAnswer]:
        parts = [document_blocks([self._documents[agent]])]
        if number > 1:
            parts += [tagged("reply", "yours", _quoted(self._replies[agent])), self._others(agent)]
        prompt = load_prompt("debate_agent" if number == 1 else "debate_agent_revises")
        message = paragraphs(*parts, question_line(self._question))
        return Ask(_agent(agent), number, prompt, message, parse_agent_answer)

    def _others(self, agent: int) -> str:
        """The previous round as an agent sees it."""
        if self._aggregate is not None and self._parameters.seen is Seen.AGGREGATE:
            answers = "; ".join(self._aggregate.answers) or "none"
            return tagged("summary", "of all agents", f"Answers: {answers}. {self._aggregate.explanation}")
        return "\n".join(
            tagged("reply", _agent(other), _quoted(reply))
            for other, reply in enumerate(self._replies)
            if other != agent
        )

    def _aggregate_replies(self, number: int) -> Conversation[bool]:
        """Asks the aggregator; returns whether the budget was spent before it replied."""
        replies = "\n".join(
            tagged("reply", self._agent_label(agent), _quoted(reply)) for agent, reply in enumerate(self._replies)
        )
        message = paragraphs(replies, publication_note(self._documents), question_line(self._question))
        prompt = load_prompt("debate_aggregator")
        (reply,) = yield from ask([Ask("aggregator", number, prompt, message, parse_answers)])
        if reply.status not in {ReplyStatus.OUT_OF_BUDGET, ReplyStatus.FAILED}:  # these keep the previous aggregate
            self._aggregate = reply.value
        return reply.status is ReplyStatus.OUT_OF_BUDGET

    def _agent_label(self, agent: int) -> str:
        document = self._documents[agent]
        reliability = reliability_label(document) if self._parameters.show_reliability else ""
        return joined_labels(_agent(agent), publication_label(document), reliability)

    def _result(self, reason: StopReason, rounds: int) -> DebateResult:
        answers = {
            document.id: reply.answer if reply else None
            for document, reply in zip(self._documents, self._replies, strict=True)
        }
        if self._aggregate is not None:
            proposed, explanation = list(self._aggregate.answers), self._aggregate.explanation
        elif not self._parameters.aggregator and self._parameters.unaggregated is Unaggregated.EVERY:
            proposed, explanation = [answer for answer in answers.values() if answer is not None], EVERY
        else:
            proposed = majority(self._replies, self._policy)
            explanation = NO_AGGREGATE if self._parameters.aggregator else MAJORITY
        support = check_support(proposed, self._documents, self._policy, answers)
        return DebateResult(support.answers, explanation, reason, rounds, support.unsupported)


def _agent(index: int) -> str:
    return f"agent {index + 1}"


def _quoted(reply: AgentAnswer | None) -> str:
    if reply is None:
        return "unknown"
    reason = f". Because: {reply.reason}" if reply.reason else ""
    return f"{reply.answer or 'unknown'}{reason}"


def _min_calls(documents: int, parameters: MadamParameters) -> int:
    return 1 if parameters.first is FirstReading.READER else documents + parameters.aggregator


MADAM = StrategyDefinition(
    "madam",
    MadamParameters,
    madam,
    _min_calls,
    escalation=True,
    in_paper={
        "rounds": 3,
        "aggregator": True,
        "unaggregated": Unaggregated.EVERY,
        "first": FirstReading.AGENTS,
        "seen": Seen.AGGREGATE,
        "show_reliability": False,
    },
)
