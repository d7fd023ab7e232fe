"""A debate as it is stored and shown: documents, transcript, answers and cost."""

from datetime import datetime
from typing import Any
from uuid import UUID

from answering.debates.schema import Action, Reason, ReplyStatus, StopReason, TurnKind
from answering.enums import Outcome
from registry.answers.schemas import Strategy
from registry.platform.fields import Result, Score


class DebateDocument(Result):
    """A document that a debate read."""

    id: str
    """Its name in the debate; agent 1 of `madam` speaks for `d1`."""
    source_id: UUID
    """The source that published it."""
    source: str
    """Name of the source."""
    reliability: Score | None
    """Reliability of the source at that time; null without an estimate."""
    selected: bool
    """Whether the source is a selected one; a search may be allowed to find documents of others."""
    copies: tuple[str, ...] = ()
    """Names of sources that say the same and count as one with it; their documents take no part."""
    document_id: UUID
    """The document; the debate read the passages of it that were retrieved."""
    document_external_id: str
    """The external id of the document."""
    title: str
    """Title of the document."""
    published_at: datetime | None
    """When the document was published."""


class DebateAnswerView(Result):
    """One of the answers of a debate."""

    answer: str
    """The answer in the words of the model."""
    confidence: Score | None
    """The confidence that the model states; null if the strategy asks for none."""
    documents: tuple[str, ...]
    """Names of the documents that support it; none for an answer from the model's memory."""


class TurnView(Result):
    """One request of an agent, and its reply or why there is none."""

    round: int
    """Number of the round, from 1; 0 for what precedes the first."""
    agent: str
    """Name of the agent."""
    kind: TurnKind
    """Whether the language model was asked, a document was read, or a search was made."""
    status: ReplyStatus
    """Outcome of the request."""
    prompt: str | None
    """Name of the prompt; of a reading, the reader; null of a search."""
    prompt_hash: str | None
    """SHA-256 of the prompt."""
    said: str
    """The reply unparsed; of a search, the query and the documents found."""
    unreadable: tuple[str, ...]
    """Earlier replies that could not be read."""
    error: str | None
    """The reason why there is no reply."""
    model_calls: int
    """Calls of the language model."""
    input_tokens: int
    """Tokens read."""
    output_tokens: int
    """Tokens written."""
    milliseconds: float
    """Duration of the turn."""


class DebateUsage(Result):
    """Cost of a debate; also part of the answer's `usage`."""

    model_calls: int
    """Calls of the language model, also as a reader."""
    input_tokens: int
    """Tokens read."""
    output_tokens: int
    """Tokens written."""
    milliseconds: float
    """Duration of the debate."""


class DebateView(Result):
    """A debate from its documents to its answers."""

    strategy: Strategy
    """The strategy of the debate."""
    settings: dict[str, Any]
    """The parameters of the strategy, defaults included."""
    model: str
    """The language model."""
    answers: tuple[DebateAnswerView, ...]
    """The answers of the debate."""
    unsupported: tuple[str, ...]
    """Answers that were proposed and left out because no document supports them."""
    explanation: str
    """The explanation in the words of the model."""
    stop_reason: StopReason
    """The reason why the debate ended."""
    rounds: int
    """Rounds that were finished."""
    documents: tuple[DebateDocument, ...]
    """The documents that were read."""
    transcript: tuple[TurnView, ...]
    """The turns in order."""
    usage: DebateUsage


class VoteConclusion(Result):
    """The answer of the weighted vote alone; tally, dissent and certificate of the answer are those of the vote."""

    outcome: Outcome
    """Outcome of the vote."""
    answers: tuple[str, ...]
    """The winner; several if they are tied."""
    confidence: Score
    """Confidence of the winner."""


class AutoView(Result):
    """The action of `auto`, and its reasons."""

    action: Action
    """Whether the vote stands, all its answers do, a debate was due, or there is no answer."""
    reasons: tuple[Reason, ...]
    """All reasons for the action."""
