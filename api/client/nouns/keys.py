"""API keys, of a corpus or, with None for it, of the operators. Only the response to a new secret has it, this once."""

from dataclasses import replace
from typing import TypeVar
from uuid import UUID

from pydantic import BaseModel

from api.client.call import DEFAULT, OF_CORPUS, Call, Nothing, Operation
from api.http.schemas.keys import KeyList, KeyView, NewKeyView
from registry.keys.schemas import KeyInput, KeyPatch, RotationInput

_Model = TypeVar("_Model", bound=BaseModel)


def list_keys(*, corpus: str | None = DEFAULT) -> Call[KeyList]:
    """The keys, without their secrets."""
    return _of_owner("GET", "", KeyList, corpus)


def create_key(new_key: KeyInput, *, corpus: str | None = DEFAULT) -> Call[NewKeyView]:
    """Make a key."""
    return _of_owner("POST", "", NewKeyView, corpus, new_key)


def update_key(key_id: UUID, patch: KeyPatch, *, corpus: str | None = DEFAULT) -> Call[KeyView]:
    """Change the limits of a key; what is left out stays."""
    return _of_owner("PATCH", "/{key_id}", KeyView, corpus, patch, key_id)


def rotate_key(key_id: UUID, rotation: RotationInput, *, corpus: str | None = DEFAULT) -> Call[NewKeyView]:
    """Give a key a new secret."""
    return _of_owner("POST", "/{key_id}/secrets", NewKeyView, corpus, rotation, key_id)


def revoke_key(key_id: UUID, *, corpus: str | None = DEFAULT) -> Call[Nothing]:
    """Make a key useless."""
    return _of_owner("DELETE", "/{key_id}", Nothing, corpus, None, key_id)


def _of_owner(
    method: str, path: str, response: type[_Model], corpus: str | None, body: BaseModel | None = None, *key_id: UUID
) -> Call[_Model]:
    owner = "/v1" if corpus is None else OF_CORPUS
    operation = Operation(f"{method} {owner}/keys{path}", response, is_repeatable=False)
    return replace(operation(*key_id, corpus=corpus), body=body)
