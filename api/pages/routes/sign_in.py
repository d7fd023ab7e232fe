"""Signing in with an API key, and out."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from api.http.authorization import COOKIE, address_of
from api.http.dependencies import runtime_of
from api.pages.rendering import page
from api.pages.visitors import limits_of, require_form_token, set_cookie
from registry.keys import sessions
from registry.keys.rates import RateKind
from registry.platform.errors import Unauthenticated

router = APIRouter(dependencies=[Depends(require_form_token)])


@router.get("/sign-in")
async def show_sign_in(request: Request) -> Response:
    """The form that takes an API key."""
    if not runtime_of(request).settings.keys_required:
        return RedirectResponse("/", 303)
    return page(request, "shared/sign_in.html", goal="/", problem=None)


@router.post("/sign-in")
async def sign_in(
    request: Request,
    api_key: Annotated[str, Form(max_length=200)],
    goal: Annotated[str, Form(max_length=2000)] = "/",
) -> Response:
    """Begin a session and lead on to the page that was asked for."""
    limits, sender = limits_of(request), address_of(request.scope)
    limits.require(RateKind.FAILED_LOGIN, sender)
    try:
        async with runtime_of(request).database.begin() as session:
            token = await sessions.begin(session, api_key.strip(), sender)
    except Unauthenticated:
        await limits.take_shared(RateKind.FAILED_LOGIN, sender)
        raise
    response = RedirectResponse(_own_path(goal), 303)
    set_cookie(request, response, token)
    return response


@router.post("/sign-out")
async def sign_out(request: Request) -> Response:
    """End the session."""
    async with runtime_of(request).database.begin() as session:
        await sessions.end(session, request.cookies[COOKIE])
    response = RedirectResponse("/sign-in", 303)
    response.delete_cookie(COOKIE)
    return response


def _own_path(goal: str) -> str:
    """The goal if it is a path of this service; browsers take `//` and `/\\` for the beginning of another host."""
    is_path = goal.startswith("/") and not goal.startswith(("//", "/\\")) and goal.isprintable()
    return goal if is_path else "/"
