"""A reply as the server-sent events of a streamed response."""

import json
from collections.abc import AsyncIterator, Iterator

from api.chat.reply import Reply
from api.http.error_formats import openai_error
from api.http.error_responses import problem_of
from api.http.schemas.chat import OpenAIErrorDetail
from api.http.schemas.responses import OutputText, ResponseView
from api.http.streaming.replies import PING, Failure, Item

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
