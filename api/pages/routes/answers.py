"""Questions: asked in a form, followed while they are answered, and shown with everything their answers are made of."""

from typing import Annotated

from fastapi import Form, Query, Request
from fastapi.responses import RedirectResponse
from fastapi.sse import EventSourceResponse
from starlette.responses import Response

from answering.debates.strategies import STRATEGIES
from api.http.dependencies import AskAccess, PageParameters, ReadOrAskAccess
from api.http.routes.answers import AnswerId, follow_answer
from api.http.schemas.answers import AnswerSummary, AnswerView
from api.http.schemas.base import ListView
from api.pages.answer_parts import AnswerParts
from api.pages.rendering import address, page
from api.pages.visitors import page_router
from registry import answers
from registry.inputs.answers import AnswerParameters
from registry.inputs.fields import Question
from registry.inputs.strategies import Strategy
from registry.store import answers as stored_answers

router = page_router("/corpora/{corpus}/answers")


@router.get("")
async def show_answers(
    request: Request,
    access: ReadOrAskAccess,
    paging: PageParameters,
    question: Annotated[str, Query(max_length=10_000)] = "",
    strategy: Strategy = Strategy.WMV,
) -> Response:
    """The form that takes a question, and the questions asked so far."""
    async with access.begin() as (session, corpus):
        newest = await stored_answers.page(session, corpus, cursor=paging.cursor, limit=paging.limit, newest_first=True)
    return page(
        request,
        "answers/answers.html",
        corpus=corpus.name,
        answers=ListView[AnswerSummary].of(newest, AnswerSummary.model_validate),
        question=question,
        chosen=strategy,
        strategies=STRATEGIES,
    )


@router.post("")
async def ask(
    access: AskAccess,
    question: Annotated[Question, Form()],
    strategy: Annotated[Strategy, Form()] = Strategy.WMV,
    kappa: Annotated[int | None, Form(ge=1, le=1000)] = None,
) -> Response:
    """Queue the question and lead on to its page."""
    parameters = AnswerParameters(strategy=strategy, kappa=kappa)
    corpus = await access.corpus()
    record = await answers.start(access.runtime, corpus, question, parameters, key_id=access.principal.key_id)
    return RedirectResponse(address("corpora", corpus.name, "answers", record.id), 303)


@router.get("/{answer_id}")
async def show_answer(request: Request, access: ReadOrAskAccess, answer_id: AnswerId) -> Response:
    """An answer, or how far it is."""
    async with access.begin() as (session, corpus):
        answer = AnswerView.model_validate(await stored_answers.get(session, corpus, answer_id))
    parts = AnswerParts.of(answer.result) if answer.result is not None else None
    return page(request, "answers/answer.html", corpus=corpus.name, answer=answer, parts=parts)


router.add_api_route("/{answer_id}/events", follow_answer, methods=["GET"], response_class=EventSourceResponse)
