"""The branch of the error tree for everything about language.

AnsweringError
├── ReaderError             reading or embedding with a model failed
│   ├── ReaderUnavailable       no connection, a broken one, 5xx: worth another attempt
│   ├── ReaderTimeout           no reply in time: worth another attempt
│   ├── ReaderRateLimited       429: worth another attempt after `retry_after` seconds
│   ├── ReaderRefused           400, 401, 404, ...: a setting is wrong, nothing to repeat
│   ├── UnreadableReply         a reply came that is no answer: empty, huge, not JSON
│   └── BudgetSpent             nothing is left to pay a call with, until `retry_after` seconds are over
├── ModelDamaged            the files of a compact model are missing or not those that were trained
├── BadParameter            a setting, weight or vote that nothing sensible can be computed with
├── UnexpectedReadings      a selection was sent other readings than those it asked for
└── DebateError             a debate cannot go on
    ├── UnexpectedReplies       it was sent other replies than those it asked for
    └── NobodyToAsk             it needs a model, a reader or a search that it was not given
"""

from estimator.errors import CredenceError


class AnsweringError(CredenceError):
    """Everything that goes wrong with language."""


class BadParameter(AnsweringError, ValueError):
    """A setting, weight or vote that nothing sensible can be computed with; the message says what is allowed."""


class UnexpectedReadings(AnsweringError, ValueError):
    """A selection asked for the readings of some sources and was sent those of others."""


class DebateError(AnsweringError):
    """A debate cannot go on."""


class UnexpectedReplies(DebateError, ValueError):
    """A debate asked for some replies and was sent fewer or more."""


class NobodyToAsk(DebateError):
    """A debate needs a model, a reader or a search that it was not given; the message says which."""


class ModelDamaged(AnsweringError):
    """The files of a compact model are missing or are not those that were trained."""


class ReaderError(AnsweringError):
    """A model server gave no usable reply."""


class ReaderUnavailable(ReaderError):
    """The model server cannot be reached, broke the connection or failed; it may succeed later.

    `retry_after` is the number of seconds the server asked to wait, where it did.
    """

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ReaderTimeout(ReaderUnavailable):
    """No reply within the time given to one attempt."""


class ReaderRateLimited(ReaderUnavailable):
    """The model server asks for fewer requests."""


class ReaderRefused(ReaderError):
    """The model server will never accept this request; the message names the setting to look at."""


class UnreadableReply(ReaderError):
    """The model server replied, but not with an answer: empty, absurdly long, or not the protocol."""


class BudgetSpent(ReaderError):
    """Nothing is left to pay a call of a model with; `retry_after` is the number of seconds until there is."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after
