"""What a debate asks for, what it is told, and what it comes to.

A debate is a generator without I/O: it yields requests that may be answered at the same time, is sent one reply for
each in their order, and returns a `DebateResult`. `answering.debates.driver` runs every debate; a test can play the
other side with `next` and `send`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Any, Generic, TypeAlias, TypeVar

from answering.errors import UnexpectedReplies
from answering.models.chat import GREEDY, Sampling
from answering.models.usage import Usage
from answering.prompts import Prompt
from answering.readers.reader import Reading

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """What a debate may read. `reliability` is that of its source, in [0, 1], None where it is not estimated.

    Models are shown when it was published, where that is known: an old and a new report may differ, and both be right.
    """

    id: str
    text: str
    source: str | None = None
    reliability: float | None = None
    published: date | None = None


class ReplyStatus(StrEnum):
    """What became of a request."""

    ANSWERED = "answered"
    UNREADABLE = "unreadable"
    """The model replied twice, and neither reply could be parsed: an abstention."""
    FAILED = "failed"
    """No reply could be had."""
    OUT_OF_BUDGET = "out_of_budget"
    """The budget was spent before the reply: the debate closes with what it has."""


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """The reply to one request: a value if and only if the status is `answered`."""

    value: T | None
    status: ReplyStatus
    text: str = ""
    """What the model wrote, as it came."""


@dataclass(frozen=True, slots=True)
class Ask(Generic[T]):
    """Asks the chat model; `parse` returns None for a text that cannot be read."""

    agent: str
    round: int
    prompt: Prompt
    message: str
    parse: Callable[[str], T | None]
    sampling: Sampling = GREEDY


@dataclass(frozen=True, slots=True)
class Read:
    """Asks the reader what one document says; the reply's value is a `Reading`."""

    agent: str
    round: int
    question: str
    document: SourceDocument


@dataclass(frozen=True, slots=True)
class Search:
    """Asks for the documents that fit a query best; the reply's value is a tuple of `SourceDocument`."""

    agent: str
    round: int
    query: str
    limit: int
    selected_only: bool = True
    """Only documents of the selected sources."""


Request: TypeAlias = Ask[Any] | Read | Search
Conversation: TypeAlias = Generator[tuple[Request, ...], Sequence[Reply[Any]], T]


class StopReason(StrEnum):
    """Why a debate ended."""

    ANSWERED = "answered"
    """It takes one turn and had it."""
    CONVERGED = "converged"
    """No agent changed its answer."""
    AGREED = "agreed"
    """The sides say the same, or only one of them has an answer."""
    JUDGED = "judged"
    """The judge chose a side."""
    NO_VERDICT = "no_verdict"
    """The judge chose none that could be read."""
    ROUNDS_SPENT = "rounds_spent"
    OUT_OF_BUDGET = "out_of_budget"
    NO_DOCUMENTS = "no_documents"


@dataclass(frozen=True, slots=True)
class DebateAnswer:
    """One of the answers, with its class under the debate's policy and the ids of the documents it stands in."""

    answer: str
    key: str
    documents: tuple[str, ...]
    confidence: float | None = None
    """In [0, 1], where the debate asks for one."""


class TurnKind(StrEnum):
    ASK = "ask"
    READ = "read"
    SEARCH = "search"


@dataclass(frozen=True, slots=True)
class Turn:
    """What one agent said, or why it did not."""

    round: int
    agent: str
    kind: TurnKind
    status: ReplyStatus
    prompt: str | None
    """Name of the prompt; of a reading, name of the reader; None of a search."""
    prompt_hash: str | None
    said: str
    """The reply as it came; of a search, the query and the ids found."""
    unreadable: tuple[str, ...] = ()
    """Replies that could not be read."""
    error: str | None = None
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class DebateResult:
    """What a debate came to. Usage, time and transcript are the driver's to fill in."""

    answers: tuple[DebateAnswer, ...]
    explanation: str
    stop_reason: StopReason
    rounds: int
    """Rounds that were finished."""
    unsupported: tuple[str, ...] = ()
    """Answers that were proposed and left out because they stand in no document."""
    usage: Usage = field(default_factory=Usage)
    """Summed over the turns; `milliseconds` too, so with turns side by side it is more than `seconds`."""
    seconds: float = 0.0
    transcript: tuple[Turn, ...] = ()


Debate: TypeAlias = Conversation[DebateResult]


def ask(asks: Sequence[Ask[T]]) -> Conversation[list[Reply[T]]]:
    """Asks all at once; nothing is yielded for nothing."""
    return (yield from _exchange(tuple(asks)))


def read(reads: Sequence[Read]) -> Conversation[list[Reply[Reading]]]:
    """Has all read at once."""
    return (yield from _exchange(tuple(reads)))


def search(searches: Sequence[Search]) -> Conversation[list[Reply[tuple[SourceDocument, ...]]]]:
    """Searches all at once."""
    return (yield from _exchange(tuple(searches)))


def out_of_budget(replies: Sequence[Reply[Any]]) -> bool:
    """Whether the debate must close."""
    return any(reply.status is ReplyStatus.OUT_OF_BUDGET for reply in replies)


def _exchange(requests: tuple[Request, ...]) -> Conversation[list[Reply[Any]]]:
    if not requests:
        return []
    replies = yield requests
    if len(replies) != len(requests):
        raise UnexpectedReplies(f"send one reply for each of the {len(requests)} requests, not {len(replies)}")
    return list(replies)
