"""Questions, their answers, and links that show an answer to whoever has them."""

from collections.abc import AsyncIterator
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent

from api.http.authorization import SHARED
from api.http.dependencies import PROTECTED, AskAccess, PageParameters, ReadOrAskAccess
from api.http.openapi import examples
from api.http.openapi.responses import RETRY_AFTER, accepted, created
from api.http.routes.keys import UNKEPT
from api.http.schemas.answers import (
    AnswerList,
    AnswerSummary,
    AnswerView,
    NewShareView,
    QuestionInput,
    ShareList,
    ShareView,
)
from api.http.streaming.event_stream import LastEventId, event_stream, require_unseen_events
from api.http.streaming.replies import answer_events, cancel_on_disconnect, stream_response
from registry.answers import jobs as queued_answers
from registry.answers import service as answers
from registry.answers import shares
from registry.answers import store as stored_answers
from registry.answers.calibration import stored_answer
from registry.answers.conversation import understood
from registry.answers.model import AnswerRecord
from registry.answers.question import Progress
from registry.answers.schemas import ShareInput
from registry.answers.store import shares as stored_shares
from registry.platform.enums import RunStatus

router = APIRouter(prefix="/v1/corpora/{corpus}/answers", tags=["answers"], dependencies=PROTECTED)

AnswerId = Annotated[UUID, Path(description="Identifier of the answer.")]
POLL_SECONDS = "1"
ASYNC = "respond-async"
EVENT_STREAM = "text/event-stream"


@router.post(
    "",
    status_code=201,
    response_model=AnswerView,
    summary="Ask a question",
    responses={
        201: created("The answer."),
        202: {**accepted("The question is queued."), "model": AnswerView},
        200: {"description": "The answer while it is made, asked for with `Accept`.", "content": {EVENT_STREAM: {}}},
    },
)
async def ask_question(
    body: Annotated[QuestionInput, examples.QUESTION],
    access: AskAccess,
    request: Request,
    response: Response,
    prefer: Annotated[str, Header(description="`respond-async` for a response of 202 at once.")] = "",
) -> AnswerView | Response:
    """Reads the sources from the most reliable down; those with a reading vote, weighted by their reliability. With a
    `strategy` that debates, a language model then answers from their documents alone, and the vote is reported beside
    its answer. The answer is stored with everything it was made of. The work ends when the client disconnects, unless
    the request has an `Idempotency-Key`.

    With `Accept: text/event-stream` the steps come as server-sent events while they happen, as of `/events`, and at the
    end `answered`, whose `data` is the answer, or `error` with a problem.
    """
    corpus, asker, parameters = await access.corpus(), access.principal.asker, body.parameters
    question = await understood(access.runtime, corpus, body.question, body.follows, asker=asker)
    if request.headers.get("accept") == EVENT_STREAM:

        async def answer(progress: Progress) -> AnswerView:
            record = await answers.ask(access.runtime, corpus, question, parameters, asker=asker, progress=progress)
            return _counted(request, record)

        events = answer_events(answer, request.url.path)
        first = await cancel_on_disconnect(request, _next(events))
        return stream_response(_all(first, events))
    if _wants_async(prefer):
        record = await queued_answers.start(access.runtime, corpus, question, parameters, asker=asker)
        response.status_code = 202
        response.headers["Retry-After"] = POLL_SECONDS
        response.headers["Preference-Applied"] = ASYNC
    else:
        work = answers.ask(access.runtime, corpus, question, parameters, asker=asker)
        record = await cancel_on_disconnect(request, work)
    response.headers["Location"] = access.path("answers", record.id)
    return _counted(request, record)


def _counted(request: Request, record: AnswerRecord) -> AnswerView:
    view = AnswerView.model_validate(record)
    if view.result is not None:
        request.app.state.metrics.count_answer(view.result)
    return view


async def _next(events: AsyncIterator[str]) -> str:
    return await anext(events)


async def _all(first: str, others: AsyncIterator[str]) -> AsyncIterator[str]:
    yield first
    async for event in others:
        yield event


@router.get("", summary="List answers")
async def list_answers(access: ReadOrAskAccess, paging: PageParameters) -> AnswerList:
    """Returns the answers without their results."""
    async with access.begin() as (session, corpus):
        page = await stored_answers.page(
            session, corpus, cursor=paging.cursor, limit=paging.limit, viewer=access.viewer
        )
    return AnswerList.of(page, AnswerSummary.model_validate)


@router.get(
    "/{answer_id}",
    summary="Read an answer",
    responses={200: {"description": "With Retry-After until there is an answer.", "headers": RETRY_AFTER}},
)
async def get_answer(access: ReadOrAskAccess, answer_id: AnswerId, response: Response) -> AnswerView:
    """The answer as it was given, whatever changed since, with a `calibrated_confidence` by later evaluations."""
    async with access.begin() as (session, corpus):
        record, result = await stored_answer(session, corpus, answer_id, access.viewer)
    if not RunStatus(record.status).ended:
        response.headers["Retry-After"] = POLL_SECONDS
    return AnswerView.of(record, result)


async def _followed(access: ReadOrAskAccess, answer_id: AnswerId, last_event_id: LastEventId = 0) -> AnswerRecord:
    async with access.begin() as (session, corpus):
        record = await stored_answers.get_followed(session, corpus, answer_id, access.viewer)
        await require_unseen_events(session, record.id, RunStatus(record.status), last_event_id)
    return record


@router.get(
    "/{answer_id}/events",
    summary="Follow an answer",
    responses={204: {"description": "It is answered, and nothing came after Last-Event-ID."}},
    response_class=EventSourceResponse,
)
async def follow_answer(
    access: ReadOrAskAccess, record: Annotated[AnswerRecord, Depends(_followed)], last_event_id: LastEventId = 0
) -> AsyncIterator[ServerSentEvent]:
    """Server-sent events: `queued`, `running`, `voted` with the answer of the vote, and at the end `succeeded` or
    `failed`. Of a debate also `debate_began` and, for every turn, `turn_began` and `turn_ended` with agent, round, the
    beginning of the text, and tokens. If a worker dies, its turns stay, and another worker begins again with `running`.

    Send the id of the last event seen as `Last-Event-ID` to go on from there.
    """
    async for event in event_stream(access.runtime, record.id, last_event_id):
        yield event


def _wants_async(prefer: str) -> bool:
    """Whether the header Prefer (RFC 7240) lists `respond-async`, with any parameters."""
    return any(preference.split(";")[0].strip().lower() == ASYNC for preference in prefer.split(","))


links = APIRouter(prefix="/v1/corpora/{corpus}", tags=["answers"], dependencies=PROTECTED)

ShareId = Annotated[UUID, Path(description="Identifier of the link.")]
DEFAULTS = ShareInput()


@links.post(
    "/answers/{answer_id}/shares",
    status_code=201,
    summary="Make a link to an answer",
    responses={201: created("The link.")},
)
async def share_answer(
    access: AskAccess, answer_id: AnswerId, response: Response, body: ShareInput = DEFAULTS
) -> NewShareView:
    """Whoever has the link reads the answer without a key, until it expires or is revoked, or the key that made it
    ends. They see its page, and nothing else of the corpus. Needs the scope `ask`, of a key that sees
    everything, as a link has no groups.
    """
    async with access.begin() as (session, corpus):
        key_id, viewer = access.principal.key_id, access.viewer
        share, token = await shares.make(session, corpus, answer_id, body, key_id=key_id, viewer=viewer)
        view = NewShareView(**ShareView.model_validate(share).model_dump(), path=f"{SHARED}{token}")
    response.headers.update({"Location": access.path("shares", view.id), **UNKEPT})
    return view


@links.get("/shares", summary="List links to answers")
async def list_shares(
    access: ReadOrAskAccess,
    paging: PageParameters,
    answer_id: Annotated[UUID | None, Query(description="Only those to this answer.")] = None,
) -> ShareList:
    """Returns the links that still open an answer."""
    async with access.begin() as (session, corpus):
        page = await stored_shares.page(
            session, corpus, answer_id=answer_id, cursor=paging.cursor, limit=paging.limit, viewer=access.viewer
        )
    return ShareList.of(page, ShareView.model_validate)


@links.delete("/shares/{share_id}", status_code=204, summary="Revoke a link to an answer")
async def revoke_share(access: AskAccess, share_id: ShareId) -> None:
    """It opens nothing any more. Needs the scope `ask`, of a key that sees everything."""
    async with access.begin() as (session, corpus):
        await shares.revoke(session, corpus, share_id, access.viewer)
