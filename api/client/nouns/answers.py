"""Questions, their answers, and scores of other responses."""

from dataclasses import replace
from uuid import UUID

from api.client.call import DEFAULT, Call, Nothing, of_corpus
from api.http.schemas.answers import AnswerList, AnswerView, QuestionInput
from api.http.schemas.shares import NewShareView, ShareList
from api.http.schemas.streams import EventView
from registry.answers.schemas import AnswerParameters, ShareInput
from registry.conflict_scores.schemas import ConflictAnswer, ConflictInput


def ask(
    question: str,
    parameters: AnswerParameters | None = None,
    *,
    follows: UUID | None = None,
    corpus: str = DEFAULT,
) -> Call[AnswerView]:
    """Ask a question, or one that follows up on an answer, and wait for the answer."""
    given = {"parameters": parameters, "follows": follows}
    body = QuestionInput(question=question, **{name: value for name, value in given.items() if value is not None})
    return of_corpus("POST", "/answers", AnswerView, corpus, body)


def ask_step_by_step(
    question: str,
    parameters: AnswerParameters | None = None,
    *,
    follows: UUID | None = None,
    corpus: str = DEFAULT,
) -> Call[EventView]:
    """Ask a question; for `Client.steps`. The last event, `answered`, has the answer as its data."""
    call = ask(question, parameters, follows=follows, corpus=corpus)
    return Call(call.method, call.template, EventView, path=call.path, body=call.body, is_repeatable=False)


def start_answer(
    question: str, parameters: AnswerParameters | None = None, *, corpus: str = DEFAULT
) -> Call[AnswerView]:
    """Ask a question that a worker answers; follow it with `follow_answer`."""
    return replace(ask(question, parameters, corpus=corpus), headers={"Prefer": "respond-async"})


def list_answers(*, corpus: str = DEFAULT) -> Call[AnswerList]:
    """The questions that were asked, without their answers."""
    return of_corpus("GET", "/answers", AnswerList, corpus)


def get_answer(answer_id: UUID, *, corpus: str = DEFAULT) -> Call[AnswerView]:
    """An answer as it was given."""
    return of_corpus("GET", "/answers/{answer_id}", AnswerView, corpus, answer_id=answer_id)


def follow_answer(answer_id: UUID, *, corpus: str = DEFAULT) -> Call[EventView]:
    """The events of an answer, such as the turns of a debate; for `Client.follow`."""
    return of_corpus("GET", "/answers/{answer_id}/events", EventView, corpus, answer_id=answer_id)


def share_answer(answer_id: UUID, share: ShareInput, *, corpus: str = DEFAULT) -> Call[NewShareView]:
    """Make a link that shows an answer to people without a key."""
    return of_corpus("POST", "/answers/{answer_id}/shares", NewShareView, corpus, share, answer_id=answer_id)


def list_shares(*, answer_id: UUID | None = None, corpus: str = DEFAULT) -> Call[ShareList]:
    """The links that show answers, or one answer."""
    return of_corpus("GET", "/shares", ShareList, corpus, query={"answer_id": answer_id})


def revoke_share(share_id: UUID, *, corpus: str = DEFAULT) -> Call[Nothing]:
    """End a link that shows an answer."""
    return of_corpus("DELETE", "/shares/{share_id}", Nothing, corpus, share_id=share_id)


def score_conflicts(values: ConflictInput, *, corpus: str = DEFAULT) -> Call[ConflictAnswer]:
    """Compare a response with documents."""
    return of_corpus("POST", "/conflict-scores", ConflictAnswer, corpus, values)
