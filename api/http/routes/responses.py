"""OpenAI's API for responses: a question, or a conversation that goes on from an earlier response, also as
server-sent events.
"""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Annotated

from fastapi import APIRouter, Request
from starlette.responses import Response

from answering.questions.conversation import Role, Turn
from api.chat.chat import ChatRequest
from api.chat.model_names import ModelName
from api.chat.reply import Reply
from api.http.dependencies import PROTECTED, AskCaller, Caller
from api.http.error_formats import openai_error
from api.http.error_responses import problem_of
from api.http.openapi import examples
from api.http.openapi.responses import event_stream_of
from api.http.routes.chat_completions import corpus_of
from api.http.schemas.chat import OpenAIErrorDetail, system_of, turns_of
from api.http.schemas.responses import OutputText, ResponseInput, ResponseView, answer_of
from api.http.streaming.replies import PING, Failure, Item, cancel_on_disconnect, counted, follow, stream_response
from registry.answers import store as stored_answers
from registry.answers.model import AnswerRecord
from registry.answers.question import silent
from registry.corpora.model import Corpus

PATH = "/v1/responses"


class ResponseEvents:
    """Makes the events of one response; they are numbered from 0."""

    def __init__(self, response: ResponseView) -> None:
        self._response = response
        self._place = {"output_index": 0, "content_index": 0, "item_id": response.message(None).id}
        self._number = 0

    async def encode(self, items: AsyncIterator[Item[Reply]]) -> AsyncIterator[str]:
        """The server-sent events; steps of a debate have none in this API."""
        begun = self._response.model_dump(mode="json")
        yield self._event("created", response=begun)
        yield self._event("in_progress", response=begun)
        async for item in items:
            if item is None:
                yield PING
            elif isinstance(item, Failure):
                for event in self._failure(openai_error(problem_of(item.error, PATH)).error):
                    yield event
            elif isinstance(item, Reply):
                for event in self._reply(item):
                    yield event

    def _reply(self, reply: Reply) -> Iterator[str]:
        completed = self._response.completed(reply)
        message = completed.output[0]
        part = message.content[0]
        empty = OutputText(text="", annotations=[])
        begun = self._response.message(None).model_dump(mode="json")
        yield self._event("output_item.added", output_index=0, item=begun)
        yield self._event("content_part.added", **self._place, part=empty.model_dump(mode="json"))
        for line in reply.text.splitlines(keepends=True):
            yield self._event("output_text.delta", **self._place, delta=line, logprobs=[])
        for number, annotation in enumerate(part.annotations):
            yield self._event(
                "output_text.annotation.added",
                **self._place,
                annotation_index=number,
                annotation=annotation.model_dump(mode="json"),
            )
        yield self._event("output_text.done", **self._place, text=reply.text, logprobs=[])
        yield self._event("content_part.done", **self._place, part=part.model_dump(mode="json"))
        yield self._event("output_item.done", output_index=0, item=message.model_dump(mode="json"))
        yield self._event("completed", response=completed.model_dump(mode="json"))

    def _failure(self, error: OpenAIErrorDetail) -> Iterator[str]:
        yield self._encoded("error", code=error.code, message=error.message, param=error.param)
        yield self._event("failed", response=self._response.failed(error).model_dump(mode="json"))

    def _event(self, kind: str, **fields: object) -> str:
        return self._encoded(f"response.{kind}", **fields)

    def _encoded(self, kind: str, **fields: object) -> str:
        data = {"type": kind, "sequence_number": self._number, **fields}
        self._number += 1
        return f"event: {kind}\ndata: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n"


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
