"""The principal of a request, and checks of its scopes and its corpus."""

from starlette.types import Scope

from registry.access.keys import ANONYMOUS, Principal
from registry.errors import Forbidden, NotFound
from registry.inputs.keys import Scope as KeyScope
from registry.models import Corpus

_STATE = "principal"


def set_principal(scope: Scope, principal: Principal) -> None:
    """Store the principal of the request."""
    scope.setdefault("state", {})[_STATE] = principal


def principal_of(scope: Scope) -> Principal:
    """The principal of the request; anonymous before authentication."""
    principal: Principal = scope.get("state", {}).get(_STATE, ANONYMOUS)
    return principal


def address_of(scope: Scope) -> str:
    """The address that the request came from; empty where the server does not say."""
    client = scope.get("client")
    return str(client[0]) if client else ""


def require_scope(principal: Principal, *any_of: KeyScope) -> None:
    """Raise `Forbidden` unless the principal holds one of the scopes."""
    if not any(principal.may(scope) for scope in any_of):
        needed = " or ".join(f"`{scope}`" for scope in any_of)
        raise Forbidden(f"This needs an API key with the scope {needed}.")


def require_operator(principal: Principal) -> None:
    """Raise `Forbidden` for a key that belongs to one corpus."""
    if principal.corpus_id is not None:
        raise Forbidden("This needs an operator's API key; yours belongs to one corpus.")


def require_visible(principal: Principal, corpus: Corpus) -> None:
    """Raise `NotFound`, as if it did not exist, for a corpus the key does not belong to."""
    if principal.corpus_id not in {None, corpus.id}:
        raise NotFound("corpus", corpus.name)
