"""What somebody typed into a form whose session had ended: kept until they have signed in, then sent if they say so."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from fastapi import Request
from starlette.responses import Response
from starlette.types import Scope

MOST_READ = 65_536
"""Bytes of a form that are read before anybody has signed in."""
MOST_KEPT = 3_000
"""Characters of a cookie; what is longer is shown to be copied."""
TYPED, _STATE = "credence_typed", "typed"
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


@dataclass(frozen=True, slots=True)
class Typed:
    """The fields of a form, without its token."""

    action: str
    fields: Sequence[tuple[str, str]]

    @property
    def encoded(self) -> str:
        """The value of the cookie."""
        return urlsafe_b64encode(f"{self.action}?{urlencode(self.fields)}".encode()).decode().rstrip("=")

    @property
    def is_kept(self) -> bool:
        """Whether it is short enough for the cookie."""
        return len(self.encoded) <= MOST_KEPT


async def keep_typed(request: Request, is_own_form: Callable[[Request], Awaitable[bool]]) -> None:
    """Read a short form that came without a session, if a page of ours sent it, for the page that asks to sign in.

    Files in it have to be chosen again.
    """
    kind, length = (request.headers.get(name, "") for name in ("content-type", "content-length"))
    if not kind.startswith(_FORMS) or not length.isdecimal() or int(length) > MOST_READ:
        return
    if request.headers.get("sec-fetch-site") == "same-origin" or await is_own_form(request):
        async with request.form() as form:
            typed = [(name, value) for name, value in form.multi_items() if isinstance(value, str)]
        fields = [(name, value) for name, value in typed if name != "form_token"]
        request.scope["state"][_STATE] = Typed(request.scope["path"], fields)


def typed_of(scope: Scope) -> Typed | None:
    """What `keep_typed` has read."""
    typed: Typed | None = scope.get("state", {}).get(_STATE)
    return typed


def set_typed(response: Response, typed: Typed, *, secure: bool) -> None:
    """Keep it in the browser for ten minutes; lax, since the browser may sign in at another site."""
    response.set_cookie(
        TYPED, typed.encoded, max_age=600, path="/sign-in", httponly=True, samesite="lax", secure=secure
    )


def kept(request: Request) -> Typed | None:
    """What the browser has kept."""
    value = request.cookies.get(TYPED, "")
    try:
        action, _, fields = urlsafe_b64decode(value + "=" * (-len(value) % 4)).decode().partition("?")
    except (Error, UnicodeDecodeError):
        return None
    return Typed(action, parse_qsl(fields, keep_blank_values=True)) if action.startswith("/corpora/") else None


def forget(response: Response) -> None:
    """Take it out of the browser."""
    response.delete_cookie(TYPED, path="/sign-in")
