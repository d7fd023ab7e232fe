"""API keys, of one corpus or of the operators."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Response

from api.http import problems
from api.http.dependencies import PROTECTED, AdminAccess, OperatorCaller, PageParameters
from api.http.openapi import examples
from api.http.openapi.responses import created, read_responses, write_responses
from api.http.schemas.keys import KeyList, KeyView, NewKeyView
from registry.keys import service as keys
from registry.keys import store as key_store
from registry.keys.model import ApiKey
from registry.keys.quotas import usage_of
from registry.keys.schemas import KeyInput, KeyPatch, RotationInput
from registry.platform.database.base import AsyncSession
from registry.platform.database.paging import Page

corpus_keys = APIRouter(prefix="/v1/corpora/{corpus}/keys", tags=["keys"], dependencies=PROTECTED)
operator_keys = APIRouter(prefix="/v1/keys", tags=["keys"], dependencies=PROTECTED)

UNKEPT = {"Cache-Control": "no-store"}
KeyId = Annotated[UUID, Path(description="Identifier of the key.")]


@corpus_keys.post(
    "",
    status_code=201,
    summary="Make an API key for a corpus",
    responses={201: created("The new key, with its secret."), **write_responses()},
)
async def create_key(body: Annotated[KeyInput, examples.KEY], access: AdminAccess, response: Response) -> NewKeyView:
    """The secret is shown this once. Needs the scope `admin`."""
    async with access.begin() as (session, corpus):
        view = await _new(session, *await keys.create(session, corpus, body))
    response.headers.update({"Location": access.path("keys", view.id), **UNKEPT})
    return view


@corpus_keys.get("", summary="List the API keys of a corpus", responses=read_responses())
async def list_keys(access: AdminAccess, paging: PageParameters) -> KeyList:
    """Needs the scope `admin`."""
    async with access.begin() as (session, corpus):
        return await _list(session, await key_store.page(session, corpus, cursor=paging.cursor, limit=paging.limit))


@corpus_keys.patch("/{key_id}", summary="Change an API key of a corpus", responses=write_responses(problems.CONFLICT))
async def update_key(patch: Annotated[KeyPatch, examples.KEY_PATCH], access: AdminAccess, key_id: KeyId) -> KeyView:
    """What is left out stays, as do its secret and its scopes. Needs the scope `admin`."""
    async with access.begin() as (session, corpus):
        return await _view(session, await key_store.update(session, corpus, key_id, patch))


@corpus_keys.delete("/{key_id}", status_code=204, summary="Revoke an API key of a corpus", responses=read_responses())
async def revoke_key(access: AdminAccess, key_id: KeyId) -> None:
    """It is invalid at once and stays in the list. Needs the scope `admin`."""
    async with access.begin() as (session, corpus):
        await key_store.revoke(session, corpus, key_id)


@corpus_keys.post(
    "/{key_id}/secrets",
    status_code=201,
    summary="Give an API key of a corpus a new secret",
    responses={201: created("The key, with its new secret."), **write_responses(problems.CONFLICT)},
)
async def rotate_key(
    body: Annotated[RotationInput, examples.ROTATION], access: AdminAccess, key_id: KeyId, response: Response
) -> NewKeyView:
    """The new secret is valid at once and shown this once; the former one ends after the overlap, and one from before
    it now. Browsers signed in with the key sign in again. Needs the scope `admin`.
    """
    async with access.begin() as (session, corpus):
        view = await _new(session, *await keys.rotate(session, corpus, key_id, body))
    response.headers.update({"Location": access.path("keys", view.id), **UNKEPT})
    return view


@operator_keys.post(
    "",
    status_code=201,
    summary="Make an operator's API key",
    responses={201: created("The new key, with its secret."), **write_responses()},
)
async def create_operator_key(
    body: Annotated[KeyInput, examples.KEY], caller: OperatorCaller, response: Response
) -> NewKeyView:
    """It opens every corpus. The secret is shown this once. Needs an operator's key with the scope `admin`."""
    async with caller.runtime.database.begin() as session:
        view = await _new(session, *await keys.create(session, None, body))
    response.headers.update({"Location": f"/v1/keys/{view.id}", **UNKEPT})
    return view


@operator_keys.get("", summary="List the operators' API keys", responses=read_responses())
async def list_operator_keys(caller: OperatorCaller, paging: PageParameters) -> KeyList:
    """Needs an operator's key with the scope `admin`."""
    async with caller.runtime.database.begin() as session:
        return await _list(session, await key_store.page(session, None, cursor=paging.cursor, limit=paging.limit))


@operator_keys.post(
    "/{key_id}/secrets",
    status_code=201,
    summary="Give an operator's API key a new secret",
    responses={201: created("The key, with its new secret."), **write_responses(problems.CONFLICT)},
)
async def rotate_operator_key(
    body: Annotated[RotationInput, examples.ROTATION], caller: OperatorCaller, key_id: KeyId, response: Response
) -> NewKeyView:
    """As for a key of a corpus. Needs an operator's key with the scope `admin`."""
    async with caller.runtime.database.begin() as session:
        view = await _new(session, *await keys.rotate(session, None, key_id, body))
    response.headers.update({"Location": f"/v1/keys/{view.id}", **UNKEPT})
    return view


@operator_keys.patch("/{key_id}", summary="Change an operator's API key", responses=write_responses(problems.CONFLICT))
async def update_operator_key(
    patch: Annotated[KeyPatch, examples.KEY_PATCH], caller: OperatorCaller, key_id: KeyId
) -> KeyView:
    """As for a key of a corpus. Needs an operator's key with the scope `admin`."""
    async with caller.runtime.database.begin() as session:
        return await _view(session, await key_store.update(session, None, key_id, patch))


@operator_keys.delete("/{key_id}", status_code=204, summary="Revoke an operator's API key", responses=read_responses())
async def revoke_operator_key(caller: OperatorCaller, key_id: KeyId) -> None:
    """It is invalid at once and stays in the list. Needs an operator's key with the scope `admin`."""
    async with caller.runtime.database.begin() as session:
        await key_store.revoke(session, None, key_id)


async def _new(session: AsyncSession, key: ApiKey, secret: str) -> NewKeyView:
    return NewKeyView(**(await _view(session, key)).model_dump(), secret=secret)


async def _view(session: AsyncSession, key: ApiKey) -> KeyView:
    (usage,) = await usage_of(session, [key])
    return KeyView.of(key, usage)


async def _list(session: AsyncSession, page: Page[ApiKey]) -> KeyList:
    usage = await usage_of(session, page.items)
    views = [KeyView.of(key, used) for key, used in zip(page.items, usage, strict=True)]
    return KeyList(items=views, next_cursor=page.next_cursor)
