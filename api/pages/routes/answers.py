"""Questions: asked in a form, followed while they are answered, and shown with everything their answers are made of."""

from datetime import UTC, date, datetime, time
from typing import Annotated
from uuid import UUID

from fastapi import Form, Query, Request
from fastapi.responses import RedirectResponse
from fastapi.sse import EventSourceResponse
from pydantic import BaseModel, Field
from starlette.responses import Response

from answering.debates.strategies import STRATEGIES
from api.http.dependencies import AskAccess, CorpusAccess, IngestAccess, PageParameters, ReadOrAskAccess
from api.http.routes.answers import AnswerId, follow_answer
from api.http.routes.queries import EntryId
from api.http.schemas.answers import AnswerSummary, AnswerView
from api.http.schemas.base import ListView
from api.pages.answer_parts import COLUMNS, AnswerParts
from api.pages.judged_query import last_change
from api.pages.rendering import address, page
from api.pages.visitors import page_router, told_once
from registry.answers import jobs as queued_answers
from registry.answers import store as stored_answers
from registry.answers.calibration import stored_answer
from registry.answers.conversation import understood
from registry.answers.schemas import AnswerParameters, Strategy
from registry.answers.shares import MAX_SHARES
from registry.answers.store import shares as stored_shares
from registry.estimations.schemas import Topic
from registry.keys.schemas import Scope
from registry.platform.enums import ActorKind
from registry.platform.errors import NotFound
from registry.platform.fields import Name, Question
from registry.queries import store as queries
from registry.queries.schemas import Answer as GoldAnswer
from registry.queries.schemas import QueryInput
from registry.queries.store import gold, joined_answers
from registry.sources.store import estimates

router = page_router("/corpora/{corpus}/answers")
READY_QUESTIONS = 6
SHARE_DAYS = (1, 7, 30, 90, 365)


@router.get("")
async def show_answers(
    request: Request,
    access: ReadOrAskAccess,
    paging: PageParameters,
    question: Annotated[str, Query(max_length=10_000)] = "",
    strategy: Strategy = Strategy.WMV,
    beside: Annotated[UUID | None, Query()] = None,
) -> Response:
    """The form that takes a question, questions to begin with, and those asked so far."""
    async with access.begin() as (session, corpus):
        newest = await stored_answers.page(
            session, corpus, cursor=paging.cursor, limit=paging.limit, newest_first=True, viewer=access.viewer
        )
        ready = await queries.page(
            session, corpus, cursor=None, limit=READY_QUESTIONS, active=True, viewer=access.viewer
        )
    return page(
        request,
        "answers/answers.html",
        corpus=corpus.name,
        answers=ListView[AnswerSummary].of(newest, AnswerSummary.model_validate),
        question=question,
        chosen=strategy,
        asks=True,
        beside=beside,
        strategies=STRATEGIES,
        has_chat=access.runtime.chat is not None,
        ready=[query.text for query in ready.items],
    )


class QuestionForm(BaseModel):
    """The fields of a question as a form has them."""

    question: Question
    strategy: Strategy = Strategy.WMV
    kappa: Annotated[int | None, Field(ge=1, le=1000)] = None
    asked_at: date | None = None
    beside: UUID | None = None
    no_query: bool = False


@router.post("")
async def ask(
    request: Request, access: AskAccess, paging: PageParameters, form: Annotated[QuestionForm, Form()]
) -> Response:
    """Queue the question and lead on to its page, beside that of an earlier answer.

    Where the strategy needs a language model and there is none, show the form with the question again.
    """
    if access.runtime.chat is None and any(each.name == form.strategy and each.make_debate for each in STRATEGIES):
        return await show_answers(request, access, paging, form.question, form.strategy, form.beside)
    noon = None if form.asked_at is None else datetime.combine(form.asked_at, time(12), UTC)
    parameters = AnswerParameters(
        strategy=form.strategy, kappa=form.kappa, asked_at=noon, keep_as_query=not form.no_query
    )
    corpus = await access.corpus()
    record = await queued_answers.start(access.runtime, corpus, form.question, parameters, asker=access.principal.asker)
    other = "" if form.beside is None else f"?beside={form.beside}"
    return RedirectResponse(address("corpora", corpus.name, "answers", record.id) + other, 303)


@router.get("/{answer_id}")
async def show_answer(
    request: Request, access: ReadOrAskAccess, answer_id: AnswerId, beside: Annotated[UUID | None, Query()] = None
) -> Response:
    """An answer, or how far it is, an earlier one in short beside it, and a link to it that was just made."""
    async with access.begin() as (session, corpus):
        answer = AnswerView.of(*await stored_answer(session, corpus, answer_id, access.viewer))
        other = None
        if beside is not None:
            other = AnswerView.of(*await stored_answer(session, corpus, beside, access.viewer))
        follows = answer.follows_id
        before = await stored_answers.find(session, corpus, follows, access.viewer) if follows else None
        run = await estimates.current_run(session, corpus)
        query = await queries.with_text(session, corpus, answer.question, access.viewer)
        changed = await gold.newest(session, query.id) if query is not None else None
        change = await last_change(session, corpus, query, access.viewer) if query is not None else None
        joins = await joined_answers.page(
            session, corpus, question=answer.question, limit=joined_answers.MAX_JOINS, viewer=access.viewer
        )
        shares = await stored_shares.page(session, corpus, answer_id=answer_id, limit=MAX_SHARES, viewer=access.viewer)
    return page(
        request,
        "answers/answer.html",
        corpus=corpus.name,
        answer=answer,
        parts=AnswerParts.of(answer.result) if answer.result is not None else None,
        other=other,
        before=before,
        columns=COLUMNS,
        topics=[Topic.model_validate(topic) for topic in run.topics] if run else [],
        right=(query.gold_answers or []) if query is not None else [],
        changed=changed,
        change=change,
        joins=joins.items,
        shares=shares.items,
        share_days=SHARE_DAYS,
        may_share=access.viewer.sees_all,
        new_link=told_once(request),
        shared=False,
    )


@router.post("/{answer_id}/follow-up")
async def follow_up(access: AskAccess, answer_id: AnswerId, question: Annotated[Question, Form()]) -> Response:
    """Queue a question in the context of this answer, and lead on to its page."""
    async with access.begin() as (session, corpus):
        before = await stored_answers.get(session, corpus, answer_id, access.viewer)
    asker = access.principal.asker
    # The topic was that of the question before.
    parameters = AnswerParameters.model_validate({**before.parameters, "topic": None})
    meant = await understood(access.runtime, corpus, question, answer_id, asker=asker)
    record = await queued_answers.start(access.runtime, corpus, meant, parameters, asker=asker)
    return RedirectResponse(address("corpora", corpus.name, "answers", record.id), 303)


@router.post("/{answer_id}/gold")
async def set_right_answer(
    access: IngestAccess,
    answer_id: AnswerId,
    answer: Annotated[GoldAnswer, Form()],
    replace: Annotated[bool, Form()] = False,
) -> Response:
    """Say what is right: the question becomes a query of the corpus unless it is one."""
    if replace:
        access.require(Scope.ADMIN)
    async with access.begin() as (session, corpus):
        question = (await stored_answers.get(session, corpus, answer_id, access.viewer)).question
        query = await queries.with_text(session, corpus, question, access.viewer)
        if query is None:
            query, _ = await queries.create(session, corpus, QueryInput(text=question))
        await gold.add(session, corpus, query.id, [answer], replace=replace, actor=ActorKind.BROWSER)
    return _to_right_answer(access, answer_id)


@router.post("/{answer_id}/gold/{entry_id}/undo")
async def undo_right_answer(access: IngestAccess, answer_id: AnswerId, entry_id: EntryId) -> Response:
    """Give the query of this question the right answers of before."""
    async with access.begin() as (session, corpus):
        question = (await stored_answers.get(session, corpus, answer_id, access.viewer)).question
        query = await queries.with_text(session, corpus, question, access.viewer)
        if query is None:
            raise NotFound("query", question)
        await gold.undo(session, corpus, query.id, entry_id, only_own=access.only_own)
    return _to_right_answer(access, answer_id)


def _to_right_answer(access: CorpusAccess, answer_id: UUID) -> Response:
    return RedirectResponse(address("corpora", access.corpus_name, "answers", answer_id) + "#right", 303)


@router.post("/{answer_id}/topic")
async def ask_on_topic(
    access: AskAccess,
    answer_id: AnswerId,
    topic: Annotated[Name, Form()],
    use_topic: Annotated[bool, Form()] = True,
) -> Response:
    """Queue the question of an answer again, on another topic or on none, and lead on to both side by side."""
    async with access.begin() as (session, corpus):
        answer = await stored_answers.get(session, corpus, answer_id, access.viewer)
    chosen = {"topic": topic if use_topic else None, "use_topic": use_topic}
    parameters = AnswerParameters.model_validate({**answer.parameters, **chosen})
    asker = access.principal.asker
    record = await queued_answers.start(access.runtime, corpus, answer.question, parameters, asker=asker)
    return RedirectResponse(address("corpora", corpus.name, "answers", record.id) + f"?beside={answer_id}", 303)


router.add_api_route("/{answer_id}/events", follow_answer, methods=["GET"], response_class=EventSourceResponse)
