"""DRAG: a debate about what to search for, then one about the answer (Hu et al. 2025, arXiv:2505.18581, section 3).

Retrieval debate (section 3.2): the proponent defends the pool of queries, the challenger replaces a query or adds one,
and a judge names the winner. It ends when the proponent wins, nothing new is proposed, or a reply cannot be read.

Response debate (section 3.3): both sides answer, see each other's reply and keep or correct their own; if they still
differ at the end, a judge chooses a side. Only the proponent sees documents, unless information is symmetric.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from answering.debates.parsing.answers import AnswerList, parse_answers
from answering.debates.parsing.replies import MAX_QUERY_CHARACTERS, QueryChange, parse_query_change, parse_verdict
from answering.debates.protocol import (
    Ask,
    Conversation,
    Debate,
    DebateResult,
    Search,
    SourceDocument,
    ask,
    out_of_budget,
    search,
)
from answering.debates.quoting import document_blocks, paragraphs, question_line, sanitized, tagged
from answering.debates.schema import DragParameters, ReplyStatus, StopReason
from answering.debates.strategy import StrategyDefinition
from answering.debates.support import AnswerPolicy, check_support, class_keys, remembered_answers
from answering.prompts import load_prompt
from answering.text import squad_normalise

PROPONENT, CHALLENGER = SIDES = ("proponent", "challenger")
MAX_ARGUMENT_CHARACTERS = 600
NO_VERDICT = "The judge chose no side that could be read: this is the answer of the side with documents."


def drag(
    question: str,
    documents: Sequence[SourceDocument],
    parameters: DragParameters | None = None,
    policy: AnswerPolicy | None = None,
) -> Debate:
    """The debate that begins with these documents, or, without any or with `searches_first`, with a search.

    >>> (request,) = next(drag("Who leads the choir?", []))
    >>> request.query, request.limit
    ('Who leads the choir?', 3)
    """
    parameters = parameters or DragParameters()
    retrieval = _RetrievalDebate(question, () if parameters.searches_first else documents, parameters)
    if (yield from retrieval.rounds()):
        return DebateResult((), "The budget was spent on the search.", StopReason.OUT_OF_BUDGET, 0)
    if not retrieval.documents:
        return DebateResult((), "Nothing was found to answer from.", StopReason.NO_DOCUMENTS, 0)
    response = _ResponseDebate(question, retrieval.documents, parameters, policy or AnswerPolicy())
    return (yield from response.rounds())


@dataclass(frozen=True, slots=True)
class _Query:
    text: str
    documents: tuple[SourceDocument, ...]


class _RetrievalDebate:
    def __init__(self, question: str, documents: Sequence[SourceDocument], parameters: DragParameters) -> None:
        self._question = question
        self._pool = [_Query(question, tuple(documents))]
        self._parameters = parameters

    @property
    def documents(self) -> tuple[SourceDocument, ...]:
        """The documents that the queries of the pool have found, each once."""
        return tuple({document.id: document for query in self._pool for document in query.documents}.values())

    def rounds(self) -> Conversation[bool]:
        """Settles the pool; returns whether the budget was spent before."""
        if not self.documents and (yield from self._search(self._question, 0, 0)):
            return True
        for number in range(1, self._parameters.retrieval_rounds + 1):
            spent, change = yield from self._argue(number)
            if spent or change is None:
                return spent
            index = len(self._pool) if change.replaces is None else change.replaces - 1
            if (yield from self._search(change.query, index, number)):
                return True
        return False

    def _argue(self, number: int) -> Conversation[tuple[bool, QueryChange | None]]:
        """Whether the budget was spent, and the change of the pool if the challenger won."""
        pool = self._quoted_pool()
        shown = paragraphs(pool, question_line(self._question))
        proponent, challenger = yield from ask([_search_proponent(shown, number), self._challenger(shown, number)])
        if out_of_budget([proponent, challenger]):
            return True, None
        change = challenger.value
        if not isinstance(change, QueryChange) or self._in_pool(change.query):
            return False, None
        arguments = "\n".join(
            tagged("argument", f"of the {side}", reply.text, MAX_ARGUMENT_CHARACTERS)
            for side, reply in zip(SIDES, (proponent, challenger), strict=True)
        )
        (verdict,) = yield from ask(
            [_judge("search judge", "drag_search_judge", number, self._question, pool, arguments)]
        )
        return out_of_budget([verdict]), change if verdict.value == CHALLENGER else None

    def _challenger(self, shown: str, number: int) -> Ask[object]:
        prompt = load_prompt("drag_search_challenger")
        parse = partial(parse_query_change, queries=len(self._pool), prompt=f"{prompt.text}\n{prompt.closing}")
        return Ask("search challenger", number, prompt, paragraphs(shown, prompt.closing), parse)

    def _quoted_pool(self) -> str:
        queries = "\n".join(
            tagged("query", str(number), query.text, MAX_QUERY_CHARACTERS) for number, query in enumerate(self._pool, 1)
        )
        return paragraphs(queries, document_blocks(self.documents))

    def _in_pool(self, query: str) -> bool:
        return squad_normalise(query) in {squad_normalise(pooled.text) for pooled in self._pool}

    def _search(self, query: str, index: int, number: int) -> Conversation[bool]:
        """Puts the query with its documents at a place of the pool; returns whether the budget was spent before."""
        limit, selected_only = self._parameters.per_query, self._parameters.selected_only
        (reply,) = yield from search([Search(CHALLENGER, number, query, limit, selected_only)])
        if reply.value is not None:
            self._pool[index : index + 1] = [_Query(query, reply.value)]
        return out_of_budget([reply])


class _ResponseDebate:
    def __init__(
        self, question: str, documents: Sequence[SourceDocument], parameters: DragParameters, policy: AnswerPolicy
    ) -> None:
        self._question = question
        self._documents = documents
        self._rounds, self._fixed = parameters.response_rounds, parameters.fixed_rounds
        self._informed = SIDES if parameters.symmetric else (PROPONENT,)
        self._informed_judge = parameters.informed_judge
        self._policy = policy
        self._replies: dict[str, AnswerList | None] = dict.fromkeys(SIDES)
        self._said: dict[str, list[str]] = {side: [] for side in SIDES}

    def rounds(self) -> Debate:
        if self._rounds == 0:
            spent = yield from self._ask_sides(1, (PROPONENT,))
            return self._result(PROPONENT, StopReason.OUT_OF_BUDGET if spent else StopReason.ANSWERED, int(not spent))
        for number in range(1, self._rounds + 1):
            before = list(self._replies.values())
            if (yield from self._ask_sides(number, SIDES)):
                return self._result(PROPONENT, StopReason.OUT_OF_BUDGET, number - 1)
            if self._fixed:
                continue
            after = list(self._replies.values())
            proponent, challenger = self._classes(after)
            if proponent == challenger or not challenger:
                return self._result(PROPONENT, StopReason.AGREED, number)
            if not proponent:
                return self._result(CHALLENGER, StopReason.AGREED, number)
            classes = self._classes([*before, *after])
            if number > 1 and classes[:2] == classes[2:]:
                break
        return (yield from self._ask_judge(number))

    def _ask_sides(self, number: int, sides: Sequence[str]) -> Conversation[bool]:
        """Asks the sides; returns whether the budget was spent before all had replied."""
        replies = yield from ask([self._side_request(side, number) for side in sides])
        for side, reply in zip(sides, replies, strict=True):
            if reply.status is not ReplyStatus.OUT_OF_BUDGET:
                self._replies[side] = reply.value
                self._said[side].append(_text(reply.value))
        return out_of_budget(replies)

    def _side_request(self, side: str, number: int) -> Ask[AnswerList]:
        informed = side in self._informed
        prompt = load_prompt("drag_proponent" if informed else "drag_challenger")
        documents = document_blocks(self._documents) if informed else ""
        other = CHALLENGER if side == PROPONENT else PROPONENT
        # All of its own replies and the last one of its opponent (equations 10 and 12).
        own = [tagged("reply", f"yours, round {round_}", text) for round_, text in enumerate(self._said[side], 1)]
        replies = "\n".join([*own, self._quoted(other, "of your opponent")]) if own else ""
        message = paragraphs(documents, replies, question_line(self._question), prompt.closing)
        return Ask(side, number, prompt, message, parse_answers)

    def _quoted(self, side: str, label: str) -> str:
        return tagged("reply", label, _text(self._replies[side]))

    def _classes(self, replies: Sequence[AnswerList | None]) -> list[frozenset[str]]:
        """The answer classes of each reply; none if it has no answer or could not be read."""
        answers = [reply.answers if reply else () for reply in replies]
        keys = class_keys([answer for reply_answers in answers for answer in reply_answers], self._policy)
        return [frozenset(keys[answer] for answer in reply_answers) for reply_answers in answers]

    def _ask_judge(self, number: int) -> Debate:
        replies = "\n".join(self._quoted(side, f"of the {side}") for side in SIDES)
        documents = document_blocks(self._documents) if self._informed_judge else ""
        (verdict,) = yield from ask([_judge("judge", "drag_judge", number, self._question, documents, replies)])
        if verdict.value is not None:
            return self._result(verdict.value, StopReason.JUDGED, number)
        spent = verdict.status is ReplyStatus.OUT_OF_BUDGET
        return self._result(PROPONENT, StopReason.OUT_OF_BUDGET if spent else StopReason.NO_VERDICT, number)

    def _result(self, side: str, reason: StopReason, rounds: int) -> DebateResult:
        """The side's answers; those of a side that saw documents only if a document supports them."""
        reply = self._replies[side] or AnswerList(())
        support = check_support(reply.answers, self._documents, self._policy)
        explanation = NO_VERDICT if reason is StopReason.NO_VERDICT else reply.explanation
        if side in self._informed:
            return DebateResult(support.answers, explanation, reason, rounds, support.unsupported)
        answers = support.answers + remembered_answers(support.unsupported, self._policy)
        return DebateResult(answers, explanation, reason, rounds)


def _text(reply: AnswerList | None) -> str:
    reply = reply or AnswerList(())
    return f"Answers: {'; '.join(reply.answers) or 'unknown'}. {reply.explanation}".strip()


def _search_proponent(shown: str, number: int) -> Ask[object]:
    def parse(reply: str) -> str | None:
        return sanitized(reply, MAX_ARGUMENT_CHARACTERS) or None

    return Ask("search proponent", number, load_prompt("drag_search_proponent"), shown, parse)


def _judge(agent: str, prompt_name: str, number: int, question: str, *quoted: str) -> Ask[str]:
    prompt = load_prompt(prompt_name)
    message = paragraphs(*quoted, question_line(question), prompt.closing)
    return Ask(agent, number, prompt, message, partial(parse_verdict, sides=SIDES))


def _min_calls(_documents: int, parameters: DragParameters) -> int:
    return 2 * bool(parameters.retrieval_rounds) + (2 if parameters.response_rounds else 1)


DRAG = StrategyDefinition(
    "drag",
    DragParameters,
    drag,
    _min_calls,
    escalation=True,
    in_paper={
        "retrieval_rounds": 3,
        "response_rounds": 3,
        "searches_first": True,
        "fixed_rounds": True,
        "symmetric": False,
        "informed_judge": False,
    },
)
