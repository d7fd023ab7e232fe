"""Failures in the shape that a client of another API understands; everything else gets a problem (RFC 9457)."""

import re

from pydantic import BaseModel

from api.http.schemas.base import Problem
from api.http.schemas.chat import OpenAIError, OpenAIErrorDetail
from api.http.schemas.dify import DifyError
from api.http.schemas.nextcloud import NextcloudError

PROBLEM_TYPE = "application/problem+json"
JSON_TYPE = "application/json"
OPENAI_PATHS = re.compile(r"/v1/(?:models|chat|responses)(?:/|$)")
DIFY_PATHS = re.compile(r"/v1/dify(?:/|$)")
NEXTCLOUD_PATHS = re.compile(r"/v1/corpora/[^/]+/nextcloud(?:/|$)")
# Those that its documentation names; others are the application's own.
_DIFY_CODES = {401: 1002, 403: 1002, 404: 2001}
_OPENAI_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


def openai_error(problem: Problem) -> OpenAIError:
    """The problem as OpenAI's API tells it; `param` names the first part of the body that is wrong."""
    faults = problem.errors or []
    where = faults[0].location.removeprefix("body.") if faults else None
    message = f"{faults[0].message} ({where})" if faults and problem.detail != faults[0].message else problem.detail
    kind = _OPENAI_TYPES.get(problem.status, "invalid_request_error" if problem.status < 500 else "server_error")
    code = problem.type.rpartition("/")[2]
    return OpenAIError(error=OpenAIErrorDetail(message=message, type=kind, param=where, code=code))


def dify_error(problem: Problem) -> DifyError:
    """The problem as Dify shows it; the first part of the body that is wrong is named."""
    return DifyError(error_code=_DIFY_CODES.get(problem.status, problem.status), error_msg=_with_fault(problem))


def nextcloud_error(problem: Problem) -> NextcloudError:
    return NextcloudError(error=_with_fault(problem), code=problem.type.rpartition("/")[2])


def _with_fault(problem: Problem) -> str:
    faults = problem.errors or []
    where = f" ({faults[0].location.removeprefix('body.')}: {faults[0].message})" if faults else ""
    return problem.detail + where


def formatted(path: str, problem: Problem) -> tuple[BaseModel, str]:
    """The body of a failure at this path, and its media type."""
    if OPENAI_PATHS.match(path):
        return openai_error(problem), JSON_TYPE
    if DIFY_PATHS.match(path):
        return dify_error(problem), JSON_TYPE
    if NEXTCLOUD_PATHS.match(path):
        return nextcloud_error(problem), JSON_TYPE
    return problem, PROBLEM_TYPE
