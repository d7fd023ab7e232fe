"""What somebody typed into a form whose session had ended: kept until they have signed in, then sent if they say so."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from fastapi import Request
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.responses import Response
from starlette.types import Scope

FORM_TOKEN = "form_token"  # noqa: S105  (the name of a field)
NEVER_SHOWN = {FORM_TOKEN, "api_key"}
MOST_READ = 65_536
"""Bytes of a form that are read before anybody has signed in; of one with files, these are its first."""
MOST_KEPT = 3_000
"""Characters of a cookie; what is longer is shown to be copied."""
TYPED, _STATE = "credence_typed", "typed"
_LEFT_OUT = "#left-out"


@dataclass(frozen=True, slots=True)
class Typed:
    """The fields of a form, without its token."""

    action: str
    fields: Sequence[tuple[str, str]]
    left_out: bool = False
    """Whether there was more: files, or what comes after `MOST_READ`."""

    @property
    def encoded(self) -> str:
        """The value of the cookie."""
        address = f"{self.action}?{urlencode(self.fields)}{_LEFT_OUT if self.left_out else ''}"
        return urlsafe_b64encode(address.encode()).decode().rstrip("=")

    @property
    def is_kept(self) -> bool:
        """Whether it is short enough for the cookie."""
        return len(self.encoded) <= MOST_KEPT


async def keep_typed(request: Request, is_own_token: Callable[[Request, object], bool]) -> None:
    """Read a form that came without a session, if a page of ours sent it, for the page that asks to sign in.

    Files in it have to be chosen again, as has what comes after the first `MOST_READ` bytes.
    """
    items, is_cut = await _read(request)
    token = next((value for name, value in items if name == FORM_TOKEN), None)
    note_typed(request, items, is_own=is_own_token(request, token), is_cut=is_cut)


def note_typed(
    request: Request, items: Sequence[tuple[str, UploadFile | str]], *, is_own: bool = False, is_cut: bool = False
) -> None:
    """Note the fields of a form that is not taken for the page that says so, if the browser says that it is ours."""
    if items and (is_own or request.headers.get("sec-fetch-site") == "same-origin"):
        fields = [(name, value) for name, value in items if isinstance(value, str) and name not in NEVER_SHOWN]
        has_files = any(isinstance(value, UploadFile) and value.filename for _, value in items)
        request.scope.setdefault("state", {})[_STATE] = Typed(
            request.scope["path"], fields, left_out=is_cut or has_files
        )


async def _read(request: Request) -> tuple[Sequence[tuple[str, UploadFile | str]], bool]:
    """The parts of a form that end within the first `MOST_READ` bytes, and whether there was more."""
    kind, length = (request.headers.get(name, "") for name in ("content-type", "content-length"))
    if kind.startswith("application/x-www-form-urlencoded") and length.isdecimal() and int(length) <= MOST_READ:
        return (await request.form()).multi_items(), False
    if not kind.startswith("multipart/form-data"):
        return [], False
    parser = MultiPartParser(request.headers, _beginning(request))
    try:
        form = await parser.parse()
    except _CutShortError:
        return parser.items, True
    except MultiPartException:
        return [], False
    await form.close()
    return form.multi_items(), False


class _CutShortError(Exception):
    """There is more of the form. The parser closes its files when this is raised in the stream that it reads."""


async def _beginning(request: Request) -> AsyncGenerator[bytes]:
    left = MOST_READ
    async for piece in request.stream():
        yield piece[:left]
        left -= len(piece)
        if left < 0:
            raise _CutShortError


def typed_of(scope: Scope) -> Typed | None:
    """What `note_typed` has noted."""
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
    if not action.startswith("/corpora/"):
        return None
    fields, left_out, _ = fields.partition(_LEFT_OUT)
    return Typed(action, parse_qsl(fields, keep_blank_values=True), bool(left_out))


def forget(response: Response) -> None:
    """Take it out of the browser."""
    response.delete_cookie(TYPED, path="/sign-in")
