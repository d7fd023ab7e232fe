"""Templates, what they may call, and the headers of every page."""

import hashlib
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from api.http.authorization import principal_of
from api.http.dependencies import runtime_of
from api.pages import audit_wording, charts, run_wording, wording
from api.pages.glossary import TERMS
from api.pages.typed import FORM_TOKEN
from api.pages.visitors import cookie_of, form_token, keep_cookie
from api.text import clean, plural, shorten, without_settings
from registry.keys.schemas import Scope
from registry.keys.service import Principal

if TYPE_CHECKING:
    from registry.queries.model import GoldEntry, JoinedAnswers

FOLDER = Path(__file__).parent
STATIC = FOLDER / "static"
HEADERS = {
    # Everything that a page loads is our own file: a script or style inside a page never runs.
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cache-Control": "private, no-store",
}


# Of pages that anybody may follow a link to: no search engine lists them, and they run and send nothing.
OPEN_HEADERS = HEADERS | {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow",
}
NOBODY: dict[str, object] = dict.fromkeys(
    ("may_read", "may_ask", "may_ingest", "may_publish", "may_change", "may_operate", "signed_in"), False
) | {"may_undo": lambda _: False}


def address(*parts: object) -> str:
    """The path of a page."""
    return "/" + "/".join(quote(str(part), safe="") for part in parts)


@cache
def asset(name: str) -> str:
    """The path of a static file; a new version of it has another one."""
    version = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?v={version}"


def web_link(url: str | None) -> str | None:
    """The address if it is one of the web: any other kind could run something when it is followed."""
    return url if url is not None and url.lower().startswith(("http://", "https://")) else None


def moment(time: datetime | None) -> str:
    """A time to the minute, in UTC, on one line."""
    return "never" if time is None else _unbroken(f"{time.astimezone(UTC):%Y-%m-%d %H:%M} UTC")


def day(time: datetime) -> Markup:
    """The day of a time, on one line."""
    return _unbroken(f"{time:%Y-%m-%d}")


def _unbroken(time: str) -> Markup:
    return Markup("<time>{}</time>").format(time)


@pass_context
def term(context: Context, word: str, label: str = "") -> Markup:
    """A word of the glossary as a button that opens its meaning, which the page has at its end."""
    context["terms"][word] = TERMS[word].replace("`", "")
    button = '<button type="button" class="term" popovertarget="term-{}">{}</button>'
    return Markup(button).format(word.replace(" ", "-"), label or word)  # noqa: S704  (a constant)


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"address": address, "asset": asset, "charts": charts, "wording": wording, "plural": plural}
    environment.globals |= {"run_wording": run_wording, "audit_wording": audit_wording, "term": term}
    environment.globals |= {"zip": zip, "frozenset": frozenset}
    environment.filters |= {"clean": clean, "web_link": web_link, "shorten": shorten, "moment": moment, "day": day}
    environment.filters["without_settings"] = without_settings
    return environment


ENVIRONMENT = _environment()


def page(request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:  # noqa: ANN401  (whatever the template takes)
    """A page made of a template, with what every page shows."""
    runtime, principal = runtime_of(request), principal_of(request.scope)
    is_known = principal.key_id is not None or not runtime.settings.keys_required
    visitor = {
        "name": principal.name,
        "signed_in": principal.key_id is not None,
        "may_read": principal.may(Scope.READ),
        "may_ask": principal.may(Scope.ASK),
        "may_ingest": principal.may(Scope.INGEST) and principal.source_bound is None,
        "may_publish": principal.may(Scope.INGEST),
        "may_change": principal.may(Scope.ADMIN),
        "may_undo": partial(_may_undo, principal),
        # Before sign-in the principal is the anonymous one, which holds every scope.
        "may_operate": principal.may(Scope.ADMIN) and principal.corpus_id is None and is_known,
        "keys_required": runtime.settings.keys_required,
        "identity_provider": runtime.settings.oidc_issuer and runtime.settings.oidc_issuer.host,
    }
    token = {"name": FORM_TOKEN, "value": form_token(cookie_of(request))}
    shown = {"corpus": None, "terms": {}, **values}
    html = ENVIRONMENT.get_template(template).render(shown, visitor=visitor, token=token)
    response = HTMLResponse(html, status_code=status, headers=HEADERS)
    keep_cookie(request, response)
    return response


def _may_undo(principal: Principal, verdict: "GoldEntry | JoinedAnswers") -> bool:
    """Whether a visitor may undo what somebody set: all with the scope `admin`, one's own with `ingest`."""
    is_own = verdict.key_id is not None and verdict.key_id == principal.key_id
    return principal.may(Scope.ADMIN) or (is_own and principal.may(Scope.INGEST) and principal.source_bound is None)


def page_for_nobody(template: str, **values: Any) -> HTMLResponse:  # noqa: ANN401  (whatever the template takes)
    """A page that is the same for everybody: without rights, forms and cookies, and with `shared` set."""
    shown: dict[str, Any] = {"corpus": None, "topics": [], "visitor": NOBODY, "token": None, "shared": True}
    return HTMLResponse(ENVIRONMENT.get_template(template).render(shown | {"terms": {}} | values), headers=OPEN_HEADERS)
