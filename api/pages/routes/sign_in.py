"""Signing in with an API key or a provider of identities, and out."""

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote, unquote

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from api.http.authorization import COOKIE, address_of, set_arriving
from api.http.dependencies import runtime_of
from api.pages.rendering import page
from api.pages.typed import forget, kept
from api.pages.visitors import keep_new_cookie, limits_of, require_form_token, set_cookie
from registry.keys import sessions
from registry.keys.rates import RateKind
from registry.keys.service import digest
from registry.people import service as people
from registry.people import store as people_store
from registry.platform.errors import Forbidden, NotFound, Unauthenticated, Unavailable

if TYPE_CHECKING:
    from registry.people.provider import Provider

router = APIRouter(dependencies=[Depends(require_form_token)])

BEGINNING, RETURN = "/sign-in/provider", "/sign-in/callback"
BEGUN = "credence_sign_in"
"""Cookie of a sign-in that has begun: its random token, and the page to lead on to."""
MINUTES = 10


@router.get("/sign-in")
async def show_sign_in(request: Request) -> Response:
    """The form that takes an API key, and the link to the provider of identities."""
    if not runtime_of(request).settings.keys_required:
        return RedirectResponse("/", 303)
    return page(request, "shared/sign_in.html", goal="/", problem=None, typed=None)


@router.get(BEGINNING)
async def begin(request: Request, goal: Annotated[str, Query(max_length=2000)] = "/") -> Response:
    """Lead on to the provider of identities, which leads back to `finish`."""
    limits_of(request).require(RateKind.FAILED_LOGIN, address_of(request.scope))
    token = sessions.new_token()
    response = RedirectResponse(await _provider_of(request).address(token, _return_address(request)), 303)
    # Lax: the browser comes back from another site.
    response.set_cookie(
        BEGUN,
        f"{token}.{quote(_own_path(goal), safe='')}",
        max_age=MINUTES * 60,
        path="/sign-in",
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return response


@router.get(RETURN)
async def finish(
    request: Request,
    code: Annotated[str, Query(max_length=4000)] = "",
    state: Annotated[str, Query(max_length=200)] = "",
    error: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """Begin a session for a person who comes back from the provider."""
    limits, sender, runtime = limits_of(request), address_of(request.scope), runtime_of(request)
    limits.require(RateKind.FAILED_LOGIN, sender)
    begun, _, goal = request.cookies.get(BEGUN, "").partition(".")
    try:
        if error or not code or not begun:
            raise Unauthenticated("The provider of identities did not sign you in, or too late; begin again.")
        provider = _provider_of(request)
        identity = await provider.identity(begun, _return_address(request), state=state, code=code)
        name = identity.email or identity.name or identity.subject
        set_arriving(request.scope, name)
        async with runtime.database.begin() as session:
            token = await people.sign_in(session, runtime.settings, identity)
        if token is None:
            raise Forbidden(f"The provider of identities knows you as {name}, and you have no role here. Ask an owner.")
    except (Unauthenticated, Forbidden):
        await limits.take_shared(RateKind.FAILED_LOGIN, sender)
        raise
    response = _arrived(request, token, unquote(goal))
    response.delete_cookie(BEGUN, path="/sign-in")
    return response


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
    if kept(request) is not None:
        return _arrived(request, token, goal)
    response = RedirectResponse(_own_path(goal), 303)
    set_cookie(request, response, token)
    return response


def _arrived(request: Request, token: str, goal: str) -> Response:
    """A page that leads on to the goal, since the cookie of the session is strict, or that offers what was typed."""
    keep_new_cookie(request, token)
    response = page(request, "shared/signed_in.html", goal=_own_path(goal), typed=kept(request))
    forget(response)
    return response


@router.post("/sign-out")
async def sign_out(request: Request) -> Response:
    """End the session, and lead a person on to the provider of identities, to sign out there if it knows how."""
    token, provider, elsewhere = request.cookies[COOKIE], request.app.state.provider, None
    async with runtime_of(request).database.begin() as session:
        is_person = provider is not None and await people_store.has_session(session, digest(token))
        await sessions.end(session, token)
    if is_person:
        # Whoever signs out here is signed out, whether the provider answers or not.
        with suppress(Unavailable):
            elsewhere = await provider.sign_out_address()
    response: Response = RedirectResponse("/sign-in", 303)
    if elsewhere is not None:
        # A redirect to another site is none that a form may end at.
        response = page(request, "shared/signed_out.html", goal=elsewhere)
    response.delete_cookie(COOKIE)
    return response


def _own_path(goal: str) -> str:
    """The goal if it is a path of this service; browsers take `//` and `/\\` for the beginning of another host."""
    is_path = goal.startswith("/") and not goal.startswith(("//", "/\\")) and goal.isprintable()
    return goal if is_path else "/"


def _provider_of(request: Request) -> "Provider":
    provider: Provider | None = request.app.state.provider
    if provider is None:
        raise NotFound("page", request.url.path)
    return provider


def _return_address(request: Request) -> str:
    return f"{str(request.base_url).rstrip('/')}{RETURN}"
