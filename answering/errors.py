"""The errors of everything about language; `estimator.errors` has the tree of them all."""

from estimator.errors import CredenceError


class AnsweringError(CredenceError):
    """The base of all errors of this package."""


class BadParameter(AnsweringError, ValueError):
    """A parameter, weight or vote outside of what is allowed; the message says what is allowed."""


class UnexpectedReadings(AnsweringError, ValueError):
    """A selection was sent other readings than those it requested."""


class DebateError(AnsweringError):
    """A debate cannot go on."""


class UnexpectedReplies(DebateError, ValueError):
    """A debate was sent more or fewer replies than it requested."""


class MissingService(DebateError):
    """A debate needs a model, a reader or a search that it was not given; the message says which."""


class ModelDamaged(AnsweringError):
    """The files of a compact model are missing or are not those that were released."""


class ModelError(AnsweringError):
    """A model gave no usable reply; `quoted` is the part of the text that repeats what the model server said."""

    quoted = ""

    @property
    def log_text(self) -> str:
        return str(self).replace(self.quoted, "") if self.quoted else str(self)


class ModelUnavailable(ModelError):
    """The model server cannot be reached, broke the connection or failed; another attempt may succeed.

    `retry_after` is the number of seconds that the server asked to wait, None if it did not.
    """

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ModelTimeout(ModelUnavailable):
    """There was no reply within the timeout of one attempt."""


class ModelRateLimited(ModelUnavailable):
    """The model server asks for fewer requests."""


class ModelRefused(ModelError):
    """The model server will never accept this request; the message names the setting to look at."""


class UnreadableReply(ModelError):
    """The reply of the model is no answer: it is empty, too long, or not of the protocol."""


class BudgetSpent(ModelError):
    """The budget allows no further model call; `retry_after` is the number of seconds until it does, if known."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after
