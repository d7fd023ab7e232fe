"""Webhooks."""

from dataclasses import replace
from uuid import UUID

from api.client.call import DEFAULT, Call, Nothing, of_corpus
from api.http.schemas.webhooks import DeliveryList, DeliveryView, NewWebhookView, WebhookList, WebhookView
from registry.webhooks.schemas import WebhookInput, WebhookPatch


def list_webhooks(*, corpus: str = DEFAULT) -> Call[WebhookList]:
    """The webhooks of the corpus."""
    return of_corpus("GET", "/webhooks", WebhookList, corpus)


def create_webhook(webhook: WebhookInput, *, corpus: str = DEFAULT) -> Call[NewWebhookView]:
    """Make a webhook; the response alone has its secret."""
    return replace(of_corpus("POST", "/webhooks", NewWebhookView, corpus, webhook), is_repeatable=False)


def get_webhook(webhook_id: UUID, *, corpus: str = DEFAULT) -> Call[WebhookView]:
    """A webhook, and whether it fails."""
    return of_corpus("GET", "/webhooks/{webhook_id}", WebhookView, corpus, webhook_id=webhook_id)


def update_webhook(webhook_id: UUID, patch: WebhookPatch, *, corpus: str = DEFAULT) -> Call[WebhookView]:
    """Change a webhook; what is left out stays."""
    return of_corpus("PATCH", "/webhooks/{webhook_id}", WebhookView, corpus, patch, webhook_id=webhook_id)


def delete_webhook(webhook_id: UUID, *, corpus: str = DEFAULT) -> Call[Nothing]:
    """Delete a webhook with its deliveries."""
    return of_corpus("DELETE", "/webhooks/{webhook_id}", Nothing, corpus, webhook_id=webhook_id)


def send_test_event(webhook_id: UUID, *, corpus: str = DEFAULT) -> Call[DeliveryView]:
    """Send a test event."""
    return of_corpus("POST", "/webhooks/{webhook_id}:test", DeliveryView, corpus, webhook_id=webhook_id)


def list_deliveries(webhook_id: UUID, *, corpus: str = DEFAULT, limit: int | None = None) -> Call[DeliveryList]:
    """List the events that were or will be sent to a webhook, the newest first."""
    path, query = "/webhooks/{webhook_id}/deliveries", {"limit": limit}
    return of_corpus("GET", path, DeliveryList, corpus, query=query, webhook_id=webhook_id)
