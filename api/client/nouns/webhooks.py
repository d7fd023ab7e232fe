"""Webhooks. Only the response to a new one has its secret, this once."""

from api.client.call import Nothing, Operation, Sending, SendingTo
from api.http.schemas.webhooks import DeliveryList, DeliveryView, NewWebhookView, WebhookList, WebhookView
from registry.webhooks.schemas import WebhookInput, WebhookPatch

list_webhooks = Operation("GET /webhooks", WebhookList)
create_webhook = Sending("POST /webhooks", NewWebhookView, WebhookInput, is_repeatable=False)
get_webhook = Operation("GET /webhooks/{webhook_id}", WebhookView)
update_webhook = SendingTo("PATCH /webhooks/{webhook_id}", WebhookView, WebhookPatch)
delete_webhook = Operation("DELETE /webhooks/{webhook_id}", Nothing)
send_test_event = Operation("POST /webhooks/{webhook_id}:test", DeliveryView)
list_deliveries = Operation("GET /webhooks/{webhook_id}/deliveries", DeliveryList)
