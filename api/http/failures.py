"""Errors become responses: what the service answers when a request fails, whoever noticed it."""

from collections.abc import Mapping, Sequence
from functools import singledispatch
from typing import Any
from urllib.parse import quote

import structlog
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Scope

from api.http import problems
from api.http.allowed_methods import allowed_methods
from api.http.problems import Kind
from api.http.request_ids import REQUEST_ID_HEADER, request_id_of
from api.http.schemas.problems import Fault, Problem
from estimator.errors import CredenceError
from registry.errors import Conflict, InvalidInput

log = structlog.get_logger(__name__)

MEDIA_TYPE = "application/problem+json"
MAX_FAULTS = 20
MAX_TEXT = 500
MAX_NAME = 64

# Below HTTP a field is only a name.
_QUERY_FIELDS = frozenset({"cursor", "limit"})
_OF_FRAMEWORK = {
    400: "The body is not JSON in UTF-8, or is nested too deeply.",
    404: "There is nothing at this path.",
    405: "This path does not have this method.",
}


def clean(text: str, limit: int = MAX_TEXT) -> str:
    """Text that may hold what a client sent, made safe to send back: short, and Unicode."""
    return text[:limit].encode("utf-8", "replace").decode()


def problem_response(
    scope: Scope,
    kind: Kind,
    detail: str,
    *,
    faults: Sequence[Fault] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A problem of this kind, as the response to the request of `scope`."""
    problem = Problem(
        type=kind.type,
        title=kind.title,
        status=kind.status,
        detail=clean(detail),
        instance=quote(scope["path"][:MAX_TEXT].encode("utf-8", "replace")),
        request_id=request_id_of(scope),
        errors=list(faults) if faults is not None else None,
    )
    retry = {} if kind.retry_after is None else {"Retry-After": str(kind.retry_after)}
    return Response(
        problem.model_dump_json(exclude_none=True),
        status_code=int(kind.status),
        media_type=MEDIA_TYPE,
        headers={**retry, **(headers or {})},
    )


@singledispatch
def respond(_error: Exception, scope: Scope) -> Response:
    """What a failed request is answered with: of an exception that is not ours, nothing but where to look."""
    headers = {REQUEST_ID_HEADER: request_id_of(scope)}
    return problem_response(scope, problems.INTERNAL, problems.INTERNAL.meaning, headers=headers)


@respond.register
def _(error: CredenceError, scope: Scope) -> Response:
    kind = problems.kind_of(error)
    if not kind.told:
        log.error("request_failed", exc_info=error)
    detail = str(error) if kind.told else kind.meaning
    return problem_response(scope, kind, detail, faults=_faults_of(error), headers=_headers_of(error, kind))


@respond.register
def _(error: RequestValidationError, scope: Scope) -> Response:
    found = error.errors()
    if any(one["type"] == "json_invalid" for one in found):
        detail = f"The body is not JSON: {found[0]['ctx']['error']}, at character {found[0]['loc'][-1]}."
        return problem_response(scope, problems.MALFORMED_BODY, detail)
    faults = [fault_of(one) for one in found[:MAX_FAULTS]]
    parts = "1 part is" if len(found) == 1 else f"{len(found)} parts are"
    return problem_response(scope, problems.INVALID, f"{parts} not valid; see errors.", faults=faults)


@respond.register
def _(error: HTTPException, scope: Scope) -> Response:
    if error.status_code < 400:
        return Response(status_code=error.status_code, headers=error.headers)
    kind = problems.kind_of_status(error.status_code)
    headers = dict(error.headers or {})
    if kind is problems.METHOD_NOT_ALLOWED:
        headers["Allow"] = ", ".join(allowed_methods(scope))
    return problem_response(scope, kind, _OF_FRAMEWORK.get(error.status_code, kind.meaning), headers=headers)


@respond.register
def _(_error: ClientDisconnect, scope: Scope) -> Response:
    return problem_response(scope, problems.MALFORMED_BODY, "The body ends before its announced length.")


def fault_of(error: Mapping[str, Any]) -> Fault:
    """One of pydantic's errors, without the input that it complains about."""
    names = (clean(str(name), MAX_NAME) for name in error["loc"])
    return Fault(location=clean(".".join(names)), message=clean(error["msg"].removeprefix("Value error, ")))


def _headers_of(error: CredenceError, kind: Kind) -> dict[str, str]:
    if isinstance(error, Conflict) and error.location:
        return {"Location": error.location}
    if kind is problems.UNAUTHENTICATED:
        return {"WWW-Authenticate": 'Bearer realm="credence"'}
    retry_after = getattr(error, "retry_after", None)
    return {} if retry_after is None else {"Retry-After": str(max(1, round(retry_after)))}


def _faults_of(error: CredenceError) -> list[Fault] | None:
    if not isinstance(error, InvalidInput) or error.field is None:
        return None
    place = "query" if error.field in _QUERY_FIELDS else "body"
    return [Fault(location=clean(f"{place}.{error.field}"), message=clean(str(error)))]


async def _handle(request: Request, error: Exception) -> Response:
    return respond(error, request.scope)


def add_handlers(app: FastAPI) -> None:
    """Register the answer to every failure."""
    for failure in (CredenceError, RequestValidationError, HTTPException, ClientDisconnect, Exception):
        app.add_exception_handler(failure, _handle)
