"""API keys, of one corpus or of the operators."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Request, Response

from api.http.dependencies import PROTECTED, AccessWith, Caller, CallerWith, CorpusAccess, PageParameters
from api.http.openapi import examples
from api.http.openapi.responses import created
from api.http.schemas.keys import KeyList, KeyView, NewKeyView
from registry.keys import service as keys
from registry.keys import store as key_store
from registry.keys.model import ApiKey
from registry.keys.quotas import usage_of
from registry.keys.schemas import KeyInput, KeyPatch, RotationInput, Scope
from registry.platform.database.base import AsyncSession

_of_corpus, _of_operators = AccessWith((Scope.ADMIN,)), CallerWith((Scope.ADMIN,), as_operator=True)
corpus_keys = APIRouter(
    prefix="/v1/corpora/{corpus}/keys", tags=["keys"], dependencies=[*PROTECTED, Depends(_of_corpus)]
)
operator_keys = APIRouter(prefix="/v1/keys", tags=["keys"], dependencies=[*PROTECTED, Depends(_of_operators)])

UNKEPT = {"Cache-Control": "no-store"}
KeyId = Annotated[UUID, Path(description="Identifier of the key.")]


async def key_owner(request: Request) -> CorpusAccess | Caller:
    """The corpus in the path, or the operators; raises `Forbidden`."""
    corpus = request.path_params.get("corpus")
    return await (_of_operators(request) if corpus is None else _of_corpus(request, corpus))


Owner = Annotated[CorpusAccess | Caller, Depends(key_owner)]


@corpus_keys.post(
    "",
    status_code=201,
    summary="Make an API key for a corpus",
    responses={201: created("The new key, with its secret.")},
)
@operator_keys.post(
    "",
    status_code=201,
    name="create_operator_key",
    summary="Make an operator's API key",
    responses={201: created("The new key, with its secret.")},
)
async def create_key(body: Annotated[KeyInput, examples.KEY], owner: Owner, response: Response) -> NewKeyView:
    """The secret is shown this once."""
    async with owner.begin() as (session, corpus):
        view = await _new(session, *await keys.create(session, corpus, body))
    response.headers.update({"Location": owner.path("keys", view.id), **UNKEPT})
    return view


@corpus_keys.get("", summary="List the API keys of a corpus")
@operator_keys.get("", name="list_operator_keys", summary="List the operators' API keys")
async def list_keys(owner: Owner, paging: PageParameters) -> KeyList:
    async with owner.begin() as (session, corpus):
        page = await key_store.page(session, corpus, cursor=paging.cursor, limit=paging.limit)
        usage = await usage_of(session, page.items)
    views = [KeyView.of(key, used) for key, used in zip(page.items, usage, strict=True)]
    return KeyList(items=views, next_cursor=page.next_cursor)


@corpus_keys.patch("/{key_id}", summary="Change an API key of a corpus")
@operator_keys.patch("/{key_id}", name="update_operator_key", summary="Change an operator's API key")
async def update_key(patch: Annotated[KeyPatch, examples.KEY_PATCH], owner: Owner, key_id: KeyId) -> KeyView:
    """Fields that you leave out stay, as do its secret and its scopes."""
    async with owner.begin() as (session, corpus):
        return await _view(session, await key_store.update(session, corpus, key_id, patch))


@corpus_keys.delete("/{key_id}", status_code=204, summary="Revoke an API key of a corpus")
@operator_keys.delete("/{key_id}", status_code=204, name="revoke_operator_key", summary="Revoke an operator's API key")
async def revoke_key(owner: Owner, key_id: KeyId) -> None:
    """It is invalid at once and stays in the list."""
    async with owner.begin() as (session, corpus):
        await key_store.revoke(session, corpus, key_id)


@corpus_keys.post(
    "/{key_id}/secrets",
    status_code=201,
    summary="Give an API key of a corpus a new secret",
    responses={201: created("The key, with its new secret.")},
)
@operator_keys.post(
    "/{key_id}/secrets",
    status_code=201,
    name="rotate_operator_key",
    summary="Give an operator's API key a new secret",
    responses={201: created("The key, with its new secret.")},
)
async def rotate_key(body: RotationInput, owner: Owner, key_id: KeyId, response: Response) -> NewKeyView:
    """The new secret is valid at once and shown this once; the former one ends after the overlap, and one from before
    it now. Browsers signed in with the key sign in again.
    """
    async with owner.begin() as (session, corpus):
        view = await _new(session, *await keys.rotate(session, corpus, key_id, body))
    response.headers.update({"Location": owner.path("keys", view.id), **UNKEPT})
    return view


async def _new(session: AsyncSession, key: ApiKey, secret: str) -> NewKeyView:
    return NewKeyView(**(await _view(session, key)).model_dump(), secret=secret)


async def _view(session: AsyncSession, key: ApiKey) -> KeyView:
    (usage,) = await usage_of(session, [key])
    return KeyView.of(key, usage)
