"""OpenAI's API: corpora as models, and questions as conversations, streamed with the events that Open WebUI shows."""

import json
import time
from collections.abc import AsyncIterator
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from api.chat.chat import ChatRequest
from api.chat.model_names import ModelName, models_of
from api.chat.reply import Quote, Reply, date_of, step_text
from api.http.authorization import require_visible
from api.http.dependencies import PROTECTED, AskCaller, Caller, ReadOrAskCaller
from api.http.error_formats import openai_error
from api.http.error_responses import problem_of
from api.http.openapi import examples
from api.http.openapi.responses import event_stream_of
from api.http.schemas.chat import (
    AnswerReference,
    ChatChoice,
    ChatCompletion,
    ChatCompletionInput,
    ChatMessage,
    ChatUsage,
    ModelList,
    ModelView,
    annotations_of,
    system_of,
    turns_of,
)
from api.http.streaming.replies import PING, Failure, Item, Step, cancel_on_disconnect, counted, follow, stream_response
from registry.answers.question import silent
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.platform.database.paging import MAX_LIMIT
from registry.platform.errors import NotFound

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


router = APIRouter(prefix="/v1", tags=["chat clients"], dependencies=PROTECTED)


@router.get("/models", summary="List corpora as models")
async def list_models(caller: ReadOrAskCaller) -> ModelList:
    """Each corpus that the key may read, with each strategy that can run here."""
    visible = await _visible_corpora(caller)
    return ModelList(
        data=[_model_view(name, corpus) for corpus in visible for name in models_of(caller.runtime, corpus.name)]
    )


@router.get("/models/{model:path}", summary="Read a model")
async def get_model(
    caller: ReadOrAskCaller,
    model: Annotated[str, Path(description="Name of the model.", examples=["credence/default"])],
) -> ModelView:
    name = ModelName.parse(model)
    return _model_view(name, await corpus_of(caller, name))


@router.post(
    "/chat/completions",
    summary="Continue a conversation",
    response_model=ChatCompletion,
    responses={
        200: event_stream_of("The reply; with `stream` in chunks, each a `chat.completion.chunk`, then `[DONE]`.")
    },
)
async def create_chat_completion(
    body: Annotated[ChatCompletionInput, examples.CHAT], caller: AskCaller, request: Request
) -> Response | ChatCompletion:
    """Answers the last message of the user from the sources of the corpus that `model` names, as `POST .../answers`
    does: who says so, how sure that is, who says otherwise, with links. Requests for titles, tags and follow-up
    questions, which chat front ends send by themselves, are answered without a reading.
    """
    name = ModelName.parse(body.model)
    chat = ChatRequest(
        runtime=caller.runtime,
        corpus=await corpus_of(caller, name),
        model=name,
        system=system_of(body.messages),
        turns=turns_of(body.messages),
        asker=caller.principal.asker,
        field="messages",
        restriction=body.restriction,
        keep_as_query=body.store is not False,
    )
    chat.check()
    answer = counted(chat, request.app.state.metrics)
    if body.stream:
        include_usage = bool(body.stream_options and body.stream_options.include_usage)
        chunks = ChatChunks(body.model, chat.answer_id, include_usage=include_usage)
        return stream_response(chunks.encode(follow(answer)))
    return _completion(body.model, chat.answer_id, await cancel_on_disconnect(request, answer(silent)))


async def corpus_of(caller: Caller, name: ModelName) -> Corpus:
    """The corpus of a model; raises `NotFound` where the caller may not know of it."""
    try:
        async with caller.runtime.database.begin() as session:
            corpus = await corpora.get(session, name.corpus)
        require_visible(caller.principal, corpus)
    except NotFound as error:
        raise NotFound("model", name) from error
    return corpus


async def _visible_corpora(caller: Caller) -> list[Corpus]:
    async with caller.runtime.database.begin() as session:
        if caller.principal.corpus_id is not None:
            return [await corpora.get_by_id(session, caller.principal.corpus_id)]
        page = await corpora.page(session, cursor=None, limit=MAX_LIMIT)
        visible = list(page.items)
        while page.next_cursor is not None:
            page = await corpora.page(session, cursor=page.next_cursor, limit=MAX_LIMIT)
            visible += page.items
    return visible


def _model_view(name: ModelName, corpus: Corpus) -> ModelView:
    return ModelView(id=str(name), created=int(corpus.created_at.timestamp()))


def _completion(model: str, answer_id: UUID, reply: Reply) -> ChatCompletion:
    message = ChatMessage(content=reply.text, annotations=annotations_of(reply))
    return ChatCompletion(
        id=f"chatcmpl-{answer_id.hex}",
        created=int(time.time()),
        model=model,
        choices=[ChatChoice(message=message)],
        usage=ChatUsage.of(reply),
        credence=AnswerReference.of(reply),
    )
