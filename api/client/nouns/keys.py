"""API keys, of a corpus or, with None for it, of the operators."""

from typing import TypeVar
from uuid import UUID

from pydantic import BaseModel

from api.client.call import DEFAULT, Call, Nothing
from api.http.schemas.keys import KeyList, KeyView, NewKeyView
from registry.keys.schemas import KeyInput, KeyPatch, RotationInput

Model = TypeVar("Model", bound=BaseModel)


def list_keys(*, corpus: str | None = DEFAULT) -> Call[KeyList]:
    """The keys, without their secrets."""
    return _of_owner("GET", "", KeyList, corpus)


def create_key(new_key: KeyInput, *, corpus: str | None = DEFAULT) -> Call[NewKeyView]:
    """Make a key; the response has its secret, this once."""
    return _of_owner("POST", "", NewKeyView, corpus, new_key)


def update_key(key_id: UUID, patch: KeyPatch, *, corpus: str | None = DEFAULT) -> Call[KeyView]:
    """Change the limits of a key; what is left out stays."""
    return _of_owner("PATCH", "/{key_id}", KeyView, corpus, patch, key_id=key_id)


def rotate_key(key_id: UUID, rotation: RotationInput, *, corpus: str | None = DEFAULT) -> Call[NewKeyView]:
    """Give a key a new secret; the response has it, this once."""
    return _of_owner("POST", "/{key_id}/secrets", NewKeyView, corpus, rotation, key_id=key_id)


def revoke_key(key_id: UUID, *, corpus: str | None = DEFAULT) -> Call[Nothing]:
    """Make a key useless."""
    return _of_owner("DELETE", "/{key_id}", Nothing, corpus, key_id=key_id)


def _of_owner(
    method: str, path: str, response: type[Model], corpus: str | None, body: BaseModel | None = None, **parts: UUID
) -> Call[Model]:
    owner = {} if corpus is None else {"corpus": corpus}
    template = ("/v1/keys" if corpus is None else "/v1/corpora/{corpus}/keys") + path
    values = owner | {name: str(part) for name, part in parts.items()}
    return Call(method, template, response, path=values, body=body, is_repeatable=False)
