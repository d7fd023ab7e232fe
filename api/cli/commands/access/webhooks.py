"""`credence webhooks`: addresses that are told of what happens in a corpus."""

from typing import Annotated

import typer
from rich.text import Text

from api.cli.connection import Service, by_reference
from api.cli.environment import Environment, parse_input
from api.cli.options import command, list_command
from api.cli.output import cell, moment, print_json, table
from api.client.nouns import webhooks
from api.http.schemas.webhooks import WebhookView
from registry.webhooks.schemas import WebhookEvent, WebhookInput

app = typer.Typer(add_completion=False)

WebhookArgument = Annotated[str, typer.Argument(metavar="WEBHOOK", help="The webhook's address or id.")]


@list_command(app)
def list_webhooks(env: Environment) -> None:
    """List the webhooks and whether they fail."""
    with env.service() as service:
        listed = service.newest(webhooks.list_webhooks(corpus=env.corpus))
    rows = table("address", "events", "state")
    for webhook in listed:
        rows.add_row(cell(webhook.url), ", ".join(webhook.events), cell(_state(webhook)))
    env.show_list(listed, rows, if_empty="There are no webhooks: `credence webhooks add`.")


@command(app)
def add(
    env: Environment,
    url: Annotated[str, typer.Argument(help="Address to which events are sent.")],
    event: Annotated[
        list[WebhookEvent] | None,
        typer.Option("--event", help="Event to send; repeat for more.", show_default="all"),
    ] = None,
) -> None:
    """Add a webhook and print its secret. It cannot be shown again."""
    values = parse_input(WebhookInput, url=url, events=event or list(WebhookEvent))
    made = env.send(webhooks.create_webhook(values, corpus=env.corpus))
    if env.as_json:
        print_json(made)
        return
    env.err.print(Text(f"The secret of the webhook {made.id}. It is shown only now:"), soft_wrap=True)
    env.out.print(Text(made.secret), soft_wrap=True)


@command(app)
def test(env: Environment, webhook: WebhookArgument) -> None:
    """Send a test event. A worker delivers it."""
    with env.service() as service:
        found = _find(service, env.corpus, webhook)
        delivery = service.send(webhooks.send_test_event(found.id, corpus=env.corpus))
    env.print_result(delivery, f"A worker sends {delivery.id} to {found.url}.")


@command(app, json=False)
def remove(env: Environment, webhook: WebhookArgument) -> None:
    """Remove a webhook with its deliveries."""
    with env.service() as service:
        found = _find(service, env.corpus, webhook)
        service.send(webhooks.delete_webhook(found.id, corpus=env.corpus))
    env.print_note(f"Removed the webhook {found.url}.")


def _state(webhook: WebhookView) -> str:
    if webhook.enabled:
        return f"fails since {moment(webhook.failing_since)}" if webhook.failing_since else "on"
    return f"off: {webhook.disabled_because}" if webhook.disabled_because else "off"


def _find(service: Service, corpus: str, reference: str) -> WebhookView:
    """A webhook by its id, or by its address, of which the oldest counts."""
    listed = service.newest(webhooks.list_webhooks(corpus=corpus))
    return by_reference(reference, listed, "id", "url", what="webhook")
