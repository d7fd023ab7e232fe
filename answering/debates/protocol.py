"""The requests of a debate, the replies that it receives, and its result.

A debate is a generator without I/O: it yields a tuple of requests that may be executed concurrently, is sent a list of
replies in the same order, and returns a `DebateResult`. `answering.debates.driver` runs every debate; a test can play
the driver with `next` and `send`.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Generic, TypeAlias, TypeVar

from answering.debates.schema import ReplyStatus, StopReason, TurnKind
from answering.errors import UnexpectedReplies
from answering.models.chat import GREEDY, Sampling
from answering.models.usage import Usage
from answering.prompts import Prompt
from answering.readers.reader import Reading

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A document as a debate reads it, with the estimated reliability of its source in [0, 1], if there is one.

    Models are shown the date of publication: an old and a new report may differ, and both be right.

    >>> SourceDocument("d1", "Lena Dahl leads the choir.", source="Choir news", reliability=0.9).reliability
    0.9
    """

    id: str
    text: str
    source: str | None = None
    reliability: float | None = None
    published: date | None = None


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """The reply to one request; `value` is None unless the status is `answered`. `text` is the reply unparsed."""

    value: T | None
    status: ReplyStatus
    text: str = ""


@dataclass(frozen=True, slots=True)
class Ask(Generic[T]):
    """A request to the chat model; `parse` returns None for a reply that cannot be read."""

    agent: str
    round: int
    prompt: Prompt
    message: str
    parse: Callable[[str], T | None]
    sampling: Sampling = GREEDY


@dataclass(frozen=True, slots=True)
class Read:
    """A request to the reader for its answer from one document; the reply's value is a `Reading`."""

    agent: str
    round: int
    question: str
    document: SourceDocument


@dataclass(frozen=True, slots=True)
class Search:
    """A request for at most `limit` documents, of the selected sources only or of all."""

    agent: str
    round: int
    query: str
    limit: int
    selected_only: bool = True


Request: TypeAlias = Ask[Any] | Read | Search
Conversation: TypeAlias = Generator[tuple[Request, ...], Sequence[Reply[Any]], T]


@dataclass(frozen=True, slots=True)
class DebateAnswer:
    """One of the answers, the key of its answer class, and the ids of the documents that support it.

    `confidence` is in [0, 1], None where the strategy has none.
    """

    answer: str
    key: str
    documents: tuple[str, ...]
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One request and its reply, as the transcript keeps them."""

    round: int
    agent: str
    kind: TurnKind
    status: ReplyStatus
    prompt: str | None
    """Name of the prompt; of a reading, name of the reader; None of a search."""
    prompt_hash: str | None
    said: str
    """The reply unparsed; of a search, the query and the ids found."""
    unreadable: tuple[str, ...] = ()
    """Replies that could not be read."""
    error: str | None = None
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class DebateResult:
    """The result of a debate; the driver fills in usage, seconds and transcript."""

    answers: tuple[DebateAnswer, ...]
    explanation: str
    stop_reason: StopReason
    rounds: int
    unsupported: tuple[str, ...] = ()
    """Answers that were proposed and left out because no document supports them."""
    usage: Usage = field(default_factory=Usage)
    """Summed over the turns, milliseconds too, so that concurrent turns add up to more than `seconds`."""
    seconds: float = 0.0
    transcript: tuple[Turn, ...] = ()


Debate: TypeAlias = Conversation[DebateResult]
NO_DOCUMENTS = DebateResult((), "There is no document to answer from.", StopReason.NO_DOCUMENTS, 0)
UNREADABLE = "The model's reply could not be read."


def ask(requests: Sequence[Ask[T]]) -> Conversation[list[Reply[T]]]:
    """Yields requests to the chat model and returns their replies."""
    return (yield from _exchange(tuple(requests)))


def read(requests: Sequence[Read]) -> Conversation[list[Reply[Reading]]]:
    """Yields requests to the reader and returns their replies."""
    return (yield from _exchange(tuple(requests)))


def search(requests: Sequence[Search]) -> Conversation[list[Reply[tuple[SourceDocument, ...]]]]:
    """Yields searches and returns their replies."""
    return (yield from _exchange(tuple(requests)))


def _exchange(requests: tuple[Request, ...]) -> Conversation[list[Reply[Any]]]:
    replies = (yield requests) if requests else ()
    if len(replies) != len(requests):
        raise UnexpectedReplies(f"send one reply for each of the {len(requests)} requests, not {len(replies)}")
    return list(replies)


def out_of_budget(replies: Sequence[Reply[Any]]) -> bool:
    """Whether the budget was spent before all replies, so that the debate must close."""
    return any(reply.status is ReplyStatus.OUT_OF_BUDGET for reply in replies)


def no_answer(reply: Reply[Any]) -> DebateResult:
    """The result of a strategy whose only reply has no value."""
    if reply.status is ReplyStatus.OUT_OF_BUDGET:
        return DebateResult((), "", StopReason.OUT_OF_BUDGET, 0)
    return DebateResult((), UNREADABLE, StopReason.ANSWERED, 0)
