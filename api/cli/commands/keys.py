"""`credence keys`: who may do what."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Annotated, TypeVar

import typer
from rich.text import Text

from api.cli.connection import Service, one_of
from api.cli.environment import Environment, parse_input
from api.cli.options import command, list_command
from api.cli.output import moment
from api.cli.parameter_options import parameter_options
from api.client.nouns import keys
from api.http.schemas.keys import KeyView, NewKeyView
from registry.keys.schemas import KeyInput, KeyLimits, KeyPatch, RotationInput

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
    env.print_secret(key, key.secret, f"The key {key.id}, for {', '.join(key.scopes)}.")


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
