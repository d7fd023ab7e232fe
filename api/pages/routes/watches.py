"""Feeds of the sources that turn or fall, and webhooks: made and removed on a page; and the feeds themselves."""

from hashlib import sha256
from typing import Annotated
from uuid import uuid5

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from api.http.authorization import FEEDS
from api.http.dependencies import AdminAccess, CorpusAccess, Paging, ReadAccess, runtime_of
from api.http.routes import watches as watch_routes
from api.http.routes import webhooks
from api.http.routes.watches import WatchId
from api.http.routes.webhooks import WebhookId
from api.pages.rendering import ENVIRONMENT, address, page
from api.pages.routes.shares import require_admission
from api.pages.visitors import page_router, tell_once, told_once
from registry.estimations.store.estimates import recent_alerts
from registry.keys.schemas import Scope
from registry.keys.service import digest
from registry.platform.addresses import WebAddress
from registry.platform.database.paging import MAX_LIMIT
from registry.platform.fields import ExternalId
from registry.sources import store as sources
from registry.watches import store as watches
from registry.watches.schemas import WatchInput
from registry.webhooks.schemas import WebhookEvent, WebhookInput, WebhookPatch

router = page_router("/corpora/{corpus}/watches")
feeds = APIRouter(dependencies=[Depends(require_admission)])

RUNS_TOLD, ENTRIES_TOLD = 50, 200
DELIVERIES_SHOWN = 10


def _here(access: CorpusAccess) -> str:
    return address("corpora", access.corpus_name, "watches")


@router.get("")
async def show_watches(
    request: Request, access: ReadAccess, source: Annotated[str, Query(max_length=500)] = ""
) -> Response:
    """The watches and webhooks of a corpus, what was just made, and the forms; with a source for a watch of that."""
    async with access.begin() as (session, corpus):
        listed = await watches.watches_of(session, corpus)
        name = (await sources.find(session, corpus, source)).name if source else ""
    hooks, deliveries = [], {}
    if access.principal.may(Scope.ADMIN):
        hooks = (await webhooks.list_webhooks(access, Paging(None, MAX_LIMIT))).items
        newest = Paging(None, DELIVERIES_SHOWN)
        deliveries = {hook.id: (await webhooks.list_deliveries(access, hook.id, newest)).items for hook in hooks}
    return page(
        request,
        "corpora/watches.html",
        corpus=access.corpus_name,
        here=_here(access),
        watches=listed,
        webhooks=hooks,
        deliveries=deliveries,
        own_id=access.principal.key_id,
        source=source,
        source_name=name,
        told=told_once(request),
        events=list(WebhookEvent),
    )


@router.post("")
async def make_watch(
    request: Request, access: ReadAccess, source: Annotated[ExternalId | None, Form()] = None
) -> Response:
    """Make a feed, and show its address this once."""
    feed = await watch_routes.create_watch(access, Response(), WatchInput(source=source))
    return tell_once(request, _here(access), f"{str(request.base_url).rstrip('/')}{feed.path}", "#made")


@router.post("/{watch_id}/remove")
async def remove_watch(access: ReadAccess, watch_id: WatchId) -> Response:
    """End a feed."""
    await watch_routes.remove_watch(access, watch_id)
    return RedirectResponse(f"{_here(access)}#feeds", 303)


@router.post("/webhooks")
async def make_webhook(
    request: Request,
    access: AdminAccess,
    url: Annotated[WebAddress, Form()],
    events: Annotated[list[WebhookEvent], Form()],
) -> Response:
    """Make a webhook, and show its secret this once."""
    values = WebhookInput(url=url, events=events)
    new = await webhooks.create_webhook(values, access, Response())
    return tell_once(request, _here(access), new.secret, "#made")


@router.post("/webhooks/{webhook_id}")
async def switch_webhook(access: AdminAccess, webhook_id: WebhookId, enabled: Annotated[bool, Form()]) -> Response:
    """Switch a webhook on or off."""
    await webhooks.update_webhook(WebhookPatch(enabled=enabled), access, webhook_id)
    return RedirectResponse(f"{_here(access)}#webhooks", 303)


@router.post("/webhooks/{webhook_id}/test")
async def try_webhook(access: AdminAccess, webhook_id: WebhookId) -> Response:
    """Send an event that tells nothing."""
    await webhooks.send_test_event(access, webhook_id)
    return RedirectResponse(f"{_here(access)}#webhooks", 303)


@router.post("/webhooks/{webhook_id}/remove")
async def remove_webhook(access: AdminAccess, webhook_id: WebhookId) -> Response:
    """Delete a webhook."""
    await webhooks.delete_webhook(access, webhook_id)
    return RedirectResponse(f"{_here(access)}#webhooks", 303)


@feeds.get(f"{FEEDS}{{token}}")
async def show_feed(request: Request, token: str) -> Response:
    """The feed of a watch, in Atom (RFC 4287)."""
    async with runtime_of(request).database.begin() as session:
        watch, corpus, source = await watches.opened(session, digest(token))
        found = await recent_alerts(session, corpus.id, RUNS_TOLD, found_only=True, source_id=watch.source_id)
    # Of an alert the identifier is always the same.
    entries = [(run, alert, uuid5(run.run_id, str(alert.source_id))) for run in found for alert in run.sources]
    values = {"watch": watch, "corpus": corpus.name, "source": source, "entries": entries[:ENTRIES_TOLD]}
    base = str(request.base_url).rstrip("/")
    text = ENVIRONMENT.get_template("service/feed.xml").render(values, base=base, here=str(request.url))
    tag = f'"{sha256(text.encode()).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, max-age=300", "X-Robots-Tag": "noindex, nofollow"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(text, media_type="application/atom+xml", headers=headers)
