"""Kinds of problems (RFC 9457), and which errors each stands for: the only place where an error becomes a status."""

from dataclasses import dataclass
from http import HTTPStatus

from answering import errors as answering
from api.http.errors import BodyTooLarge, BrokenBody, StaleForm, UnsupportedMediaType
from estimator.errors import CredenceError, EstimatorError
from migrations.control import MigrationFailed
from registry.platform import errors as registry
from registry.platform.database.backup import BackupFailed
from registry.platform.database.idempotency import KeyInUse, KeyReused

RETRY_SECONDS = 5
DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class ProblemKind:
    """A kind of problem: the end of its `type`, its status, title and general meaning, and its errors.

    An error is of the kind that its class, or the nearest of its base classes, is listed with. `retry_after` is in
    seconds. With `hides_detail` a response has the meaning as its detail, and the error's text stays in the log.
    """

    slug: str
    status: int
    title: str
    meaning: str
    errors: tuple[type[CredenceError], ...] = ()
    retry_after: int | None = None
    hides_detail: bool = False

    @property
    def type(self) -> str:
        """The stable reference by which programs tell kinds apart; it can be read at that address."""
        return f"/problems/{self.slug}"


MALFORMED_BODY = ProblemKind(
    "malformed-body",
    400,
    "The body cannot be read",
    "It is not JSON in UTF-8, is nested too deeply, or its compression is broken.",
    (BrokenBody,),
)
UNAUTHENTICATED = ProblemKind(
    "unauthenticated",
    401,
    "An API key is needed",
    "Send `Authorization: Bearer crd_...` with a key that is neither expired nor revoked.",
    (registry.Unauthenticated,),
)
METHOD_NOT_ALLOWED = ProblemKind(
    "method-not-allowed",
    405,
    "Method not allowed",
    "The address does not take this method; the header Allow lists those that it takes.",
)
INVALID = ProblemKind(
    "invalid-request",
    422,
    "The request is not valid",
    "`errors` says which part of the request is not valid, and why.",
    (registry.InvalidInput, registry.FetchFailed, answering.BadParameter),
)
INTERNAL = ProblemKind(
    "internal-error",
    500,
    "Internal error",
    "The service failed. Its log has the details, with the request id.",
    (EstimatorError, MigrationFailed, BackupFailed, answering.UnexpectedReadings, answering.UnexpectedReplies),
    hides_detail=True,
)

KINDS = (
    MALFORMED_BODY,
    UNAUTHENTICATED,
    ProblemKind(
        "forbidden",
        403,
        "The API key does not allow this",
        "The key lacks the scope, or does not work from this address; the detail says which.",
        (registry.Forbidden,),
    ),
    ProblemKind(
        "stale-form",
        403,
        "This form is out of date",
        "It was loaded in another session, or is not from this service. Load its page again, then send it again.",
        (StaleForm,),
    ),
    ProblemKind(
        "quota-exceeded",
        403,
        "Quota exceeded",
        "The detail names the quota of the API key or corpus. Delete documents, or ask an operator to raise it.",
        (registry.QuotaExceeded,),
    ),
    ProblemKind("not-found", 404, "Not found", "Nothing at this address is visible to this key.", (registry.NotFound,)),
    METHOD_NOT_ALLOWED,
    ProblemKind(
        "conflict",
        409,
        "Conflict with the current state",
        "Something else prevents this at present. The header Location has its address, if it has one.",
        (registry.Conflict,),
    ),
    ProblemKind(
        "idempotency-key-in-use",
        409,
        "The first request with this key is still running",
        "Repeat the request a little later to get the response of the first.",
        (KeyInUse,),
        retry_after=1,
    ),
    ProblemKind(
        "body-too-large",
        413,
        "The body is too large",
        "Send less in one request; the detail gives the limit.",
        (BodyTooLarge, registry.ImportTooLarge),
    ),
    ProblemKind(
        "unsupported-media-type",
        415,
        "The body is of the wrong type",
        "The detail names the Content-Type or Content-Encoding that is accepted here.",
        (UnsupportedMediaType,),
    ),
    INVALID,
    ProblemKind(
        "idempotency-key-reused",
        422,
        "The idempotency key belongs to another request",
        "The key was sent before with another body. Use a new key for a new request.",
        (KeyReused,),
    ),
    ProblemKind(
        "too-many-requests",
        429,
        "Too many requests",
        "The key or address sent more requests than it may in a minute. Repeat the request after Retry-After seconds.",
        (registry.TooManyRequests,),
        retry_after=60,
    ),
    ProblemKind(
        "limit-reached",
        429,
        "Daily limit reached",
        "The detail names the limit of the API key or corpus. A new day begins after Retry-After seconds.",
        (answering.BudgetSpent, registry.DailyLimitReached),
        retry_after=DAY_SECONDS,
    ),
    INTERNAL,
    ProblemKind(
        "reader-failed",
        502,
        "The model server gave no usable reply",
        "It refused the request or sent an invalid reply; the detail says more.",
        (answering.ModelError,),
    ),
    ProblemKind(
        "unavailable",
        503,
        "Temporarily unavailable",
        "Something that the service needs does not answer. Repeat the request after Retry-After seconds.",
        (registry.Unavailable,),
        retry_after=RETRY_SECONDS,
    ),
    ProblemKind(
        "not-configured",
        503,
        "A setting is missing",
        "The operator has to change the setting that the detail names. Do not repeat the request before.",
        (registry.SettingsError, answering.ModelDamaged, answering.MissingService),
    ),
    ProblemKind(
        "reader-unavailable",
        503,
        "The model server does not answer",
        "It is unreachable or overloaded. Repeat the request after Retry-After seconds.",
        (answering.ModelUnavailable,),
        retry_after=RETRY_SECONDS,
    ),
    ProblemKind(
        "reader-timeout",
        504,
        "The model server took too long",
        "Repeat the request after Retry-After seconds, or ask for fewer readings.",
        (answering.ModelTimeout,),
        retry_after=RETRY_SECONDS,
    ),
    ProblemKind(
        "too-slow",
        504,
        "The answer took too long",
        "Readings are kept: ask again, ask for less, or send `Prefer: respond-async`.",
        (registry.TooSlow,),
        retry_after=RETRY_SECONDS,
    ),
)
KIND_OF_ERROR = {error: kind for kind in KINDS for error in kind.errors}
# What the framework itself raises carries a status alone; of two kinds with one status it means the first.
KIND_OF_STATUS = {kind.status: kind for kind in reversed(KINDS)}


def kind_of(error: type[CredenceError]) -> ProblemKind:
    """The kind of an error's class; one that is not listed, nor any of its base classes, is a fault of the service."""
    return next((KIND_OF_ERROR[base] for base in error.__mro__ if base in KIND_OF_ERROR), INTERNAL)


def kind_of_status(status: int) -> ProblemKind:
    """The kind of a failure of which only the status is known."""
    if status in KIND_OF_STATUS:
        return KIND_OF_STATUS[status]
    phrase = HTTPStatus(status).phrase
    return ProblemKind(f"http-{status}", status, phrase, HTTPStatus(status).description or phrase)
