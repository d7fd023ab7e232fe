"""Failures as problems of RFC 9457. Here, and nowhere else, an error becomes a status.

`OF_ERROR` maps the branches of the error tree; an error is of the kind of its nearest mapped ancestor.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from answering.errors import (
    BadParameter,
    BudgetSpent,
    MissingService,
    ModelDamaged,
    ModelError,
    ModelTimeout,
    ModelUnavailable,
    UnexpectedReadings,
    UnexpectedReplies,
)
from api.http.errors import BodyTooLarge, BrokenBody, UnsupportedMediaType
from estimator.errors import CredenceError, EstimatorError
from migrations.control import MigrationFailed
from registry.errors import (
    Conflict,
    Forbidden,
    InvalidInput,
    NotFound,
    SchemaOutdated,
    SettingsError,
    TooSlow,
    Unauthenticated,
    Unavailable,
)
from registry.store.idempotency import KeyInUse, KeyReused

RETRY_SECONDS = 5


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of problem: its name in `type`, its status, and what it means in general.

    `retry_after` is a number of seconds; the text of an error of a kind that is not `told` stays in the log.
    """

    slug: str
    status: HTTPStatus
    title: str
    meaning: str
    retry_after: int | None = None
    told: bool = True

    @property
    def type(self) -> str:
        """The stable reference that programs tell kinds apart by; it can be read at that address."""
        return f"/problems/{self.slug}"


MALFORMED_BODY = Kind(
    "malformed-body",
    HTTPStatus.BAD_REQUEST,
    "The body cannot be read",
    "It is not JSON in UTF-8, is nested too deeply, or its compression is broken.",
)
UNAUTHENTICATED = Kind(
    "unauthenticated",
    HTTPStatus.UNAUTHORIZED,
    "An API key is needed",
    "Send `Authorization: Bearer crd_...` with a key that is neither expired nor revoked.",
)
FORBIDDEN = Kind(
    "forbidden",
    HTTPStatus.FORBIDDEN,
    "The API key may not do this",
    "The key lacks the scope that this needs; the detail names it.",
)
NOT_FOUND = Kind(
    "not-found", HTTPStatus.NOT_FOUND, "There is no such thing", "Nothing is at this address for this key."
)
METHOD_NOT_ALLOWED = Kind(
    "method-not-allowed",
    HTTPStatus.METHOD_NOT_ALLOWED,
    "This cannot be done here",
    "The address exists, but not for this method; the header Allow lists the methods it has.",
)
CONFLICT = Kind(
    "conflict",
    HTTPStatus.CONFLICT,
    "The present state forbids this",
    "Something else is in the way, now; where that has an address, the header Location gives it.",
)
KEY_IN_USE = Kind(
    "idempotency-key-in-use",
    HTTPStatus.CONFLICT,
    "The first request with this key is still under way",
    "Repeat the request a little later to get the answer of the first.",
    retry_after=1,
)
TOO_LARGE = Kind(
    "body-too-large",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "The body is too large",
    "Send less at once; the detail gives the limit.",
)
UNSUPPORTED_MEDIA_TYPE = Kind(
    "unsupported-media-type",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    "The body is of the wrong type",
    "The detail names the Content-Type or Content-Encoding that is accepted here.",
)
INVALID = Kind(
    "invalid-request",
    HTTPStatus.UNPROCESSABLE_ENTITY,
    "The request is not valid",
    "What was sent can never be accepted; `errors` says which part of it, and why.",
)
KEY_REUSED = Kind(
    "idempotency-key-reused",
    HTTPStatus.UNPROCESSABLE_ENTITY,
    "The idempotency key belongs to another request",
    "A key was sent again with another body; take a new key for a new request.",
)
LIMIT_REACHED = Kind(
    "limit-reached",
    HTTPStatus.TOO_MANY_REQUESTS,
    "The API key has spent its daily limit",
    "The detail names the limit; after Retry-After seconds a new day begins; votes of the compact reader are free.",
    retry_after=86_400,
)
INTERNAL = Kind(
    "internal-error",
    HTTPStatus.INTERNAL_SERVER_ERROR,
    "Something went wrong inside",
    "A fault of the service. The log has the details, under the request id.",
    told=False,
)
READER_FAILED = Kind(
    "reader-failed",
    HTTPStatus.BAD_GATEWAY,
    "The model server gave no usable reply",
    "It refused the request or answered nonsense; the detail says what to look at.",
)
NOT_CONFIGURED = Kind(
    "not-configured",
    HTTPStatus.SERVICE_UNAVAILABLE,
    "A setting is missing",
    "The operator has to change a setting, which the detail names; repeating the request does not help before.",
)
UNAVAILABLE = Kind(
    "unavailable",
    HTTPStatus.SERVICE_UNAVAILABLE,
    "Not available at present",
    "Something the service needs does not answer. Repeat the request after Retry-After seconds.",
    retry_after=RETRY_SECONDS,
)
SCHEMA_OUTDATED = Kind(
    "schema-outdated",
    HTTPStatus.SERVICE_UNAVAILABLE,
    "The database's schema does not fit",
    "The operator has to run the command in the detail; the service goes on by itself then.",
    retry_after=RETRY_SECONDS,
)
READER_UNAVAILABLE = Kind(
    "reader-unavailable",
    HTTPStatus.SERVICE_UNAVAILABLE,
    "The model server does not answer",
    "It cannot be reached, or asks for fewer requests. Repeat the request after Retry-After seconds.",
    retry_after=RETRY_SECONDS,
)
READER_TIMEOUT = Kind(
    "reader-timeout",
    HTTPStatus.GATEWAY_TIMEOUT,
    "The model server took too long",
    "Repeat the request after Retry-After seconds, or ask for fewer readings.",
    retry_after=RETRY_SECONDS,
)
TOO_SLOW = Kind(
    "too-slow",
    HTTPStatus.GATEWAY_TIMEOUT,
    "The answer took too long",
    "Readings made so far are kept: ask again, ask for less, or ask with `Prefer: respond-async`.",
    retry_after=RETRY_SECONDS,
)

OF_ERROR: Mapping[type[CredenceError], Kind] = {
    NotFound: NOT_FOUND,
    Conflict: CONFLICT,
    InvalidInput: INVALID,
    Unavailable: UNAVAILABLE,
    SchemaOutdated: SCHEMA_OUTDATED,
    SettingsError: NOT_CONFIGURED,
    ModelDamaged: NOT_CONFIGURED,
    Unauthenticated: UNAUTHENTICATED,
    Forbidden: FORBIDDEN,
    KeyInUse: KEY_IN_USE,
    KeyReused: KEY_REUSED,
    TooSlow: TOO_SLOW,
    ModelError: READER_FAILED,
    ModelUnavailable: READER_UNAVAILABLE,
    ModelTimeout: READER_TIMEOUT,
    BadParameter: INVALID,
    BudgetSpent: LIMIT_REACHED,
    UnexpectedReadings: INTERNAL,
    UnexpectedReplies: INTERNAL,
    MissingService: NOT_CONFIGURED,
    BodyTooLarge: TOO_LARGE,
    BrokenBody: MALFORMED_BODY,
    UnsupportedMediaType: UNSUPPORTED_MEDIA_TYPE,
    EstimatorError: INTERNAL,
    MigrationFailed: INTERNAL,
}
KINDS = (
    MALFORMED_BODY,
    UNAUTHENTICATED,
    FORBIDDEN,
    NOT_FOUND,
    METHOD_NOT_ALLOWED,
    CONFLICT,
    KEY_IN_USE,
    TOO_LARGE,
    UNSUPPORTED_MEDIA_TYPE,
    INVALID,
    KEY_REUSED,
    LIMIT_REACHED,
    INTERNAL,
    READER_FAILED,
    UNAVAILABLE,
    NOT_CONFIGURED,
    SCHEMA_OUTDATED,
    READER_UNAVAILABLE,
    READER_TIMEOUT,
    TOO_SLOW,
)
# What the framework itself raises carries a status alone; of two kinds with one status it means the first.
OF_STATUS = {int(kind.status): kind for kind in reversed(KINDS)}


def mapped(error: type[CredenceError]) -> Kind | None:
    """The kind of the nearest mapped ancestor, if there is one."""
    return next((OF_ERROR[cls] for cls in error.__mro__ if cls in OF_ERROR), None)


def kind_of(error: CredenceError) -> Kind:
    """The kind of an error; an unmapped one is a fault of the service."""
    return mapped(type(error)) or INTERNAL


def kind_of_status(status: int) -> Kind:
    """The kind of a failure that is known by its status alone."""
    if status in OF_STATUS:
        return OF_STATUS[status]
    known = HTTPStatus(status)
    return Kind(f"http-{status}", known, known.phrase, known.description or known.phrase)
