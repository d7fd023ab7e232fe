"""OpenAI's API for responses: a question, or a conversation that goes on from an earlier response."""

from typing import Annotated

from fastapi import APIRouter, Request
from starlette.responses import Response

from answering.questions.conversation import Role, Turn
from api.chat.chat import ChatRequest
from api.chat.model_names import ModelName
from api.http.dependencies import PROTECTED, AskCaller, Caller
from api.http.openapi import examples
from api.http.openapi.responses import event_stream_of
from api.http.routes.chat_completions import corpus_of
from api.http.schemas.chat import system_of, turns_of
from api.http.schemas.responses import ResponseInput, ResponseView, answer_of
from api.http.streaming.replies import cancel_on_disconnect, counted, follow, stream_response
from api.http.streaming.response_events import ResponseEvents
from registry.answers import store as stored_answers
from registry.answers.context import silent
from registry.answers.model import AnswerRecord
from registry.corpora.model import Corpus

router = APIRouter(prefix="/v1", tags=["chat clients"], dependencies=PROTECTED)


@router.post(
    "/responses",
    summary="Answer as a response",
    response_model=ResponseView,
    responses={
        200: event_stream_of("The response; with `stream` as events from `response.created` to `response.completed`.")
    },
)
async def create_response(
    body: Annotated[ResponseInput, examples.RESPONSE], caller: AskCaller, request: Request
) -> Response | ResponseView:
    """Works as chat completions do. With `previous_response_id` the conversation goes on from that answer."""
    name = ModelName.parse(body.model)
    corpus = await corpus_of(caller, name)
    items = [] if isinstance(body.input, str) else body.input
    turns = [Turn(Role.USER, body.input)] if isinstance(body.input, str) else turns_of(items)
    before = await _answer_before(caller, corpus, body.previous_response_id)
    chat = ChatRequest(
        runtime=caller.runtime,
        corpus=corpus,
        model=name,
        system=system_of(items),
        turns=[*_turns_before(before), *turns],
        before=before,
        asker=caller.principal.asker,
        field="input",
        restriction=body.restriction,
        keep_as_query=body.store is not False,
    )
    chat.check()
    response = ResponseView.begun(body, chat.answer_id)
    answer = counted(chat, request.app.state.metrics)
    if body.stream:
        return stream_response(ResponseEvents(response).encode(follow(answer)))
    return response.completed(await cancel_on_disconnect(request, answer(silent)))


async def _answer_before(caller: Caller, corpus: Corpus, response_id: str | None) -> AnswerRecord | None:
    """The answer of an earlier response; raises `NotFound` if there is none."""
    if response_id is None:
        return None
    async with caller.runtime.database.begin() as session:
        return await stored_answers.get(session, corpus, answer_of(response_id), caller.viewer)


def _turns_before(before: AnswerRecord | None) -> list[Turn]:
    if before is None:
        return []
    return [Turn(Role.USER, before.question), Turn(Role.ASSISTANT, ", ".join(before.answers))]
