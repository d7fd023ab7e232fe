"""`credence webhooks`: which addresses are told of events."""

from typing import Annotated

import typer

from api.cli.connection import one_of
from api.cli.environment import Environment
from api.cli.options import command, list_command
from api.cli.output import moment
from api.cli.parameter_options import parameter_options
from api.client.nouns import webhooks
from api.http.schemas.webhooks import WebhookView
from registry.webhooks.schemas import WebhookInput

WebhookArgument = Annotated[str, typer.Argument(metavar="WEBHOOK", help="The webhook's address or id.")]
# Of several with an address the oldest counts.
_find = one_of(webhooks.list_webhooks(), "id", "url", what="webhook")


@list_command("webhooks")
def list_webhooks(env: Environment) -> None:
    """List the webhooks and whether they fail."""
    env.show_list(
        env.newest(webhooks.list_webhooks()),
        {"address": "url", "events": "events", "state": _state},
        if_empty="There are no webhooks: `credence webhooks add`.",
    )


@command("webhooks")
@parameter_options(WebhookInput, url="URL", events="--event")
def add(env: Environment, webhook: WebhookInput) -> None:
    """Add a webhook and print its secret. It cannot be shown again."""
    made = env.send(webhooks.create_webhook(webhook))
    env.print_secret(made, made.secret, f"The secret of the webhook {made.id}.")


@command("webhooks")
def test(env: Environment, webhook: WebhookArgument) -> None:
    """Send a test event. A worker delivers it."""
    found, delivery = env.on(_find, webhook, lambda found: webhooks.send_test_event(found.id))
    env.print_result(delivery, f"A worker sends {delivery.id} to {found.url}.")


@command("webhooks", json=False)
def remove(env: Environment, webhook: WebhookArgument) -> None:
    """Remove a webhook with its deliveries."""
    found, _ = env.on(_find, webhook, lambda found: webhooks.delete_webhook(found.id))
    env.print_note(f"Removed the webhook {found.url}.")


def _state(webhook: WebhookView) -> str:
    if webhook.enabled:
        return f"fails since {moment(webhook.failing_since)}" if webhook.failing_since else "on"
    return f"off: {webhook.disabled_because}" if webhook.disabled_because else "off"
