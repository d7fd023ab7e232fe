"""`credence keys`: API keys, their scopes and limits."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer
from rich.text import Text
from sqlalchemy.ext.asyncio import AsyncSession

from api.cli.environment import Environment, newest, parse_input
from api.cli.options import command, list_command
from api.cli.output import cell, moment, print_json, print_lines, print_table, table
from api.http.schemas.keys import KeyView, NewKeyView
from registry.access import key_store, keys
from registry.access.key_store import spent_today
from registry.errors import InvalidInput, NotFound
from registry.inputs.keys import KeyInput, Scope
from registry.models import ApiKey, Corpus
from registry.store import corpora

app = typer.Typer(add_completion=False)

OperatorOption = Annotated[bool, typer.Option("--operator", help="A key for all corpora and for managing them.")]


@list_command(app)
def list_keys(
    env: Environment,
    operator: OperatorOption = False,
) -> None:
    """Show the keys by their first characters; nobody can show them whole."""

    async def work(session: AsyncSession) -> list[KeyView]:
        owner = await _owner(session, env, operator=operator)
        rows = await _all(session, owner)
        spent = await spent_today(session, [key.id for key in rows])
        return [KeyView.of(key, spent) for key in rows]

    listed = env.in_transaction(work)
    if env.as_json:
        print_lines(listed)
        return
    rows = table("key", "name", "scopes", "state", "spent today", "created", fixed=("key", "created"))
    for key in listed:
        state = _state(key)
        styled = Text(state, style="" if state == "active" else "dim")
        scopes = ", ".join(key.scopes)
        rows.add_row(f"{key.prefix}…", cell(key.name), scopes, styled, _spent(key), moment(key.created_at))
    print_table(env.out, rows, if_empty="There are no keys yet: `credence keys create`.")


@command(app)
def create(
    env: Environment,
    name: Annotated[str, typer.Argument(help="Whose key it is, or what for.")],
    scope: Annotated[list[Scope], typer.Option("--scope", "-s", help="What it may do; repeat for more.")],
    days: Annotated[int | None, typer.Option(min=1, max=36500, help="Days after which it stops working.")] = None,
    daily_calls: Annotated[int | None, typer.Option(min=0, help="Calls of language models a day.")] = None,
    daily_tokens: Annotated[int | None, typer.Option(min=0, help="Tokens of language models a day.")] = None,
    operator: OperatorOption = False,
) -> None:
    """Make a key and print it, once."""
    expires_at = datetime.now(UTC) + timedelta(days=days) if days else None
    values = parse_input(
        KeyInput,
        name=name,
        scopes=frozenset(scope),
        expires_at=expires_at,
        daily_model_calls=daily_calls,
        daily_tokens=daily_tokens,
    )

    async def work(session: AsyncSession) -> tuple[ApiKey, str]:
        return await keys.create(session, await _owner(session, env, operator=operator), values)

    key, secret = env.in_transaction(work)
    if env.as_json:
        print_json(NewKeyView(**KeyView.of(key, {}).model_dump(), secret=secret))
        return
    env.err.print(Text(f"The key {key.id}, for {', '.join(key.scopes)}. It is shown only now:"), soft_wrap=True)
    env.out.print(Text(secret), soft_wrap=True)


@command(app)
def revoke(
    env: Environment,
    key: Annotated[str, typer.Argument(help="The key's first characters, as in the list, or its id.")],
    operator: OperatorOption = False,
) -> None:
    """Make a key useless from now on."""

    async def work(session: AsyncSession) -> ApiKey:
        owner = await _owner(session, env, operator=operator)
        return await key_store.revoke(session, owner, (await _find(session, owner, key)).id)

    revoked = env.in_transaction(work)
    env.print_result(KeyView.model_validate(revoked), f"Revoked {revoked.name} ({revoked.prefix}…).")


def _spent(key: KeyView) -> Text:
    """What a key has spent today, of its limits."""
    if key.spent_today is None:
        return cell("-", "dim")
    parts = (
        (key.spent_today.model_calls, key.daily_model_calls, "calls"),
        (key.spent_today.tokens, key.daily_tokens, "tokens"),
    )
    return cell("; ".join(f"{spent:,} of {most:,} {what}" for spent, most, what in parts if most is not None))


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
