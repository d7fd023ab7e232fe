"""DRAG's response debate: one side has the documents, the other only what it knows (Hu et al. 2025, section 3.3)."""

from collections.abc import Sequence
from functools import partial

from answering.debates.drag_retrieval import CHALLENGER, PROPONENT
from answering.debates.parsing import AnswerList, parse_answers, parse_verdict
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
    out_of_budget,
)
from answering.debates.quoting import document_blocks, paragraphs, question_line, tagged
from answering.debates.support import check_support, class_keys, first_spellings
from answering.equivalence import ClassPolicy
from answering.prompts import load_prompt

SIDES = (PROPONENT, CHALLENGER)
NO_VERDICT = "The judge chose no side that could be read: this is the answer of the side with documents."


class ResponseDebate:
    """Both sides answer, see each other, keep or correct their answers; then, if they still differ, a judge chooses."""

    def __init__(
        self, question: str, documents: Sequence[SourceDocument], *, rounds: int, symmetric: bool, policy: ClassPolicy
    ) -> None:
        self._question = question
        self._documents = documents
        self._rounds = rounds
        self._symmetric = symmetric
        self._policy = policy
        self._said: dict[str, AnswerList | None] = dict.fromkeys(SIDES)

    def debate(self) -> Debate:
        if self._rounds == 0:
            spent = yield from self._round(1, (PROPONENT,))
            return self._result(PROPONENT, StopReason.OUT_OF_BUDGET if spent else StopReason.ANSWERED, int(not spent))
        for number in range(1, self._rounds + 1):
            before = dict(self._said)
            if (yield from self._round(number, SIDES)):
                return self._result(PROPONENT, StopReason.OUT_OF_BUDGET, number - 1)
            agreed = self._agreed()
            if agreed is not None:
                return self._result(agreed, StopReason.AGREED, number)
            if number == self._rounds or (number > 1 and self._unchanged(before)):
                return (yield from self._judged(number))
        raise AssertionError("the last round ends with the judge")

    def _round(self, number: int, sides: Sequence[str]) -> Conversation[bool]:
        """What the sides say in this round; whether the budget ended before both had spoken."""
        replies = yield from ask([self._ask(side, number) for side in sides])
        for side, reply in zip(sides, replies, strict=True):
            if reply.status is not ReplyStatus.OUT_OF_BUDGET:
                self._said[side] = reply.value
        return out_of_budget(replies)

    def _ask(self, side: str, number: int) -> Ask[AnswerList]:
        informed = side == PROPONENT or self._symmetric
        prompt = load_prompt("drag_proponent" if informed else "drag_challenger")
        documents = document_blocks(self._documents) if informed else ""
        other = CHALLENGER if side == PROPONENT else PROPONENT
        replies = "" if number == 1 else f"{self._quoted(side, 'yours')}\n{self._quoted(other, 'of your opponent')}"
        text = paragraphs(documents, replies, question_line(self._question), prompt.closing)
        return Ask(side, number, prompt, text, parse_answers)

    def _quoted(self, side: str, label: str) -> str:
        said = self._said[side]
        answers = "; ".join(said.answers) if said else ""
        return tagged("reply", label, f"Answers: {answers or 'unknown'}. {said.explanation if said else ''}".strip())

    def _agreed(self) -> str | None:
        """The side that speaks for both: they say the same, or the other one has no answer."""
        proponent, challenger = (self._keys(self._said[side]) for side in SIDES)
        if proponent == challenger or not challenger:
            return PROPONENT
        return CHALLENGER if not proponent else None

    def _unchanged(self, before: dict[str, AnswerList | None]) -> bool:
        return all(self._keys(before[side]) == self._keys(self._said[side]) for side in SIDES)

    def _judged(self, number: int) -> Debate:
        replies = "\n".join(self._quoted(side, f"of the {side}") for side in SIDES)
        prompt = load_prompt("drag_judge")
        text = paragraphs(replies, question_line(self._question), prompt.closing)
        parse = partial(parse_verdict, sides=SIDES)
        (verdict,) = yield from ask([Ask("judge", number, prompt, text, parse)])
        if verdict.status is ReplyStatus.OUT_OF_BUDGET:
            return self._result(PROPONENT, StopReason.OUT_OF_BUDGET, number)
        if verdict.value is None:
            return self._result(PROPONENT, StopReason.NO_VERDICT, number)
        return self._result(verdict.value, StopReason.JUDGED, number)

    def _keys(self, said: AnswerList | None) -> frozenset[str]:
        """The classes of what a side says; none where it has no answer or was not understood."""
        known = [answer for one in self._said.values() if one is not None for answer in one.answers]
        own = list(said.answers) if said is not None else []
        keys = class_keys([*own, *known], self._policy)
        return frozenset(keys[answer] for answer in own)

    def _result(self, side: str, reason: StopReason, rounds: int) -> DebateResult:
        """The side's answers; those of a side with documents only where they stand in one."""
        said = self._said[side] or AnswerList(())
        found = check_support(said.answers, self._documents, self._policy)
        explanation = NO_VERDICT if reason is StopReason.NO_VERDICT else said.explanation
        if side == PROPONENT or self._symmetric:
            return DebateResult(found.answers, explanation, reason, rounds, found.unsupported)
        own = first_spellings(found.unsupported, class_keys(found.unsupported, self._policy))
        known = tuple(DebateAnswer(answer, key, ()) for key, answer in own.items())
        return DebateResult(found.answers + known, explanation, reason, rounds)
