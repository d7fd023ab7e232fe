"""The visitor of a page: the session in the cookie of the browser, and the token that its forms carry."""

import hmac
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Depends, Request
from fastapi.routing import APIRoute
from starlette.responses import Response

from api.http.authorization import COOKIE, address_of, principal_of, require_local_name, set_principal
from api.http.dependencies import runtime_of
from api.http.middleware.admission import subject_of
from registry.keys import sessions
from registry.keys.rates import RateKind, RateLimits
from registry.keys.service import ANONYMOUS, Principal
from registry.platform.enums import ActorKind
from registry.platform.errors import Forbidden, Unauthenticated

FORM_TOKEN = "form_token"  # noqa: S105  (the name of a field)
_SEEN, _NEW = "visitor_seen", "new_cookie"
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


async def require_visitor(request: Request) -> None:
    """A dependency of every page but the one to sign in: sets the principal, as `Authentication` does for `/v1`.

    Raises `Unauthenticated` where keys are required and the browser has no session, and `TooManyRequests` where its
    key or address has reached the limit a minute, which pages share with `/v1`.
    """
    state = request.scope.setdefault("state", {})
    if state.get(_SEEN):
        return
    state[_SEEN] = True
    try:
        set_principal(request.scope, await _principal(request), ActorKind.BROWSER)
    finally:
        subject = subject_of(request.scope)
        if subject is not None:
            limits_of(request).take(RateKind.REQUEST, subject, principal_of(request.scope).requests_per_minute)


async def _principal(request: Request) -> Principal:
    runtime = runtime_of(request)
    if not runtime.settings.keys_required:
        require_local_name(request.scope, runtime.settings)
        return ANONYMOUS
    token = request.cookies.get(COOKIE)
    if token is None:
        raise Unauthenticated("Sign in to see this page.")
    async with runtime.database.begin() as session:
        return await sessions.principal_of(session, token, address_of(request.scope))


def limits_of(request: Request) -> RateLimits:
    """The limits of the app that serves this request."""
    limits: RateLimits = request.app.state.limits
    return limits


async def require_form_token(request: Request) -> None:
    """A dependency of every page: raises `Forbidden` for a form that another site made (CSRF)."""
    if request.method in _SAFE:
        return
    sent = (await request.form()).get(FORM_TOKEN)
    token = request.cookies.get(COOKIE)
    if token is None or not isinstance(sent, str) or not hmac.compare_digest(sent.encode(), form_token(token).encode()):
        raise Forbidden("This form is out of date or not from this service. Load its page again, then send it again.")


def form_token(token: str) -> str:
    """The token in forms that shows that a change comes from a page, derived from the token in the cookie."""
    return hmac.new(token.encode("utf-8", "surrogatepass"), b"credence form", "sha256").hexdigest()


def cookie_of(request: Request) -> str:
    """The token in the cookie of the browser, or a new one, which `keep_cookie` sets."""
    token = request.cookies.get(COOKIE)
    if token is None:
        token = request.scope.setdefault("state", {}).setdefault(_NEW, sessions.new_token())
    return token


def keep_new_cookie(request: Request, token: str) -> None:
    """Have the page that is drawn next set this token as the cookie."""
    request.scope.setdefault("state", {})[_NEW] = token


def keep_cookie(request: Request, response: Response) -> None:
    """Set the cookie if `cookie_of` made one; without it the forms of the page could not be sent."""
    if token := request.scope.get("state", {}).get(_NEW):
        set_cookie(request, response, token)


def set_cookie(request: Request, response: Response, token: str) -> None:
    """Keep a token in the browser for as long as a session lasts."""
    response.set_cookie(
        COOKIE,
        token,
        max_age=int(sessions.LIFETIME.total_seconds()),
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )


class _PageRoute(APIRoute):
    """Looks who sends a form before it is read: FastAPI reads bodies before it resolves dependencies."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_visitor(request: Request) -> Response:
            if request.method not in _SAFE:
                await require_visitor(request)
            return await handle(request)

        return handle_visitor


def page_router(prefix: str = "") -> APIRouter:
    """A router of pages that show or change something."""
    dependencies = [Depends(require_visitor), Depends(require_form_token)]
    return APIRouter(prefix=prefix, dependencies=dependencies, route_class=_PageRoute)
