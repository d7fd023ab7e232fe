"""Nextcloud's Context Chat: what users may ask about is sent to this as its backend, by the app of versions 4.4 to 5.3
itself, and from 5.5 on by `credence nextcloud`.
"""

import re
from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Body, File, Request, Security, UploadFile

from answering.questions.conversation import Role, Turn
from api.chat.chat import ChatRequest
from api.chat.model_names import ModelName
from api.http.dependencies import (
    BEARER,
    PROTECTED,
    AdminAccess,
    AskAccess,
    CorpusAccess,
    IngestAccess,
    ReadAccess,
    ReadOrAskAccess,
)
from api.http.schemas.nextcloud import (
    AccessInput,
    ContextQueryInput,
    ContextReply,
    DoneView,
    EnabledView,
    FoundItem,
    ItemId,
    LoadedView,
    Provider,
    User,
)
from api.http.streaming.replies import cancel_on_disconnect, counted
from registry.answers.question import silent
from registry.answers.schemas import Strategy
from registry.connectors.nextcloud import FILES, SentItem, group_of, load, remove
from registry.documents.store import nextcloud
from registry.documents.store.nextcloud import PROVIDER, AccessChange, Which
from registry.passages.schemas import MAX_SOURCES, EvidenceFilter, MetadataCondition, MetadataFilter, MetadataOperator
from registry.platform.errors import InvalidInput
from registry.platform.fields import is_storable, storable
from registry.search.service import search
from registry.viewers.model import Viewer

PREFIX = "/v1/corpora/{corpus}/nextcloud"
router = APIRouter(prefix=PREFIX, tags=["sync clients"], dependencies=PROTECTED)
# It takes a form, not JSON.
uploads = APIRouter(prefix=PREFIX, tags=["sync clients"], dependencies=[Security(BEARER)])
MAX_FOUND = 100
ITEM = re.compile(r"[\w-]+__[\w-]+: .{1,400}")
HEADERS = ("userIds", "title", "type", "modified", "provider")
NOTHING = ContextReply(output="There is nothing to ask in what you chose.", sources=[])


@router.put("/enabled", name="turn_on", summary="Tell Nextcloud that its backend is turned on")
@router.get("/trigger", name="take_note", summary="Take note that a user of Nextcloud asks")
@router.get("/enabled", summary="Tell Nextcloud that its backend works")
async def get_enabled(_access: ReadAccess) -> EnabledView:
    return EnabledView(enabled=True)


@uploads.put("/loadSources", summary="Send items of Nextcloud")
async def load_items(
    access: IngestAccess,
    sources: Annotated[
        list[UploadFile],
        File(
            min_length=1,
            description="Items: the file name of each part is the id of an item, its headers are `userIds`, `title`, "
            "`type`, `modified` and `provider`.",
        ),
    ],
) -> LoadedView:
    """A document for the named users of Nextcloud, and for nobody else, of each item that is new or newer than what is
    stored; of others the users change. Items without text are left out.
    """
    items = [await _item_of(part) for part in sources]
    loaded = await load(access.runtime, await access.corpus(), items, access.principal.key_id)
    return LoadedView(loaded_sources=loaded, sources_to_retry=[])


@router.post("/deleteSources", summary="Remove items of Nextcloud")
async def delete_items(
    access: AdminAccess, source_ids: Annotated[list[ItemId], Body(embed=True, alias="sourceIds", description="Ids.")]
) -> DoneView:
    await remove(access.runtime, await access.corpus(), Which(ids=source_ids))
    return DoneView(message="All valid sources deleted")


@router.post("/deleteProvider", summary="Remove a provider of Nextcloud")
async def delete_provider(
    access: AdminAccess, provider: Annotated[Provider, Body(embed=True, alias="providerKey", description="Which.")]
) -> DoneView:
    """All its items."""
    await remove(access.runtime, await access.corpus(), Which(provider=provider))
    return DoneView(message="All valid sources deleted")


@router.post("/deleteUser", summary="Remove a user of Nextcloud")
async def delete_user(
    access: AdminAccess, user: Annotated[User, Body(embed=True, alias="userId", description="Who.")]
) -> DoneView:
    """Also items that nobody else may see."""
    await _change(access, Which(group=group_of(user)), Which(unseen=True), "deny", [user])
    return DoneView(message="User deleted")


@router.post("/updateAccess", summary="Change who may see an item of Nextcloud")
@router.post("/updateAccessProvider", name="update_access_of_provider", summary="Change who may see all items")
@router.post("/updateAccessDeclarative", name="declare_access", summary="Say who may see an item of Nextcloud")
async def update_access(access: AdminAccess, body: AccessInput) -> DoneView:
    """Removes items that nobody may see any more."""
    which = Which(ids=None if body.source_id is None else [body.source_id], provider=body.provider_id)
    await _change(access, which, replace(which, unseen=True), body.op or "only", body.user_ids)
    return DoneView(message="Access updated")


@router.post("/countIndexedDocuments", summary="Count items of Nextcloud")
async def count_items(access: AdminAccess) -> dict[str, int]:
    """By provider, whoever may see them; empty without any."""
    async with access.begin() as (session, corpus):
        counts = await nextcloud.count(session, corpus)
    # The app looks for the number of files wherever there is one.
    return {FILES: 0} | counts if counts else {}


@router.post("/docSearch", summary="Search items of Nextcloud")
async def search_items(access: ReadOrAskAccess, body: ContextQueryInput) -> list[FoundItem]:
    """The items of the user with the passages that are nearest to the query, by their relevance and by the reliability
    of their sources.
    """
    conditions = [MetadataCondition((PROVIDER,), MetadataOperator.PRESENT)]
    if body.scope_type == "provider":
        conditions.append(MetadataCondition((PROVIDER,), MetadataOperator.IN, body.scope_list or []))
    hits = await search(
        access.runtime,
        await access.corpus(),
        body.query,
        limit=min(body.ctx_limit, MAX_FOUND),
        restriction=_named(body),
        metadata=MetadataFilter(tuple(conditions)),
        viewer=_viewer(access, body),
    )
    passages = (hit.passage for hit in hits)
    found = {passage.external_id: FoundItem(source_id=passage.external_id, title=passage.title) for passage in passages}
    return list(found.values())


@router.post("/query", summary="Answer a user of Nextcloud")
async def query_items(request: Request, access: AskAccess, body: ContextQueryInput) -> ContextReply:
    """Answers as `POST .../answers` does, from items that the user may see and from documents for everybody."""
    corpus, restriction = await access.corpus(), _named(body)
    if body.scope_type == "provider":
        async with access.begin() as (session, _):
            names = await nextcloud.sources_of(session, corpus, body.scope_list or [])
        if not names:
            return NOTHING
        if len(names) > MAX_SOURCES:
            raise InvalidInput(
                f"These items are of more than {MAX_SOURCES} folders: ask without a scope, or name items.",
                field="scopeList",
            )
        restriction = EvidenceFilter(sources=tuple(names))
    chat = ChatRequest(
        runtime=access.runtime,
        corpus=corpus,
        model=ModelName(corpus.name, Strategy.WMV if body.use_context else Strategy.NO_RAG),
        system="",
        turns=[Turn(Role.USER, body.query)],
        asker=replace(access.principal.asker, viewer=_viewer(access, body)),
        field="query",
        restriction=restriction,
    )
    chat.check()
    reply = await cancel_on_disconnect(request, counted(chat, request.app.state.metrics)(silent))
    quoted = (quote.citation.document_external_id for quote in reply.quotes)
    return ContextReply(output=reply.text, sources=[each for each in dict.fromkeys(quoted) if _is_item(each)])


async def _change(
    access: CorpusAccess, which: Which, gone: Which, change: AccessChange, users: Collection[str]
) -> None:
    """Change which users see items, and remove those that nobody may see any more."""
    async with access.begin() as (session, corpus):
        await nextcloud.change_access(session, corpus, which, change, sorted(map(group_of, set(users))))
    await remove(access.runtime, corpus, gone)


async def _item_of(part: UploadFile) -> SentItem:
    """The item in a part of the form; raises `InvalidInput` for headers that say too little."""
    # Servers decode headers as Latin-1, whatever they are.
    said = {name: part.headers.get(name, "").encode("latin-1").decode(errors="replace").strip() for name in HEADERS}
    try:
        modified = datetime.fromtimestamp(int(said["modified"]), UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise InvalidInput("`modified` of an item is no time in seconds since 1970.", field="sources") from error
    if not (_is_item(part.filename or "") and is_storable(part.filename or "") and said["provider"]):
        raise InvalidInput("An item has no id as `files__default: 555`, or no `provider`.", field="sources")
    return SentItem(
        id=part.filename or "",
        provider=said["provider"],
        title=storable(said["title"]),
        media_type=said["type"],
        modified=modified,
        users=[user.strip() for user in said["userIds"].split(",") if user.strip()],
        content=await part.read(),
    )


def _is_item(identifier: str) -> bool:
    """Whether an external id is one that Nextcloud gives."""
    return ITEM.fullmatch(identifier) is not None


def _viewer(access: CorpusAccess, body: ContextQueryInput) -> Viewer:
    return access.viewer.narrowed(frozenset({group_of(body.user_id)}))


def _named(body: ContextQueryInput) -> EvidenceFilter:
    """The restriction to the items that are named, if some are."""
    return EvidenceFilter(documents=tuple(body.scope_list or ()) if body.scope_type == "source" else None)
