"""`credence keys`: API keys, their scopes and limits."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer
from rich.text import Text
from sqlalchemy.ext.asyncio import AsyncSession

from api.cli.environment import Environment, newest, parse_input
from api.cli.options import command, list_command
from api.cli.output import cell, moment, print_json, print_lines, print_table, table
from api.cli.parameter_options import parameter_options
from api.http.schemas.keys import KeyView, NewKeyView
from registry.access import key_store, keys
from registry.access.usage import usage_of
from registry.errors import InvalidInput, NotFound
from registry.inputs.keys import KeyInput, KeyLimits, KeyPatch, KeyRights, RotationInput, Scope
from registry.models import ApiKey, Corpus
from registry.store import corpora

app = typer.Typer(add_completion=False)

OperatorOption = Annotated[bool, typer.Option("--operator", help="A key for all corpora and for managing them.")]
DaysOption = Annotated[int | None, typer.Option(min=1, max=36500, help="Days after which it stops working.")]
AddressOption = Annotated[
    list[str] | None, typer.Option("--from", help="An address or network it may be used from; repeat for more.")
]
KeyArgument = Annotated[str, typer.Argument(help="The key's first characters, as in the list, or its id.")]


@list_command(app)
def list_keys(
    env: Environment,
    operator: OperatorOption = False,
) -> None:
    """Show the keys by their first characters; nobody can show them whole."""

    async def work(session: AsyncSession) -> list[KeyView]:
        owner = await _owner(session, env, operator=operator)
        rows = await _all(session, owner)
        return [KeyView.of(key, used) for key, used in zip(rows, await usage_of(session, rows), strict=True)]

    listed = env.in_transaction(work)
    if env.as_json:
        print_lines(listed)
        return
    rows = table("key", "name", "scopes", "state", "used of its limits", "last used", fixed=("key", "last used"))
    for key in listed:
        state = _state(key)
        styled = Text(state, style="" if state == "active" else "dim")
        scopes = ", ".join(key.scopes)
        rows.add_row(f"{key.prefix}…", cell(key.name), scopes, styled, _spent(key), moment(key.last_used_at))
    print_table(env.out, rows, if_empty="There are no keys yet: `credence keys create`.")


@command(app)
@parameter_options(KeyRights, daily_model_calls="--daily-calls", sources="--source")
def create(
    env: Environment,
    name: Annotated[str, typer.Argument(help="Whose key it is, or what for.")],
    scope: Annotated[list[Scope], typer.Option("--scope", "-s", help="What it may do; repeat for more.")],
    parameters: KeyRights,
    days: DaysOption = None,
    address: AddressOption = None,
    operator: OperatorOption = False,
) -> None:
    """Make a key and print it, once."""
    values = parse_input(
        KeyInput,
        name=name,
        scopes=frozenset(scope),
        expires_at=_after(days),
        allowed_addresses=address,
        **parameters.model_dump(),
    )

    async def work(session: AsyncSession) -> NewKeyView:
        owner = await _owner(session, env, operator=operator)
        return await _new(session, *await keys.create(session, owner, values))

    _print_secret(env, env.in_transaction(work))


@command(app)
def rotate(
    env: Environment,
    key: KeyArgument,
    overlap_hours: Annotated[float, typer.Option(min=0, help="How long the former secret stays valid.")] = 24,
    operator: OperatorOption = False,
) -> None:
    """Give a key a new secret and print it, once; the former one stays valid for a while."""
    values = parse_input(RotationInput, overlap_seconds=round(overlap_hours * 3600))

    async def work(session: AsyncSession) -> NewKeyView:
        owner = await _owner(session, env, operator=operator)
        return await _new(session, *await keys.rotate(session, owner, (await _find(session, owner, key)).id, values))

    _print_secret(env, env.in_transaction(work))


@command(app)
@parameter_options(KeyRights, daily_model_calls="--daily-calls", sources="--source")
def update(
    env: Environment,
    key: KeyArgument,
    parameters: KeyRights,
    days: DaysOption = None,
    address: AddressOption = None,
    unlimited: Annotated[bool, typer.Option(help="Remove the limits that are not given.")] = False,
    operator: OperatorOption = False,
) -> None:
    """Change the limits of a key, when it ends, where or for which sources it may be used; its secret stays."""
    limits = (dict.fromkeys(KeyLimits.model_fields) if unlimited else {}) | parameters.model_dump(exclude_unset=True)
    patch = parse_input(KeyPatch, expires_at=_after(days), allowed_addresses=address).model_copy(update=limits)

    async def work(session: AsyncSession) -> KeyView:
        owner = await _owner(session, env, operator=operator)
        found = await _find(session, owner, key)
        changed = await key_store.update(session, owner, found.id, patch)
        (usage,) = await usage_of(session, [changed])
        return KeyView.of(changed, usage)

    changed = env.in_transaction(work)
    env.print_result(changed, f"Changed {changed.name} ({changed.prefix}…).")


@command(app)
def revoke(
    env: Environment,
    key: KeyArgument,
    operator: OperatorOption = False,
) -> None:
    """Make a key useless from now on."""

    async def work(session: AsyncSession) -> ApiKey:
        owner = await _owner(session, env, operator=operator)
        return await key_store.revoke(session, owner, (await _find(session, owner, key)).id)

    revoked = env.in_transaction(work)
    env.print_result(KeyView.model_validate(revoked), f"Revoked {revoked.name} ({revoked.prefix}…).")


def _after(days: int | None) -> datetime | None:
    return datetime.now(UTC) + timedelta(days=days) if days else None


def _spent(key: KeyView) -> Text:
    """What a key uses of its limits, those of a day and those of what is stored."""
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


async def _new(session: AsyncSession, key: ApiKey, secret: str) -> NewKeyView:
    (usage,) = await usage_of(session, [key])
    return NewKeyView(**KeyView.of(key, usage).model_dump(), secret=secret)


def _print_secret(env: Environment, key: NewKeyView) -> None:
    if env.as_json:
        print_json(key)
        return
    env.err.print(Text(f"The key {key.id}, for {', '.join(key.scopes)}. It is shown only now:"), soft_wrap=True)
    env.out.print(Text(key.secret), soft_wrap=True)


async def _all(session: AsyncSession, owner: Corpus | None) -> list[ApiKey]:
    return await newest(lambda cursor, limit: key_store.page(session, owner, cursor=cursor, limit=limit))


async def _find(session: AsyncSession, owner: Corpus | None, ref: str) -> ApiKey:
    """A key by its id or its first characters; two keys that begin alike are told apart by their ids."""
    matches = [key for key in await _all(session, owner) if ref.rstrip("…") in {key.prefix, str(key.id)}]
    if len(matches) > 1:
        raise InvalidInput(f"Several keys begin with {ref}; give the id, from `credence keys --json`.")
    if not matches:
        raise NotFound("API key", ref)
    return matches[0]


async def _owner(session: AsyncSession, env: Environment, *, operator: bool) -> Corpus | None:
    return None if operator else await corpora.get(session, env.corpus)


def _state(key: KeyView) -> str:
    if key.revoked_at is not None:
        return "revoked"
    if key.expires_at is None:
        return "active"
    return f"until {moment(key.expires_at)}" if key.expires_at > datetime.now(UTC) else "expired"
