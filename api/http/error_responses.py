"""The responses to requests that failed: every error as a problem (RFC 9457)."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import singledispatch
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import structlog
from asgi_correlation_id import correlation_id
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Scope

from api.http import problems
from api.http.error_formats import PROBLEM_TYPE, formatted
from api.http.problems import ProblemKind
from api.http.schemas.base import Fault, Problem
from estimator.errors import CredenceError
from registry.platform.errors import Conflict, InvalidInput

log = structlog.get_logger(__name__)

REQUEST_ID_HEADER = "X-Request-ID"
MAX_FAULTS = 20
MAX_TEXT = 500
MAX_NAME = 64

# The registry names fields only; these are query parameters, all others parts of the body.
_QUERY_FIELDS = frozenset({"cursor", "limit", "stated_values"})
_REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")
# Details of failures that the framework notices.
_DETAILS = {
    400: "The body is not JSON in UTF-8, or is nested too deeply.",
    404: "There is nothing at this path.",
    405: "This path does not have this method.",
}


def clean(text: str, limit: int = MAX_TEXT) -> str:
    """Text that may hold what a client sent, shortened and without what UTF-8 cannot encode."""
    return text[:limit].encode("utf-8", "replace").decode()


def harmless_request_id(sent: str) -> str:
    """The id that a client or a proxy sent if it is harmless in a log, otherwise a new one."""
    return sent if _REQUEST_ID.fullmatch(sent) else uuid4().hex


def allowed_methods(scope: Scope) -> list[str]:
    """The methods of all routes at the path of the request, for the header Allow; empty where there is no route.

    Starlette sets the header to the methods of one of the routes.
    """
    methods = {
        method
        for context in iter_route_contexts(scope["app"].routes)
        if isinstance(context.original_route, Route) and context.original_route.path_regex.match(scope["path"])
        for method in context.original_route.methods or ()
    }
    if "GET" in methods:
        methods.add("HEAD")
    return sorted(methods | {"OPTIONS"}) if methods else []


def problem_response(
    scope: Scope,
    kind: ProblemKind,
    detail: str,
    *,
    faults: Sequence[Fault] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A problem of this kind, as the response to the request of `scope`; it is counted."""
    if (app := scope.get("app")) is not None:
        app.state.metrics.failures.labels(kind.slug).inc()
    body, media_type = formatted(scope["path"], _problem(kind, detail, scope["path"], faults))
    retry = {} if kind.retry_after is None else {"Retry-After": str(kind.retry_after)}
    return Response(
        body.model_dump_json(exclude_none=media_type == PROBLEM_TYPE),
        status_code=kind.status,
        media_type=media_type,
        headers={**retry, **(headers or {})},
    )


def problem_of(error: Exception, path: str) -> Problem:
    """The problem to tell in a stream, whose status has been sent; it is logged where its text must not be told."""
    if not isinstance(error, CredenceError):
        log.error("request_failed", exc_info=error)
        return _problem(problems.INTERNAL, problems.INTERNAL.meaning, path)
    kind, detail = _explained(error)
    return _problem(kind, detail, path, _faults_of(error))


def _problem(kind: ProblemKind, detail: str, path: str, faults: Sequence[Fault] | None = None) -> Problem:
    return Problem(
        type=kind.type,
        title=kind.title,
        status=kind.status,
        detail=clean(detail),
        instance=quote(path[:MAX_TEXT].encode("utf-8", "replace")),
        request_id=_request_id(),
        errors=list(faults) if faults is not None else None,
    )


def _explained(error: CredenceError) -> tuple[ProblemKind, str]:
    kind = problems.kind_of(type(error))
    if kind.hides_detail:
        log.error("request_failed", exc_info=error)
    return kind, kind.meaning if kind.hides_detail else str(error)


@singledispatch
def respond(_error: Exception, scope: Scope) -> Response:
    """The response to a failed request; of an exception that is not a `CredenceError` it tells the request id only."""
    headers = {REQUEST_ID_HEADER: _request_id()}
    return problem_response(scope, problems.INTERNAL, problems.INTERNAL.meaning, headers=headers)


@respond.register
def _(error: CredenceError, scope: Scope) -> Response:
    kind, detail = _explained(error)
    return problem_response(scope, kind, detail, faults=_faults_of(error), headers=_headers_of(error, kind))


@respond.register
def _(error: RequestValidationError, scope: Scope) -> Response:
    details = error.errors()
    if any(detail["type"] == "json_invalid" for detail in details):
        text = f"The body is not JSON: {details[0]['ctx']['error']}, at character {details[0]['loc'][-1]}."
        return problem_response(scope, problems.MALFORMED_BODY, text)
    faults = [_fault(detail) for detail in details[:MAX_FAULTS]]
    parts = "1 part is" if len(details) == 1 else f"{len(details)} parts are"
    return problem_response(scope, problems.INVALID, f"{parts} not valid; see errors.", faults=faults)


@respond.register
def _(error: HTTPException, scope: Scope) -> Response:
    if error.status_code < 400:
        return Response(status_code=error.status_code, headers=error.headers)
    kind = problems.kind_of_status(error.status_code)
    headers = dict(error.headers or {})
    if kind is problems.METHOD_NOT_ALLOWED:
        headers["Allow"] = ", ".join(allowed_methods(scope))
    return problem_response(scope, kind, _DETAILS.get(error.status_code, kind.meaning), headers=headers)


@respond.register
def _(_error: ClientDisconnect, scope: Scope) -> Response:
    return problem_response(scope, problems.MALFORMED_BODY, "The body ends before its announced length.")


def _fault(error: Mapping[str, Any]) -> Fault:
    """One of the errors of pydantic, without the input."""
    names = (clean(str(name), MAX_NAME) for name in error["loc"])
    return Fault(location=clean(".".join(names)), message=clean(error["msg"].removeprefix("Value error, ")))


def _headers_of(error: CredenceError, kind: ProblemKind) -> dict[str, str]:
    if isinstance(error, Conflict) and error.location:
        return {"Location": error.location}
    if kind is problems.UNAUTHENTICATED:
        return {"WWW-Authenticate": 'Bearer realm="credence"'}
    retry_after = getattr(error, "retry_after", None)
    return {} if retry_after is None else {"Retry-After": str(max(1, round(retry_after)))}


def _faults_of(error: CredenceError) -> list[Fault] | None:
    if not isinstance(error, InvalidInput) or error.field is None:
        return None
    location = "query" if error.field in _QUERY_FIELDS else "body"
    return [Fault(location=clean(f"{location}.{error.field}"), message=clean(str(error)))]


def _request_id() -> str:
    return correlation_id.get() or "none"


def add_error_handlers(app: FastAPI, respond_to: Callable[[Exception, Scope], Response]) -> None:
    """Register the response to every failure."""

    async def handle(request: Request, error: Exception) -> Response:
        return respond_to(error, request.scope)

    for failure in (CredenceError, RequestValidationError, HTTPException, ClientDisconnect, Exception):
        app.add_exception_handler(failure, handle)
