"""API keys, of one corpus or of the operators."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Response
from sqlalchemy.ext.asyncio import AsyncSession

from api.http.dependencies import PROTECTED, AdminAccess, OperatorCaller, PageParameters
from api.http.openapi import examples
from api.http.openapi.responses import created, read_responses, write_responses
from api.http.schemas.keys import KeyList, KeyView, NewKeyView
from registry.access import key_store, keys
from registry.access.key_store import spent_today
from registry.database.paging import Page
from registry.inputs.keys import KeyInput
from registry.models import ApiKey

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
        key, secret = await keys.create(session, corpus, body)
    response.headers.update({"Location": access.path("keys", key.id), **UNKEPT})
    return _new(key, secret)


@corpus_keys.get("", summary="List the API keys of a corpus", responses=read_responses())
async def list_keys(access: AdminAccess, paging: PageParameters) -> KeyList:
    """Needs the scope `admin`."""
    async with access.begin() as (session, corpus):
        return await _list(session, await key_store.page(session, corpus, cursor=paging.cursor, limit=paging.limit))


@corpus_keys.delete("/{key_id}", status_code=204, summary="Revoke an API key of a corpus", responses=read_responses())
async def revoke_key(access: AdminAccess, key_id: KeyId) -> None:
    """It is invalid at once and stays in the list. Needs the scope `admin`."""
    async with access.begin() as (session, corpus):
        await key_store.revoke(session, corpus, key_id)


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
        key, secret = await keys.create(session, None, body)
    response.headers.update({"Location": f"/v1/keys/{key.id}", **UNKEPT})
    return _new(key, secret)


@operator_keys.get("", summary="List the operators' API keys", responses=read_responses())
async def list_operator_keys(caller: OperatorCaller, paging: PageParameters) -> KeyList:
    """Needs an operator's key with the scope `admin`."""
    async with caller.runtime.database.begin() as session:
        return await _list(session, await key_store.page(session, None, cursor=paging.cursor, limit=paging.limit))


@operator_keys.delete("/{key_id}", status_code=204, summary="Revoke an operator's API key", responses=read_responses())
async def revoke_operator_key(caller: OperatorCaller, key_id: KeyId) -> None:
    """It is invalid at once and stays in the list. Needs an operator's key with the scope `admin`."""
    async with caller.runtime.database.begin() as session:
        await key_store.revoke(session, None, key_id)


def _new(key: ApiKey, secret: str) -> NewKeyView:
    return NewKeyView(**KeyView.of(key, {}).model_dump(), secret=secret)


async def _list(session: AsyncSession, page: Page[ApiKey]) -> KeyList:
    spent = await spent_today(session, [key.id for key in page.items])
    return KeyList(items=[KeyView.of(key, spent) for key in page.items], next_cursor=page.next_cursor)
