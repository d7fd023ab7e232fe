"""What commands work with: settings, database, runtime, two consoles."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol, TypeVar

import typer
from pydantic import BaseModel, ValidationError
from rich.console import Console
from sqlalchemy.ext.asyncio import AsyncSession

from migrations.control import check_schema
from registry.database.engine import Database
from registry.errors import InvalidInput, SettingsError
from registry.models import Corpus
from registry.runtime import Runtime, open_runtime
from registry.settings import Settings
from registry.store import corpora

Result = TypeVar("Result")
Input = TypeVar("Input", bound=BaseModel)


class RuntimeFactory(Protocol):
    """Opens the runtime that commands read and embed with."""

    def __call__(self, settings: Settings) -> AbstractAsyncContextManager[Runtime]: ...


_OPEN_RUNTIME: RuntimeFactory = partial(open_runtime, check_schema=check_schema)


def load_settings() -> Settings:
    """The settings in the environment; raises `SettingsError` naming every variable that is wrong."""
    try:
        return Settings()
    except ValidationError as error:
        raise SettingsError(f"A setting is not valid: {describe(error, prefix='CREDENCE_')}") from error


@dataclass(frozen=True, slots=True)
class Terminal:
    """Handed to every command; tests hand in another one."""

    load_settings: Callable[[], Settings] = load_settings
    open_runtime: RuntimeFactory = _OPEN_RUNTIME
    out: Console = field(default_factory=lambda: Console(highlight=False))
    err: Console = field(default_factory=lambda: Console(highlight=False, stderr=True))

    @asynccontextmanager
    async def open_database(self) -> AsyncIterator[Database]:
        """The database alone, for commands that neither read nor embed; raises `SchemaOutdated` if it does not fit."""
        database = Database.from_settings(self.load_settings())
        try:
            await check_schema(database)
            yield database
        finally:
            await database.aclose()

    def in_database(self, work: Callable[[AsyncSession], Awaitable[Result]]) -> Result:
        """Do `work` in one transaction."""

        async def run() -> Result:
            async with self.open_database() as database, database.begin() as session:
                return await work(session)

        return asyncio.run(run())

    def in_corpus(self, name: str, work: Callable[[AsyncSession, Corpus], Awaitable[Result]]) -> Result:
        """Do `work` in one transaction with the corpus of that name."""

        async def run(session: AsyncSession) -> Result:
            return await work(session, await corpora.get(session, name))

        return self.in_database(run)

    def with_runtime(self, name: str, work: Callable[[Runtime, Corpus], Awaitable[Result]]) -> Result:
        """Do `work` with a runtime and the corpus of that name."""

        async def run() -> Result:
            async with self.open_runtime(self.load_settings()) as runtime:
                async with runtime.database.begin() as session:
                    corpus = await corpora.get(session, name)
                return await work(runtime, corpus)

        return asyncio.run(run())


def terminal_of(ctx: typer.Context) -> Terminal:
    """The terminal of the command that `ctx` belongs to."""
    return ctx.ensure_object(Terminal)


def given(kind: type[Input], **fields: object) -> Input:
    """What the user typed, checked as HTTP checks it; None stands for an option left out."""
    try:
        return kind.model_validate({name: value for name, value in fields.items() if value is not None})
    except ValidationError as error:
        raise InvalidInput(f"Not valid: {describe(error)}") from error


def describe(error: ValidationError, *, prefix: str = "") -> str:
    """What pydantic complains about, on one line, without repeating the input (it may be a secret)."""
    faults = []
    for one in error.errors(include_url=False, include_input=False, include_context=False):
        name = ".".join(map(str, one["loc"]))
        message = one["msg"].removeprefix("Value error, ")
        faults.append(f"{prefix + name.upper() if prefix else name}: {message}" if name else message)
    return "; ".join(faults)
