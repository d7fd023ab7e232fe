"""A reply as the chunks of a streamed chat completion, with the events that Open WebUI shows beside it."""

import json
import time
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

from api.chat.reply import Quote, Reply, date_of, step_text
from api.http.error_formats import openai_error
from api.http.error_responses import problem_of
from api.http.schemas.chat import AnswerReference, ChatUsage, annotations_of
from api.http.streaming.replies import PING, Failure, Item, Step

PATH = "/v1/chat/completions"
DONE = "data: [DONE]\n\n"
READING = "Reading the sources"


class ChatChunks:
    """Makes the chunks of one chat completion."""

    def __init__(self, model: str, answer_id: UUID, *, include_usage: bool) -> None:
        self._include_usage = include_usage
        self._head = {
            "id": f"chatcmpl-{answer_id.hex}",
            "object": "chat.completion.chunk",
            "created": int(time.time()),
            "model": model,
        }

    async def encode(self, items: AsyncIterator[Item[Reply]]) -> AsyncIterator[str]:
        """The server-sent events of the reply; after a failure there is one with its error, and no end."""
        yield self._chunk({"role": "assistant", "content": ""})
        yield self._status(READING)
        async for item in items:
            if item is None:
                yield PING
            elif isinstance(item, Step):
                if text := step_text(item.kind, item.data):
                    yield self._status(text)
            elif isinstance(item, Failure):
                yield _data(openai_error(problem_of(item.error, PATH)).model_dump(mode="json"))
                return
            else:
                for event in self._reply(item):
                    yield event
        yield DONE

    def _reply(self, reply: Reply) -> list[str]:
        reference = AnswerReference.of(reply)
        more = {} if reference is None else {"credence": reference.model_dump(mode="json")}
        annotations = [annotation.model_dump() for annotation in annotations_of(reply)]
        events = [self._status(_summary(reply), done=True)]
        events += [self._chunk({}, event={"type": "source", "data": source_event(quote)}) for quote in reply.quotes]
        events += [self._chunk({"content": line}) for line in reply.text.splitlines(keepends=True)]
        if annotations:
            events.append(self._chunk({"annotations": annotations}))
        events.append(self._chunk({}, finish_reason="stop", **more))
        if self._include_usage:
            events.append(_data(self._head | {"choices": [], "usage": ChatUsage.of(reply).model_dump()}))
        return events

    def _status(self, description: str, *, done: bool = False) -> str:
        return self._chunk({}, event={"type": "status", "data": {"description": description, "done": done}})

    def _chunk(self, delta: dict[str, Any], *, finish_reason: str | None = None, **more: object) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        usage = {"usage": None} if self._include_usage else {}
        return _data({**self._head, "choices": [choice], **usage, **more})


def source_event(quote: Quote) -> dict[str, Any]:
    """A quote as Open WebUI shows it: name and address of the source, the quote, and where it is from."""
    citation = quote.citation
    title = citation.title or citation.document_external_id
    metadata = {
        "source": quote.url or f"{quote.source}: {title}",
        "name": f"{quote.source}: {title}",
        "document_id": str(citation.document_id),
        "reliability": quote.reliability,
        "published": date_of(citation.published_at) if citation.published_at else None,
    }
    source = {"name": metadata["name"]} | ({"url": quote.url} if quote.url else {})
    return {"source": source, "document": [citation.quote], "metadata": [metadata]}


def _summary(reply: Reply) -> str:
    if reply.result is None:
        return "No source was needed"
    usage = reply.result.usage
    return f"{usage.readings} readings, {usage.milliseconds / 1000:.1f} s"


def _data(value: object) -> str:
    return f"data: {json.dumps(value, ensure_ascii=False, separators=(',', ':'))}\n\n"
