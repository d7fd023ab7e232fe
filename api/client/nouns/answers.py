"""Questions, their answers, and scores of other responses."""

from dataclasses import replace
from uuid import UUID

from api.client.call import Call, Nothing, Operation, Sending, SendingTo
from api.http.schemas.answers import AnswerList, AnswerView, NewShareView, QuestionInput, ShareList
from api.http.schemas.base import EventView
from registry.answers.schemas import AnswerParameters, ShareInput
from registry.conflict_scores.schemas import ConflictAnswer, ConflictInput

_ASK = Sending("POST /answers", AnswerView, QuestionInput)
list_answers = Operation("GET /answers", AnswerList)
get_answer = Operation("GET /answers/{answer_id}", AnswerView)
follow_answer = Operation("GET /answers/{answer_id}/events", EventView)
share_answer = SendingTo("POST /answers/{answer_id}/shares", NewShareView, ShareInput, is_repeatable=False)
list_shares = Operation("GET /shares", ShareList)
revoke_share = Operation("DELETE /shares/{share_id}", Nothing)
score_conflicts = Sending("POST /conflict-scores", ConflictAnswer, ConflictInput)


def ask(
    question: str,
    parameters: AnswerParameters | None = None,
    *,
    follows: UUID | None = None,
    corpus: str | None = None,
) -> Call[AnswerView]:
    """Ask a question, or one that follows up on an answer, and wait for the answer."""
    given = {"parameters": parameters, "follows": follows}
    body = QuestionInput(question=question, **{name: value for name, value in given.items() if value is not None})
    return _ASK(body, corpus=corpus)


def step_by_step(call: Call[AnswerView]) -> Call[EventView]:
    """The same question; for `Client.steps`. The last event, `answered`, has the answer as its data."""
    return Call(call.method, call.template, EventView, path=call.path, body=call.body, is_repeatable=False)


def start_answer(
    question: str, parameters: AnswerParameters | None = None, *, corpus: str | None = None
) -> Call[AnswerView]:
    """Ask a question that a worker answers; follow it with `follow_answer`."""
    return replace(ask(question, parameters, corpus=corpus), headers={"Prefer": "respond-async"})
