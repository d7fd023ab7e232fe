"""A debate as it is stored and shown: who said what, what came of it, what it cost."""

from datetime import datetime
from typing import Any
from uuid import UUID

from answering.debates.auto import Action, Reason
from answering.debates.protocol import ReplyStatus, StopReason, TurnKind
from answering.voting.outcome import Outcome
from registry.inputs.strategies import Strategy
from registry.results.base import Result, Score


class DebateDocument(Result):
    """What a debate read."""

    id: str
    """Its name in the debate; agent 1 of `madam` speaks for `d1`."""
    source_id: UUID
    """Who published it."""
    source: str
    """Name of the source."""
    reliability: Score | None
    """Of the source at that time; null where nobody knows it."""
    selected: bool
    """Whether the source is one of the selected; others come in only where a search was not restricted to them."""
    document_id: UUID
    """The document, of which the debate read the passages that were found."""
    document_external_id: str
    """Yours."""
    title: str
    """Of the document."""
    published_at: datetime | None
    """When it was published."""


class DebateAnswerView(Result):
    """One of the answers of a debate."""

    answer: str
    """In the model's words."""
    confidence: Score | None
    """How sure the model says it is; null where it was not asked."""
    documents: tuple[str, ...]
    """Names of the documents it stands in; none for what only the model remembers."""


class TurnView(Result):
    """What one agent said, or why it did not."""

    round: int
    """In which round."""
    agent: str
    """Who."""
    kind: TurnKind
    """Whether the language model was asked, a document read, or a search made."""
    status: ReplyStatus
    """What became of it."""
    prompt: str | None
    """Name of the prompt; of a reading, the reader; null of a search."""
    prompt_hash: str | None
    """SHA-256 of the prompt."""
    said: str
    """The reply as it came; of a search, the query and what it found."""
    unreadable: tuple[str, ...]
    """Replies before it that could not be read."""
    error: str | None
    """Why there is none."""
    model_calls: int
    """Calls of the language model."""
    input_tokens: int
    """Tokens read."""
    output_tokens: int
    """Tokens written."""
    milliseconds: float
    """How long it took."""


class DebateUsage(Result):
    """What a debate cost; in the answer's `usage` too."""

    model_calls: int
    """Calls of the language model, and of a reader that is one."""
    input_tokens: int
    """Tokens read."""
    output_tokens: int
    """Tokens written."""
    milliseconds: float
    """From its beginning to its end."""


class DebateView(Result):
    """A debate from its documents to its answers."""

    strategy: Strategy
    """Which debate."""
    settings: dict[str, Any]
    """The choices it was held with, defaults included."""
    model: str
    """The language model."""
    answers: tuple[DebateAnswerView, ...]
    """What came of it."""
    unsupported: tuple[str, ...]
    """Answers that were proposed and left out, as they stand in no document."""
    explanation: str
    """In the model's words."""
    stop_reason: StopReason
    """Why it ended."""
    rounds: int
    """Rounds that were finished."""
    documents: tuple[DebateDocument, ...]
    """What it read."""
    transcript: tuple[TurnView, ...]
    """Who said what."""
    usage: DebateUsage


class VoteConclusion(Result):
    """What the weighted vote alone comes to; the tally, the dissent and the certificate are those of the vote."""

    outcome: Outcome
    """Of the vote."""
    answers: tuple[str, ...]
    """The winner; several with a tie."""
    confidence: Score
    """Of the winner."""


class AutoView(Result):
    """What `auto` did, and why."""

    action: Action
    """Whether the vote stands, all its answers do, a debate was due, or there is no answer."""
    reasons: tuple[Reason, ...]
    """All that speaks for it."""
