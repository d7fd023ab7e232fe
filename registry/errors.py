"""The registry's branch of the error tree.

RegistryError
├── NotFound                 no such thing in this corpus
├── Conflict                 the state forbids it, now
├── InvalidInput             what was sent can never be accepted
└── Unavailable              try again later
    ├── DatabaseUnavailable  Postgres does not answer
    ├── TooSlow              a question, or what is to be scored, took longer than it may
    └── SchemaOutdated       the database is older or newer than this code
SettingsError                the service cannot start like this
Unauthenticated, Forbidden   keys
"""

from estimator.errors import CredenceError


class RegistryError(CredenceError):
    """What the registry refuses or cannot do."""


class NotFound(RegistryError):
    """No such thing in this corpus."""

    def __init__(self, kind: str, identifier: object) -> None:
        super().__init__(f"There is no {kind} {str(identifier)[:100]!r} here.")
        self.kind = kind


class Conflict(RegistryError):
    """The present state forbids it. `location` names the resource in the way, if there is one."""

    def __init__(self, message: str, *, location: str | None = None) -> None:
        super().__init__(message)
        self.location = location


class InvalidInput(RegistryError):
    """What was sent can never be accepted; `field` says which part of it."""

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class Unavailable(RegistryError):
    """Something that Credence needs does not answer; the same request may succeed later."""


class DatabaseUnavailable(Unavailable):
    """Postgres does not answer or broke off."""


class TooSlow(Unavailable):
    """The work took longer than CREDENCE_ANSWER_TIMEOUT_SECONDS."""


class SchemaOutdated(Unavailable):
    """The database's schema is not the one this code was written for."""


class SettingsError(RegistryError):
    """The service cannot start, or a part of it cannot work, with these settings."""


class Unauthenticated(RegistryError):
    """No API key, or one that is unknown, expired or revoked."""


class Forbidden(RegistryError):
    """The API key may not do this."""
