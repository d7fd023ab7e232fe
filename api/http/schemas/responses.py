"""Responses, OpenAI's newer API for conversations: the part that clients read."""

import time
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field, StrictBool

from api.chat.reply import Reply
from api.http.schemas.base import View
from api.http.schemas.chat import (
    AnswerReference,
    InputItem,
    OpenAIErrorDetail,
    RestrictedInput,
    UrlCitation,
    tokens_of,
    url_citations,
)
from registry.platform.errors import NotFound

PREFIX = "resp_"


def answer_of(response_id: str) -> UUID:
    """The id of the answer behind a response; raises `NotFound` if it is none."""
    try:
        return UUID(response_id.removeprefix(PREFIX))
    except ValueError as error:
        raise NotFound("response", response_id) from error


class ResponseInput(RestrictedInput):
    """A conversation, whose last message is answered; sampling parameters and tools are ignored."""

    model: str
    """A name that `GET /v1/models` lists."""
    input: Annotated[str, Field(min_length=1)] | Annotated[list[InputItem], Field(min_length=1)]
    """The question, or the conversation that ends with it."""
    instructions: str | None = None
    """Ignored, as system messages are."""
    previous_response_id: str | None = None
    """A response that this conversation goes on from."""
    stream: StrictBool | None = None
    """Whether the reply comes as server-sent events."""


class TextAnnotation(UrlCitation):
    """An annotation of the text."""

    type: Literal["url_citation"] = Field(default="url_citation", description="The kind of annotation.")


class OutputText(View):
    """The text of the reply."""

    type: Literal["output_text"] = Field(default="output_text", description="The kind of part.")
    text: str = Field(description="Markdown: the answer, how sure, who says so, who says otherwise.")
    annotations: list[TextAnnotation] = Field(description="The links in the text.")
    logprobs: list[Any] = Field(default_factory=list, description="Always empty.")


class OutputMessage(View):
    """The reply."""

    id: str = Field(description="Identifier.", examples=["msg_0199f0a2c4e57d3a8b1c2d3e4f5a6b7c"])
    type: Literal["message"] = Field(default="message", description="The kind of item.")
    role: Literal["assistant"] = Field(default="assistant", description="Who wrote it.")
    status: Literal["in_progress", "completed"] = Field(description="Whether it is whole.")
    content: list[OutputText] = Field(description="Its one part.")


class TokenDetails(View):
    """Details of the tokens that were read."""

    cached_tokens: int = Field(default=0, description="Always 0.")


class OutputTokenDetails(View):
    """Details of the tokens that were written."""

    reasoning_tokens: int = Field(default=0, description="Always 0.")


class ResponseUsage(View):
    """Tokens of language models; the compact reader counts none."""

    input_tokens: int = Field(description="Tokens read.")
    input_tokens_details: TokenDetails = Field(default=TokenDetails(), description="Details of them.")
    output_tokens: int = Field(description="Tokens written.")
    output_tokens_details: OutputTokenDetails = Field(default=OutputTokenDetails(), description="Details of them.")
    total_tokens: int = Field(description="Their sum.")


class ResponseError(View):
    """The reason why there is no reply."""

    code: str = Field(description="The kind of problem, as in `/problems/{code}`.", examples=["reader-timeout"])
    message: str = Field(description="What went wrong, and what to do.")


class ResponseView(View):
    """A reply to a conversation."""

    id: str = Field(description="Identifier, for `previous_response_id`.")
    object: Literal["response"] = Field(default="response", description="The kind of object.")
    created_at: int = Field(description="When it was made, in seconds since 1970.")
    status: Literal["in_progress", "completed", "failed"] = Field(description="Its state.")
    error: ResponseError | None = Field(default=None, description="Why it failed; null if it did not.")
    incomplete_details: None = Field(default=None, description="Always null.")
    instructions: str | None = Field(default=None, description="Always null.")
    model: str = Field(description="The model that was asked for.", examples=["credence/default"])
    output: list[OutputMessage] = Field(description="The one reply.")
    parallel_tool_calls: bool = Field(default=False, description="Always false.")
    previous_response_id: str | None = Field(default=None, description="As it was sent.")
    tool_choice: Literal["none"] = Field(default="none", description="Always `none`.")
    tools: list[Any] = Field(default_factory=list, description="Always empty.")
    metadata: dict[str, str] = Field(default_factory=dict, description="Always empty.")
    usage: ResponseUsage | None = Field(default=None, description="Tokens of language models; null until there are.")
    credence: AnswerReference | None = Field(
        default=None, description="The stored answer; null where no source was needed."
    )

    @classmethod
    def begun(cls, body: ResponseInput, answer_id: UUID) -> "ResponseView":
        """The response before there is a reply."""
        return cls(
            id=f"{PREFIX}{answer_id.hex}",
            created_at=int(time.time()),
            status="in_progress",
            model=body.model,
            output=[],
            previous_response_id=body.previous_response_id,
        )

    def failed(self, error: OpenAIErrorDetail) -> "ResponseView":
        """The response without a reply."""
        return self.model_copy(
            update={"status": "failed", "error": ResponseError(code=error.code, message=error.message)}
        )

    def completed(self, reply: Reply) -> "ResponseView":
        read, written = tokens_of(reply)
        usage = ResponseUsage(input_tokens=read, output_tokens=written, total_tokens=read + written)
        return self.model_copy(
            update={
                "status": "completed",
                "output": [self.message(reply)],
                "usage": usage,
                "credence": AnswerReference.of(reply),
            }
        )

    def message(self, reply: Reply | None) -> OutputMessage:
        """The message of the reply; without one, the empty message that it begins as."""
        message_id = f"msg_{self.id.removeprefix(PREFIX)}"
        if reply is None:
            return OutputMessage(id=message_id, status="in_progress", content=[])
        annotations = [TextAnnotation(**citation.model_dump()) for citation in url_citations(reply)]
        text = OutputText(text=reply.text, annotations=annotations)
        return OutputMessage(id=message_id, status="completed", content=[text])
