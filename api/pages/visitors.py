"""The visitor of a page: the session in the cookie of the browser, and the token that its forms carry."""

import hmac
from collections.abc import Callable, Coroutine
from typing import Any
from urllib.parse import quote, unquote

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse
from fastapi.routing import APIRoute
from starlette.responses import Response

from api.http.authorization import COOKIE, address_of, principal_of, require_local_name, set_principal
from api.http.dependencies import runtime_of
from api.http.errors import StaleForm
from api.http.middleware.admission import subject_of
from api.pages.typed import FORM_TOKEN, keep_typed, note_typed
from registry.keys import sessions
from registry.keys.rates import RateKind, RateLimits
from registry.keys.service import ANONYMOUS, Principal
from registry.platform.enums import ActorKind
from registry.platform.errors import Unauthenticated

_SEEN, _NEW, _TOLD = "visitor_seen", "new_cookie", "told"
ONCE = "credence_once"
"""Cookie of what the next page shows, and no later one: a secret that was just made."""
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
    """A dependency of every page: raises `StaleForm` for a form that another site or session made (CSRF)."""
    if request.method in _SAFE:
        return
    form = await request.form()
    if not _is_own_token(request, form.get(FORM_TOKEN)):
        note_typed(request, form.multi_items())
        raise StaleForm("It was loaded in another session, or is not from this service. Load its page again.")


def _is_own_token(request: Request, sent: object) -> bool:
    token = request.cookies.get(COOKIE)
    return (
        token is not None and isinstance(sent, str) and hmac.compare_digest(sent.encode(), form_token(token).encode())
    )


def form_token(token: str) -> str:
    """The token in forms that shows that a change comes from a page, derived from the token in the cookie."""
    return hmac.new(token.encode("utf-8", "surrogatepass"), b"credence form", "sha256").hexdigest()


def cookie_of(request: Request) -> str:
    """The token in the cookie of the browser, or a new one, which `keep_cookie` sets."""
    state = request.scope.setdefault("state", {})
    token = state.get(_NEW) or request.cookies.get(COOKIE)
    if token is None:
        token = state[_NEW] = sessions.new_token()
    return str(token)


def keep_new_cookie(request: Request, token: str) -> None:
    """Have the page that is drawn next set this token as the cookie."""
    request.scope.setdefault("state", {})[_NEW] = token


def keep_cookie(request: Request, response: Response) -> None:
    """Set the cookie if `cookie_of` made one, without which no form of the page could be sent; forget what was told."""
    state = request.scope.get("state", {})
    if token := state.get(_NEW):
        set_cookie(request, response, token)
    if state.get(_TOLD):
        response.delete_cookie(ONCE, path=request.url.path)


def tell_once(request: Request, path: str, told: str, anchor: str = "") -> Response:
    """Lead on to a page that tells this once: loaded again, it makes no second one of what was just made."""
    response = RedirectResponse(path + anchor, 303)
    secure = request.url.scheme == "https"
    response.set_cookie(
        ONCE, quote(told, safe=""), max_age=60, path=path, httponly=True, samesite="strict", secure=secure
    )
    return response


def told_once(request: Request) -> str:
    """What `tell_once` had this page tell, which `keep_cookie` has the browser forget; empty if there is nothing."""
    told = unquote(request.cookies.get(ONCE, ""))
    request.scope.setdefault("state", {})[_TOLD] = bool(told)
    return told


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


class PageRoute(APIRoute):
    """Looks who sends a form before it is read: FastAPI reads bodies before it resolves dependencies."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_visitor(request: Request) -> Response:
            if request.method not in _SAFE:
                try:
                    await require_visitor(request)
                except Unauthenticated:
                    await keep_typed(request, _is_own_token)
                    raise
            return await handle(request)

        return handle_visitor


def page_router(prefix: str = "") -> APIRouter:
    """A router of pages that show or change something."""
    dependencies = [Depends(require_visitor), Depends(require_form_token)]
    return APIRouter(prefix=prefix, dependencies=dependencies, route_class=PageRoute)
