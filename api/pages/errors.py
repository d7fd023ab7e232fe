"""Failures as pages, for those who look at pages; everybody else gets the problem."""

from fastapi import Request
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope

from api.http.error_responses import respond
from api.http.schemas.base import Problem
from api.pages.rendering import page
from api.pages.typed import set_typed, typed_of

_OWN = ("/corpora", "/demo", "/operations", "/shared", "/sign-in", "/sign-out")


def respond_in_kind(error: Exception, scope: Scope) -> Response:
    """The response to a failed request: a page where a page was asked for, else the problem that `respond` makes."""
    response = respond(error, scope)
    if response.status_code < 400 or not _wants_page(scope):
        return response
    problem = Problem.model_validate_json(bytes(response.body))
    request = Request(scope)
    typed = typed_of(scope)
    if problem.status == 401:
        is_page = scope["method"] == "GET" and not scope["path"].startswith("/sign-in")
        goal = scope["path"] if is_page else "/"
        drawn = page(request, "shared/sign_in.html", status=401, goal=goal, problem=problem, typed=typed)
        if typed is not None and typed.is_kept:
            set_typed(drawn, typed, secure=request.url.scheme == "https")
    else:
        drawn = page(request, "shared/error.html", status=problem.status, problem=problem, typed=typed)
    drawn.headers.update(
        {name: response.headers[name] for name in ("Allow", "Retry-After") if name in response.headers}
    )
    return drawn


def _wants_page(scope: Scope) -> bool:
    path = scope["path"]
    if path == "/" or any(path == own or path.startswith(f"{own}/") for own in _OWN):
        return True
    is_unknown = "route" not in scope and not path.startswith("/v1/")
    return is_unknown and "text/html" in Headers(scope=scope).get("accept", "")
