"""`credence keys`, `webhooks`, `watches` and `audit`: who may do what, who is told, and who did what."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Annotated, TypeVar

import typer
from rich.text import Text

from api.cli.connection import PAGE_ROWS, Service, one_of
from api.cli.environment import Environment, parse_input
from api.cli.options import command, list_command
from api.cli.output import moment
from api.cli.parameter_options import parameter_options
from api.client.nouns import corpora, keys, watches, webhooks
from api.http.schemas.keys import KeyView, NewKeyView
from api.http.schemas.webhooks import NewWebhookView, WebhookView
from registry.keys.schemas import KeyInput, KeyLimits, KeyPatch, RotationInput
from registry.watches.schemas import WatchInput
from registry.webhooks.schemas import WebhookInput

Values = TypeVar("Values", KeyInput, KeyPatch)
OperatorOption = Annotated[bool, typer.Option("--operator", help="A key for all corpora.")]
DaysOption = Annotated[int | None, typer.Option(min=1, max=36500, help="Days until it expires.")]
KeyArgument = Annotated[str, typer.Argument(help="The key's first characters, as in the list, or its id.")]
OPTIONS = {
    "daily_model_calls": "--daily-calls",
    "sources": "--source",
    "groups": "--group",
    "allowed_addresses": "--from",
}


@list_command("keys")
def list_keys(env: Environment, operator: OperatorOption = False) -> None:
    """List the keys, by their first characters."""
    env.show_list(
        env.newest(keys.list_keys(corpus=_owner(env, operator=operator))),
        {
            "key": lambda key: f"{key.prefix}…",
            "name": "name",
            "scopes": "scopes",
            "state": _state,
            "used of its limits": _spent,
            "last used": "last_used_at",
        },
        if_empty="There are no keys yet: `credence keys create`.",
        fixed=("key",),
    )


@command("keys")
@parameter_options(KeyInput, name="NAME", scopes="--scope -s", left_out=("expires_at",), **OPTIONS)
def create(env: Environment, new: KeyInput, days: DaysOption = None, operator: OperatorOption = False) -> None:
    """Create a key and print it. It cannot be shown again."""
    _print_key(env, env.send(keys.create_key(_expiring(new, days), corpus=_owner(env, operator=operator))))


@command("keys")
def rotate(
    env: Environment,
    key: KeyArgument,
    overlap_hours: Annotated[float, typer.Option(min=0, help="How long the former secret stays valid.")] = 24,
    operator: OperatorOption = False,
) -> None:
    """Give a key a new secret and print it. The former secret stays valid for a while."""
    owner = _owner(env, operator=operator)
    values = parse_input(RotationInput, overlap_seconds=round(overlap_hours * 3600))
    _, rotated = env.on(_find(owner), key, lambda found: keys.rotate_key(found.id, values, corpus=owner))
    _print_key(env, rotated)


@command("keys")
@parameter_options(KeyPatch, left_out=("expires_at",), **OPTIONS)
def update(
    env: Environment,
    key: KeyArgument,
    patch: KeyPatch,
    days: DaysOption = None,
    unlimited: Annotated[bool, typer.Option(help="Remove the limits that are not given.")] = False,
    operator: OperatorOption = False,
) -> None:
    """Change the limits, expiry, addresses, sources or groups of a key. Its secret stays the same."""
    owner = _owner(env, operator=operator)
    removed = dict.fromkeys(KeyLimits.model_fields.keys() - patch.model_fields_set) if unlimited else {}
    values = _expiring(patch, days).model_copy(update=removed)
    _, changed = env.on(_find(owner), key, lambda found: keys.update_key(found.id, values, corpus=owner))
    env.print_result(changed, f"Changed {changed.name} ({changed.prefix}…).")


@command("keys")
def revoke(env: Environment, key: KeyArgument, operator: OperatorOption = False) -> None:
    """Revoke a key."""
    owner = _owner(env, operator=operator)
    with env.service() as service:
        found = _find(owner)(service, key)
        service.send(keys.revoke_key(found.id, corpus=owner))
        revoked = _find(owner)(service, str(found.id))
    env.print_result(revoked, f"Revoked {revoked.name} ({revoked.prefix}…).")


def _expiring(values: Values, days: int | None) -> Values:
    return values.model_copy(update={"expires_at": datetime.now(UTC) + timedelta(days=days)} if days else {})


def _spent(key: KeyView) -> str | None:
    """The use of a key's limits, those of a day and those of what is stored."""
    spent, stored = key.spent_today, key.stored
    parts = (
        (key.requests_this_minute, key.requests_per_minute, "requests"),
        (spent and spent.model_calls, key.daily_model_calls, "calls"),
        (spent and spent.tokens, key.daily_tokens, "tokens"),
        (spent and spent.questions, key.daily_questions, "questions"),
        (stored and stored.documents, key.max_documents, "documents"),
        (stored and stored.bytes, key.max_stored_bytes, "bytes"),
    )
    return "; ".join(f"{used or 0:,} of {most:,} {what}" for used, most, what in parts if most is not None) or None


def _print_key(env: Environment, key: NewKeyView) -> None:
    _print_secret(env, key, f"The key {key.id}, for {', '.join(key.scopes)}.")


def _print_secret(env: Environment, made: NewKeyView | NewWebhookView, what: str) -> None:
    if not env.as_json:
        env.print_note(f"{what} It is shown only now:")
    env.print_result(made, made.secret)


def _find(owner: str | None) -> Callable[[Service, str], KeyView]:
    """By its first characters, as the list shows them, or by its id."""
    find = one_of(keys.list_keys(corpus=owner), "prefix", "id", what="API key")
    return lambda service, reference: find(service, reference.rstrip("…"))


def _owner(env: Environment, *, operator: bool) -> str | None:
    return None if operator else env.corpus


def _state(key: KeyView) -> Text:
    if key.revoked_at is not None:
        return Text("revoked", style="dim")
    if key.expires_at is None:
        return Text("active")
    is_valid = key.expires_at > datetime.now(UTC)
    return Text(f"until {moment(key.expires_at)}" if is_valid else "expired", style="dim")


WebhookArgument = Annotated[str, typer.Argument(metavar="WEBHOOK", help="The webhook's address or id.")]
# Of several with an address the oldest counts.
_find_webhook = one_of(webhooks.list_webhooks(), "id", "url", what="webhook")


@list_command("webhooks")
def list_webhooks(env: Environment) -> None:
    """List the webhooks and whether they fail."""
    env.show_list(
        env.newest(webhooks.list_webhooks()),
        {"address": "url", "events": "events", "state": _state_webhook},
        if_empty="There are no webhooks: `credence webhooks add`.",
    )


@command("webhooks")
@parameter_options(WebhookInput, url="URL", events="--event")
def add(env: Environment, webhook: WebhookInput) -> None:
    """Add a webhook and print its secret. It cannot be shown again."""
    made = env.send(webhooks.create_webhook(webhook))
    _print_secret(env, made, f"The secret of the webhook {made.id}.")


@command("webhooks")
def test(env: Environment, webhook: WebhookArgument) -> None:
    """Send a test event. A worker delivers it."""
    found, delivery = env.on(_find_webhook, webhook, lambda found: webhooks.send_test_event(found.id))
    env.print_result(delivery, f"A worker sends {delivery.id} to {found.url}.")


@command("webhooks", json=False)
def remove(env: Environment, webhook: WebhookArgument) -> None:
    """Remove a webhook with its deliveries."""
    found, _ = env.on(_find_webhook, webhook, lambda found: webhooks.delete_webhook(found.id))
    env.print_note(f"Removed the webhook {found.url}.")


def _state_webhook(webhook: WebhookView) -> str:
    if webhook.enabled:
        return f"fails since {moment(webhook.failing_since)}" if webhook.failing_since else "on"
    return f"off: {webhook.disabled_because}" if webhook.disabled_because else "off"


_find_watch = one_of(watches.list_watches(), "id", what="watch")


@list_command("watches")
def list_watches(env: Environment) -> None:
    """List the feeds of sources that turn or fall."""
    env.show_list(
        env.newest(watches.list_watches()),
        {"id": "id", "source": lambda watch: watch.source_id or "all", "by": "created_by", "made (UTC)": "created_at"},
        if_empty="There are no feeds: `credence watches add`.",
        fixed=("id",),
    )


@command("watches", "add")
def add_watch(
    env: Environment,
    source: Annotated[str | None, typer.Argument(help="The only source that it tells of; without one, all.")] = None,
) -> None:
    """Make a feed and print its path. It cannot be shown again."""
    made = env.send(watches.create_watch(parse_input(WatchInput, source=source)))
    env.print_result(made, made.path)


@command("watches", "remove", json=False)
def remove_watch(env: Environment, watch: Annotated[str, typer.Argument(help="The id, as in the list.")]) -> None:
    """End a feed."""
    found, _ = env.on(_find_watch, watch, lambda found: watches.remove_watch(found.id))
    env.print_note(f"Removed the feed {found.id}.")


@command("audit", corpus=False)
def audit(
    env: Environment,
    name: Annotated[
        str | None, typer.Option("--corpus", "-c", metavar="NAME", help="Changes in one corpus only.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=PAGE_ROWS, help="Show the newest N.")] = 50,
) -> None:
    everywhere = corpora.list_changes(limit=limit)
    events = env.send(everywhere if name is None else corpora.list_corpus_changes(corpus=name, limit=limit)).items
    env.show_list(
        events[::-1],
        {
            "when": "created_at",
            "who": lambda event: f"{event.actor} {event.key_name or ''} {event.address or ''}",
            "what": "action",
            "before": lambda event: json.dumps(event.before or {}, ensure_ascii=False),
            "after": lambda event: json.dumps(event.after or {}, ensure_ascii=False),
        },
        if_empty="Nothing was changed yet.",
        fixed=("what",),
    )
