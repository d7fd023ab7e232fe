"""The principal of a request, and checks of its scopes and its corpus."""

import contextlib
from urllib.parse import urlsplit

from asgi_correlation_id import correlation_id
from starlette.datastructures import Headers
from starlette.types import Scope

from registry.corpora.model import Corpus
from registry.events.audit import Actor, current_actor
from registry.keys.schemas import Scope as KeyScope
from registry.keys.service import ANONYMOUS, Principal
from registry.platform.enums import ActorKind
from registry.platform.errors import Forbidden, InvalidInput, NotFound
from registry.platform.settings import Settings
from registry.platform.sign_in_settings import LOOPBACK
from registry.viewers.schemas import parse_groups

_STATE = "principal"
COOKIE = "credence_session"
"""Holds the token of a browser that signed in."""
SHARED = "/shared/"
"""The path of a link that shows an answer, before its token."""
FEEDS = "/feeds/"
"""The path of a feed of sources that turn or fall, before its token."""
GROUPS = "X-Credence-Groups"
"""Narrows a request to what these groups see: those of somebody on whose behalf it is made."""


def set_principal(scope: Scope, principal: Principal, by: ActorKind = ActorKind.KEY) -> None:
    """Store the principal of the request, narrowed to the groups that it names, in whose name the audit log records
    changes. Raises `InvalidInput` for groups that are none.
    """
    scope.setdefault("state", {})[_STATE] = _for_groups_of(scope, principal)
    address, request_id = address_of(scope) or None, correlation_id.get()
    if principal.key_id is None:
        current_actor.set(Actor(ActorKind.ANONYMOUS, address=address, request_id=request_id))
    else:
        current_actor.set(Actor(by, principal.key_id, principal.name, address, request_id))


def set_arriving(scope: Scope, name: str) -> None:
    """Have the audit log record what a person does who is about to be signed in."""
    current_actor.set(Actor(ActorKind.BROWSER, None, name, address_of(scope) or None, correlation_id.get()))


def set_local_principal(scope: Scope, user: str) -> None:
    """Store the user of this machine as the principal, who may do everything on the command line."""
    scope.setdefault("state", {})[_STATE] = _for_groups_of(scope, Principal(user, frozenset(KeyScope)))
    current_actor.set(Actor(ActorKind.CLI, key_name=user))


def _for_groups_of(scope: Scope, principal: Principal) -> Principal:
    """The principal, on behalf of the groups that the request names, if it does."""
    named = Headers(scope=scope).getlist(GROUPS)
    if not named:
        return principal
    try:
        # Servers decode headers as Latin-1, whatever they are.
        return principal.for_groups(parse_groups(value.encode("latin-1").decode() for value in named))
    except ValueError as error:
        raise InvalidInput(
            f"`{GROUPS}` takes names of groups between commas, in UTF-8, each of at most 200 characters."
        ) from error


def principal_of(scope: Scope) -> Principal:
    """The principal of the request; anonymous before authentication."""
    principal: Principal = scope.get("state", {}).get(_STATE, ANONYMOUS)
    return principal


def told_path(path: str) -> str:
    """The path as logs and traces tell it: without the token of a link, which is all that it takes to follow it."""
    return next((f"{secret}..." for secret in (SHARED, FEEDS) if path.startswith(secret)), path)


def address_of(scope: Scope) -> str:
    """The address that the request came from; empty where the server does not say."""
    client = scope.get("client")
    return str(client[0]) if client else ""


def require_local_name(scope: Scope, settings: Settings) -> None:
    """Raise `Forbidden` for a request to another name than this machine's, where nobody needs a key because the service
    listens on loopback: a page of another site could have its own name resolve to 127.0.0.1 (DNS rebinding).
    """
    host = Headers(scope=scope).get("host", "")
    if _is_open_locally(settings) and _name_of(host) not in LOOPBACK:
        raise Forbidden(
            f"Without API keys this service answers at 127.0.0.1 and localhost only, not at {host!r}. Set "
            "CREDENCE_REQUIRE_API_KEYS to true, or to false if a proxy of yours lets in whom it should."
        )


def require_known_origin(scope: Scope, settings: Settings) -> None:
    """Raise `Forbidden` for a request by a page of another site that the settings do not name, where likewise nobody
    needs a key: browsers send some requests unasked (CSRF). Forms of the pages carry a token instead.
    """
    origin = Headers(scope=scope).get("origin")
    if origin is None or origin in settings.cors_origins or not _is_open_locally(settings):
        return
    if _name_of(origin.rpartition("://")[2]) not in LOOPBACK:
        raise Forbidden(
            f"Without API keys this service does not answer pages of {origin!r}. Name it in CREDENCE_CORS_ORIGINS, or "
            "set CREDENCE_REQUIRE_API_KEYS to true."
        )


def _is_open_locally(settings: Settings) -> bool:
    return not settings.keys_required and settings.on_loopback and settings.require_api_keys is not False


def _name_of(host: str) -> str | None:
    with contextlib.suppress(ValueError):
        return urlsplit(f"//{host}").hostname
    return None


def require_scope(principal: Principal, *any_of: KeyScope) -> None:
    """Raise `Forbidden` unless the principal holds one of the scopes."""
    if not any(principal.may(scope) for scope in any_of):
        needed = " or ".join(f"`{scope}`" for scope in any_of)
        without = "" if principal.viewer.sees_all else f", for no groups, and without `{GROUPS}`"
        raise Forbidden(f"This needs an API key with the scope {needed}{without}, or a person whose role has it.")


def require_all_seeing(principal: Principal) -> None:
    """Raise `Forbidden` on behalf of groups, where what is shown is not told apart by them."""
    if not principal.viewer.sees_all:
        raise Forbidden(f"This is shown to API keys that see everything: of no groups, and without `{GROUPS}`.")


def require_operator(principal: Principal) -> None:
    """Raise `Forbidden` for a key that belongs to one corpus."""
    if principal.corpus_id is not None:
        raise Forbidden("This needs an operator's API key; yours belongs to one corpus.")


def require_visible(principal: Principal, corpus: Corpus) -> None:
    """Raise `NotFound`, as if it did not exist, for a corpus the key does not belong to."""
    if principal.corpus_id not in {None, corpus.id}:
        raise NotFound("corpus", corpus.name)
