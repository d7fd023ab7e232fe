"""Webhooks: made, changed, tried, and what was delivered to them."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Response

from api.http.dependencies import PROTECTED, AdminAccess, PageParameters
from api.http.openapi import examples
from api.http.openapi.responses import created
from api.http.routes.estimations import SEGMENT
from api.http.schemas.webhooks import DeliveryList, DeliveryView, NewWebhookView, WebhookList, WebhookView
from registry.webhooks import service as webhooks
from registry.webhooks import store
from registry.webhooks.schemas import WebhookInput, WebhookPatch

router = APIRouter(prefix="/v1/corpora/{corpus}/webhooks", tags=["webhooks"], dependencies=PROTECTED)

WebhookId = Annotated[UUID, Path(description="Identifier of the webhook.")]


@router.post(
    "", status_code=201, summary="Make a webhook", responses={201: created("The new webhook, with its secret.")}
)
async def create_webhook(
    body: Annotated[WebhookInput, examples.WEBHOOK], access: AdminAccess, response: Response
) -> NewWebhookView:
    """A corpus has at most 20 webhooks. The address must be public, unless CREDENCE_WEBHOOK_NETWORKS names its network.
    The secret is shown this once.
    """
    webhook = await webhooks.create(access.runtime, await access.corpus(), body)
    response.headers["Location"] = access.path("webhooks", webhook.id)
    return NewWebhookView.model_validate(webhook)


@router.get("", summary="List webhooks")
async def list_webhooks(access: AdminAccess, paging: PageParameters) -> WebhookList:
    """Needs the scope `admin`, since an address may hold a secret."""
    async with access.begin() as (session, corpus):
        page = await store.page(session, corpus, cursor=paging.cursor, limit=paging.limit)
    return WebhookList.of(page, WebhookView.model_validate)


@router.get(f"/{{webhook_id:{SEGMENT}}}", summary="Read a webhook")
async def get_webhook(access: AdminAccess, webhook_id: WebhookId) -> WebhookView:
    async with access.begin() as (session, corpus):
        return WebhookView.model_validate(await store.get(session, corpus, webhook_id))


@router.patch(f"/{{webhook_id:{SEGMENT}}}", summary="Change a webhook")
async def update_webhook(
    patch: Annotated[WebhookPatch, examples.WEBHOOK_PATCH], access: AdminAccess, webhook_id: WebhookId
) -> WebhookView:
    """Fields that you leave out stay, and so does the secret. Switched off, it gives up what has not arrived yet."""
    webhook = await webhooks.update(access.runtime, await access.corpus(), webhook_id, patch)
    return WebhookView.model_validate(webhook)


@router.delete(f"/{{webhook_id:{SEGMENT}}}", status_code=204, summary="Delete a webhook")
async def delete_webhook(access: AdminAccess, webhook_id: WebhookId) -> None:
    """Deletes its deliveries too."""
    async with access.begin() as (session, corpus):
        await store.delete(session, corpus, webhook_id)


@router.post(
    f"/{{webhook_id:{SEGMENT}}}:test",
    status_code=202,
    summary="Send a test event",
    responses={202: {"description": "It is queued; the deliveries say whether it arrived."}},
)
async def send_test_event(access: AdminAccess, webhook_id: WebhookId) -> DeliveryView:
    """An event `webhook.test` without data."""
    return DeliveryView.model_validate(await webhooks.send_test(access.runtime, await access.corpus(), webhook_id))


@router.get(f"/{{webhook_id:{SEGMENT}}}/deliveries", summary="List deliveries")
async def list_deliveries(access: AdminAccess, webhook_id: WebhookId, paging: PageParameters) -> DeliveryList:
    """Returns the events of the last 30 days and whether they arrived, the newest first."""
    async with access.begin() as (session, corpus):
        webhook = await store.get(session, corpus, webhook_id)
        page = await store.deliveries(session, webhook, cursor=paging.cursor, limit=paging.limit)
    return DeliveryList.of(page, DeliveryView.model_validate)
