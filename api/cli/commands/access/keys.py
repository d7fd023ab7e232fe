"""`credence keys`: API keys, their scopes and limits."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer
from rich.text import Text

from api.cli.connection import Service
from api.cli.environment import Environment, parse_input
from api.cli.options import command, list_command
from api.cli.output import cell, moment, print_json, table
from api.cli.parameter_options import parameter_options
from api.client.nouns import keys
from api.http.schemas.keys import KeyView, NewKeyView
from registry.keys.schemas import KeyInput, KeyLimits, KeyPatch, KeyRights, RotationInput, Scope
from registry.platform.errors import InvalidInput, NotFound

app = typer.Typer(add_completion=False)

OperatorOption = Annotated[bool, typer.Option("--operator", help="A key for all corpora.")]
DaysOption = Annotated[int | None, typer.Option(min=1, max=36500, help="Days until it expires.")]
AddressOption = Annotated[
    list[str] | None, typer.Option("--from", help="An address or network from which the key works; repeat for more.")
]
KeyArgument = Annotated[str, typer.Argument(help="The key's first characters, as in the list, or its id.")]


@list_command(app)
def list_keys(
    env: Environment,
    operator: OperatorOption = False,
) -> None:
    """List the keys, by their first characters."""

    with env.service() as service:
        listed = service.newest(keys.list_keys(corpus=_owner(env, operator=operator)))
    rows = table("key", "name", "scopes", "state", "used of its limits", "last used", fixed=("key", "last used"))
    for key in listed:
        state = _state(key)
        styled = Text(state, style="" if state == "active" else "dim")
        scopes = ", ".join(key.scopes)
        rows.add_row(f"{key.prefix}…", cell(key.name), scopes, styled, _spent(key), moment(key.last_used_at))
    env.show_list(listed, rows, if_empty="There are no keys yet: `credence keys create`.")


@command(app)
@parameter_options(KeyRights, daily_model_calls="--daily-calls", sources="--source", groups="--group")
def create(
    env: Environment,
    name: Annotated[str, typer.Argument(help="Name of the key: its owner or purpose.")],
    scope: Annotated[list[Scope], typer.Option("--scope", "-s", help="A scope of the key; repeat for more.")],
    parameters: KeyRights,
    days: DaysOption = None,
    address: AddressOption = None,
    operator: OperatorOption = False,
) -> None:
    """Create a key and print it. It cannot be shown again."""
    values = parse_input(
        KeyInput,
        name=name,
        scopes=frozenset(scope),
        expires_at=_after(days),
        allowed_addresses=address,
        **parameters.model_dump(),
    )

    _print_secret(env, env.send(keys.create_key(values, corpus=_owner(env, operator=operator))))


@command(app)
def rotate(
    env: Environment,
    key: KeyArgument,
    overlap_hours: Annotated[float, typer.Option(min=0, help="How long the former secret stays valid.")] = 24,
    operator: OperatorOption = False,
) -> None:
    """Give a key a new secret and print it. The former secret stays valid for a while."""
    values = parse_input(RotationInput, overlap_seconds=round(overlap_hours * 3600))

    owner = _owner(env, operator=operator)
    with env.service() as service:
        found = _find(service, owner, key)
        _print_secret(env, service.send(keys.rotate_key(found.id, values, corpus=owner)))


@command(app)
@parameter_options(KeyRights, daily_model_calls="--daily-calls", sources="--source", groups="--group")
def update(
    env: Environment,
    key: KeyArgument,
    parameters: KeyRights,
    days: DaysOption = None,
    address: AddressOption = None,
    unlimited: Annotated[bool, typer.Option(help="Remove the limits that are not given.")] = False,
    operator: OperatorOption = False,
) -> None:
    """Change the limits, expiry, addresses, sources or groups of a key. Its secret stays the same."""
    limits = (dict.fromkeys(KeyLimits.model_fields) if unlimited else {}) | parameters.model_dump(exclude_unset=True)
    patch = parse_input(KeyPatch, expires_at=_after(days), allowed_addresses=address).model_copy(update=limits)

    owner = _owner(env, operator=operator)
    with env.service() as service:
        found = _find(service, owner, key)
        changed = service.send(keys.update_key(found.id, patch, corpus=owner))
    env.print_result(changed, f"Changed {changed.name} ({changed.prefix}…).")


@command(app)
def revoke(
    env: Environment,
    key: KeyArgument,
    operator: OperatorOption = False,
) -> None:
    """Revoke a key."""

    owner = _owner(env, operator=operator)
    with env.service() as service:
        found = _find(service, owner, key)
        service.send(keys.revoke_key(found.id, corpus=owner))
        revoked = _find(service, owner, str(found.id))
    env.print_result(revoked, f"Revoked {revoked.name} ({revoked.prefix}…).")


def _after(days: int | None) -> datetime | None:
    return datetime.now(UTC) + timedelta(days=days) if days else None


def _spent(key: KeyView) -> Text:
    """The use of a key's limits, those of a day and those of what is stored."""
    spent, stored = key.spent_today, key.stored
    parts = (
        (spent and spent.model_calls, key.daily_model_calls, "calls"),
        (spent and spent.tokens, key.daily_tokens, "tokens"),
        (spent and spent.questions, key.daily_questions, "questions"),
        (stored and stored.documents, key.max_documents, "documents"),
        (stored and stored.bytes, key.max_stored_bytes, "bytes"),
    )
    limited = "; ".join(f"{used or 0:,} of {most:,} {what}" for used, most, what in parts if most is not None)
    return cell(limited) if limited else cell("-", "dim")


def _print_secret(env: Environment, key: NewKeyView) -> None:
    if env.as_json:
        print_json(key)
        return
    env.err.print(Text(f"The key {key.id}, for {', '.join(key.scopes)}. It is shown only now:"), soft_wrap=True)
    env.out.print(Text(key.secret), soft_wrap=True)


def _find(service: Service, owner: str | None, ref: str) -> KeyView:
    """A key by its id or its first characters; two keys that begin alike are told apart by their ids."""
    listed = service.newest(keys.list_keys(corpus=owner))
    matches = [key for key in listed if ref.rstrip("…") in {key.prefix, str(key.id)}]
    if len(matches) > 1:
        raise InvalidInput(f"Several keys begin with {ref}; give the id, from `credence keys --json`.")
    if not matches:
        raise NotFound("API key", ref)
    return matches[0]


def _owner(env: Environment, *, operator: bool) -> str | None:
    return None if operator else env.corpus


def _state(key: KeyView) -> str:
    if key.revoked_at is not None:
        return "revoked"
    if key.expires_at is None:
        return "active"
    return f"until {moment(key.expires_at)}" if key.expires_at > datetime.now(UTC) else "expired"
