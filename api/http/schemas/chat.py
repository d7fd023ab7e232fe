"""Models and chat completions, as OpenAI's API has them: the parts that chat front ends read."""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StrictBool, model_validator
from pydantic_core import from_json

from answering.questions.conversation import Role, Turn
from api.chat.reply import Reply
from api.http.schemas.base import Share, View
from registry.evaluations.schemas import CalibratedConfidence
from registry.passages.schemas import EvidenceFilter


class ClientInput(BaseModel):
    """Input of a client; clients send more than needed, and what is not listed here is ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", use_attribute_docstrings=True)


class MessageRole(StrEnum):
    """The author of a message."""

    SYSTEM = "system"
    DEVELOPER = "developer"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    FUNCTION = "function"


class ContentPart(ClientInput):
    """A part of a message; parts without text, such as images, are ignored."""

    type: str
    """The kind of part: `text`, `input_text`, `output_text` or another."""
    text: str | None = None
    """The text."""


Content = Annotated[str | list[ContentPart] | None, Field(description="The text, whole or in parts.")]


class TextInput(ClientInput):
    """Something with text, whole or in parts."""

    content: Content = None

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.text)
        return self.content or ""


class MessageInput(TextInput):
    """A message of a conversation."""

    role: MessageRole
    """Author of the message; messages of tools are ignored."""


class InputItem(TextInput):
    """A message of a conversation; items without a role, such as references and calls of tools, are ignored."""

    role: MessageRole | None = None
    """Author of the message."""


_TURN_ROLES: Mapping[MessageRole | None, Role] = {MessageRole.USER: Role.USER, MessageRole.ASSISTANT: Role.ASSISTANT}


def turns_of(messages: Sequence[MessageInput | InputItem]) -> list[Turn]:
    """The messages of the user and the assistant that have text."""
    return [
        Turn(_TURN_ROLES[message.role], message.text)
        for message in messages
        if message.role in _TURN_ROLES and message.text
    ]


def system_of(messages: Sequence[MessageInput | InputItem]) -> str:
    roles = {MessageRole.SYSTEM, MessageRole.DEVELOPER}
    return "\n".join(message.text for message in messages if message.role in roles)


class StreamOptions(ClientInput):
    """Options of a stream."""

    include_usage: StrictBool | None = None
    """Whether a last chunk tells the usage."""


class RestrictedInput(ClientInput):
    """A conversation that may restrict the sources and documents that count, and what is kept of it."""

    store: StrictBool | None = None
    """false: no question of it becomes a query. The answer is stored all the same."""

    credence: EvidenceFilter | None = None
    """The sources and documents that count, as the parameters of a question restrict them."""
    metadata: dict[str, Any] | None = None
    """Ignored but for `credence`: the restriction as JSON text, for clients that send no fields of their own."""

    @model_validator(mode="before")
    @classmethod
    def _read_metadata(cls, value: Any) -> Any:  # noqa: ANN401  (input)
        metadata = value.get("metadata") if isinstance(value, dict) else None
        text = metadata.get("credence") if isinstance(metadata, dict) else None
        if text is None or value.get("credence") is not None:
            return value
        try:
            return value | {"credence": from_json(text) if isinstance(text, str) else text}
        except ValueError as error:
            raise ValueError('metadata.credence is no JSON, such as {"sources": ["Herald"]}') from error

    @property
    def restriction(self) -> EvidenceFilter:
        """The sources and documents that count."""
        return self.credence or EvidenceFilter()


class ChatCompletionInput(RestrictedInput):
    """A conversation, whose last message is answered; sampling parameters and tools are ignored."""

    model: str
    """A name that `GET /v1/models` lists."""
    messages: Annotated[list[MessageInput], Field(min_length=1)]
    """The conversation; the last message of the user is the question."""
    stream: StrictBool | None = None
    """Whether the reply comes as server-sent events."""
    stream_options: StreamOptions | None = None
    """Options of the stream."""


class UrlCitation(View):
    """A link in the text."""

    url: str = Field(description="The address.", examples=["https://blog.acme.example/17"])
    title: str = Field(description="Title of the document, or name of the source.", examples=["The Zephyr 3 is here"])
    start_index: int = Field(description="First character of the link in the text.")
    end_index: int = Field(description="One past its last character.")


class Annotation(View):
    """An annotation of the text."""

    type: Literal["url_citation"] = Field(default="url_citation", description="The kind of annotation.")
    url_citation: UrlCitation = Field(description="The link.")


class AnswerReference(View):
    """The answer behind a reply."""

    answer_id: UUID = Field(description="The stored answer, with everything it was made of.")
    outcome: str = Field(description="`answered`, `conflicting`, `unsupported` or `no_evidence`.")
    confidence: Share = Field(description="Probability of the first answer, given the reliabilities.")
    calibrated_confidence: CalibratedConfidence | None = Field(
        description="How often such answers are right, as it is shown to a person; null without an answer."
    )
    readings: int = Field(description="Sources that were read.")

    @classmethod
    def of(cls, reply: Reply) -> "AnswerReference | None":
        """None for a reply that needed no source."""
        if reply.result is None or reply.answer_id is None:
            return None
        result = reply.result
        return cls(
            answer_id=reply.answer_id,
            outcome=result.outcome,
            confidence=result.confidence,
            calibrated_confidence=result.calibrated_confidence,
            readings=result.usage.readings,
        )


class ChatMessage(View):
    """The reply."""

    role: Literal["assistant"] = Field(default="assistant", description="Who wrote it.")
    content: str = Field(description="Markdown: the answer, how sure, who says so, who says otherwise.")
    refusal: str | None = Field(default=None, description="Always null.")
    annotations: list[Annotation] = Field(description="The links in the text.")


class ChatChoice(View):
    """The one reply."""

    index: int = Field(default=0, description="Always 0.")
    message: ChatMessage = Field(description="The reply.")
    logprobs: None = Field(default=None, description="Always null.")
    finish_reason: Literal["stop"] = Field(default="stop", description="Always `stop`.")


class ChatUsage(View):
    """Tokens of language models; the compact reader counts none."""

    prompt_tokens: int = Field(description="Tokens read.")
    completion_tokens: int = Field(description="Tokens written.")
    total_tokens: int = Field(description="Their sum.")

    @classmethod
    def of(cls, reply: Reply) -> "ChatUsage":
        read, written = tokens_of(reply)
        return cls(prompt_tokens=read, completion_tokens=written, total_tokens=read + written)


class ChatCompletion(View):
    """A reply to a conversation."""

    id: str = Field(description="Identifier.", examples=["chatcmpl-0199f0a2c4e57d3a8b1c2d3e4f5a6b7c"])
    object: Literal["chat.completion"] = Field(default="chat.completion", description="The kind of object.")
    created: int = Field(description="When it was made, in seconds since 1970.")
    model: str = Field(description="The model that was asked for.", examples=["credence/default"])
    choices: list[ChatChoice] = Field(description="The one reply.")
    usage: ChatUsage = Field(description="Tokens of language models.")
    credence: AnswerReference | None = Field(description="The stored answer; null where no source was needed.")


class ModelView(View):
    """A corpus and a strategy, as a model."""

    id: str = Field(description="Name of the model.", examples=["credence/default", "credence/default:auto"])
    object: Literal["model"] = Field(default="model", description="The kind of object.")
    created: int = Field(description="When the corpus was made, in seconds since 1970.")
    owned_by: str = Field(default="credence", description="Always `credence`.")


class ModelList(View):
    """The models that the API key may ask."""

    object: Literal["list"] = Field(default="list", description="The kind of object.")
    data: list[ModelView] = Field(description="Each corpus with each strategy that can run here.")


class OpenAIErrorDetail(View):
    """The reason why a request failed."""

    message: str = Field(description="What went wrong, and what to do.", examples=["There is no model 'gpt-4' here."])
    type: str = Field(description="The class of errors.", examples=["invalid_request_error"])
    param: str | None = Field(description="The part of the request that is wrong.", examples=["messages"])
    code: str = Field(description="The kind of problem, as in `/problems/{code}`.", examples=["not-found"])


class OpenAIError(View):
    """A failure as OpenAI's API tells it."""

    error: OpenAIErrorDetail = Field(description="Why the request failed.")


def annotations_of(reply: Reply) -> list[Annotation]:
    """The links of a reply."""
    return [Annotation(url_citation=citation) for citation in url_citations(reply)]


def url_citations(reply: Reply) -> Iterator[UrlCitation]:
    """The links of a reply, in the order of the text."""
    for link in reply.links:
        yield UrlCitation(url=link.url, title=link.title, start_index=link.start, end_index=link.end)


def tokens_of(reply: Reply) -> tuple[int, int]:
    """Tokens that language models read and wrote for a reply."""
    usage = reply.result.usage if reply.result else None
    return (usage.input_tokens, usage.output_tokens) if usage else (0, 0)
