"""Errors of the registry; `estimator.errors` has the tree of them all."""

from datetime import datetime

from estimator.errors import CredenceError

# Where a person finds the names and identifiers of these.
_LISTS = {
    "corpus": "corpora",
    "source": "sources",
    "query": "queries",
    "connector": "connectors",
    "schedule": "schedules",
    "webhook": "webhooks",
    "person": "people",
}


class RegistryError(CredenceError):
    """Base of the errors of the registry."""


class NotFound(RegistryError):
    """The corpus has no row with this identifier or name."""

    def __init__(self, kind: str, identifier: object) -> None:
        listed = _LISTS.get(kind)
        hint = f" `credence {listed}`, or GET .../{listed}, lists them." if listed else ""
        super().__init__(f"There is no {kind} {str(identifier)[:100]!r} here.{hint}")
        self.kind = kind


class RevisionNotKept(NotFound):
    """A former revision of a document that is not kept, or that is for others."""

    def __init__(self, revision: int, current: int) -> None:
        super().__init__("revision", revision)
        self.args = (
            f"{self} The document is revision {current} now; of former ones CREDENCE_KEEP_REVISIONS are kept.",
        )


class Conflict(RegistryError):
    """The present state of the corpus forbids it; `location` is the path of the conflicting resource, if any."""

    def __init__(self, message: str, *, location: str | None = None) -> None:
        super().__init__(message)
        self.location = location


class InvalidInput(RegistryError):
    """The input is invalid; `field` names the invalid part."""

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class ImportTooLarge(RegistryError):
    """An import has more lines, or more lines that are rejected, than the settings allow."""


class FetchFailed(RegistryError):
    """An address or a file that a connector reads could not be had; the text says why."""


class NothingThere(FetchFailed):
    """The server says that there is no such page."""


class Unreadable(FetchFailed):
    """A file or response that a connector cannot turn into a document, or that exceeds a limit, until it changes."""


class Unavailable(RegistryError):
    """The same request may succeed later."""


class DueLater(Unavailable):
    """A job is not to be done before a time."""

    def __init__(self, due_at: datetime) -> None:
        super().__init__(f"It is due at {due_at:%Y-%m-%d %H:%M:%S}.")
        self.due_at = due_at


class DatabaseUnavailable(Unavailable):
    """Postgres does not answer, or the connection broke."""


class Overloaded(Unavailable):
    """More is being done at once than can be done in time."""


class TooSlow(Unavailable):
    """The work took longer than CREDENCE_ANSWER_TIMEOUT_SECONDS."""


class SchemaOutdated(Unavailable):
    """The schema of the database is older or newer than this code."""


class SettingsError(RegistryError):
    """The service, or a part of it, cannot work with these settings."""


class Unauthenticated(RegistryError):
    """There is no API key, or it is unknown, expired or revoked."""


class Forbidden(RegistryError):
    """The API key lacks the scope, sees another corpus, or may not be used from this address."""


class QuotaExceeded(RegistryError):
    """A key or a corpus would store more than it may."""


class TooManyRequests(RegistryError):
    """A key or an address did something too often; it may again after `retry_after` seconds."""

    def __init__(self, message: str, *, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class DailyLimitReached(TooManyRequests):
    """A key or a corpus has asked the questions that it may ask in a day."""
