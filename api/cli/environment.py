"""What commands work with: the settings, the database, a runtime, and consoles for output and for errors."""

import asyncio
import getpass
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol, TypeAlias, TypeVar

from pydantic import BaseModel, ValidationError
from rich.console import Console
from rich.text import Text
from sqlalchemy.ext.asyncio import AsyncSession

from api.cli.output import print_json
from api.cli.schema import bring_up_to_date
from api.text import clean
from migrations.control import check_schema
from registry.database.engine import Database
from registry.database.paging import MAX_LIMIT, Page
from registry.errors import InvalidInput, SettingsError
from registry.models import Corpus
from registry.runtime import Runtime, open_runtime
from registry.settings import Settings
from registry.store import corpora

DEFAULT_CORPUS = "default"
# Where the operating system does not know the user.
UNKNOWN_USER = "command line"
Result = TypeVar("Result")
Input = TypeVar("Input", bound=BaseModel)
Row = TypeVar("Row")
PageAfter: TypeAlias = Callable[[str | None, int], Awaitable[Page[Row]]]


class RuntimeFactory(Protocol):
    """Opens the runtime that commands read and embed with."""

    def __call__(self, settings: Settings) -> AbstractAsyncContextManager[Runtime]: ...


_OPEN_RUNTIME: RuntimeFactory = partial(open_runtime, check_schema=check_schema)


def load_settings() -> Settings:
    """The settings in the environment; raises `SettingsError` naming every variable that is wrong."""
    try:
        return Settings()
    except ValidationError as error:
        raise SettingsError(f"A setting is not valid: {validation_message(error, prefix='CREDENCE_')}") from error


@dataclass(frozen=True, slots=True)
class Environment:
    """The surroundings of one command; tests hand in their own."""

    load_settings: Callable[[], Settings] = load_settings
    open_runtime: RuntimeFactory = _OPEN_RUNTIME
    out: Console = field(default_factory=lambda: Console(highlight=False))
    err: Console = field(default_factory=lambda: Console(highlight=False, stderr=True))
    corpus: str = DEFAULT_CORPUS
    as_json: bool = False

    def print_result(self, view: BaseModel, line: str) -> None:
        """Print the result of a command: as JSON if that was asked for, otherwise `line`."""
        if self.as_json:
            print_json(view)
        else:
            self.out.print(Text(clean(line)), soft_wrap=True)

    def print_note(self, line: str) -> None:
        """Print a line to standard error."""
        self.err.print(Text(clean(line)), soft_wrap=True)

    @asynccontextmanager
    async def open_database(self) -> AsyncIterator[Database]:
        """The database alone, for commands that neither read nor embed; raises `SchemaOutdated` if it does not fit."""
        settings = self.load_settings()
        await asyncio.to_thread(self._set_up_if_empty, settings)
        database = Database.from_settings(settings)
        try:
            yield database
        finally:
            await database.aclose()

    def in_transaction(self, work: Callable[[AsyncSession], Awaitable[Result]]) -> Result:
        """Do `work` in one transaction."""

        async def run() -> Result:
            async with self.open_database() as database, database.begin() as session:
                return await work(session)

        return asyncio.run(run())

    def in_corpus(self, work: Callable[[AsyncSession, Corpus], Awaitable[Result]]) -> Result:
        """Do `work` in one transaction with the corpus."""

        async def run(session: AsyncSession) -> Result:
            return await work(session, await corpora.get(session, self.corpus))

        return self.in_transaction(run)

    def with_runtime(self, work: Callable[[Runtime, Corpus], Awaitable[Result]]) -> Result:
        """Do `work` with a runtime and the corpus."""

        async def run() -> Result:
            settings = self.load_settings()
            await asyncio.to_thread(self._set_up_if_empty, settings)
            async with self.open_runtime(settings) as runtime:
                async with runtime.database.begin() as session:
                    corpus = await corpora.get(session, self.corpus)
                return await work(runtime, corpus)

        return asyncio.run(run())

    def _set_up_if_empty(self, settings: Settings) -> None:
        bring_up_to_date(settings, self.print_note, only_empty=True)

    def announce(self, text: str, runtime: Runtime) -> None:
        """Say that a process has begun its work, and whether it can read."""
        self.err.print(Text(text, style="bold"), soft_wrap=True)
        if runtime.reader is None:
            self.print_note("No reader is configured: set CREDENCE_READER to estimate and answer.")


def parse_input(model: type[Input], **fields: object) -> Input:
    """What the user typed as `model`, validated as HTTP does; fields that are None were left out.

    Raises `InvalidInput` naming every field that is wrong.
    """
    try:
        return model.model_validate({name: value for name, value in fields.items() if value is not None})
    except ValidationError as error:
        raise InvalidInput(f"Not valid: {validation_message(error)}") from error


def validation_message(error: ValidationError, *, prefix: str = "") -> str:
    """What pydantic complains about, on one line, without repeating the input (it may be a secret)."""
    messages = []
    for detail in error.errors(include_url=False, include_input=False, include_context=False):
        name = ".".join(map(str, detail["loc"]))
        message = detail["msg"].removeprefix("Value error, ")
        messages.append(f"{prefix + name.upper() if prefix else name}: {message}" if name else message)
    return "; ".join(messages)


async def newest(page_after: PageAfter[Row], limit: int = 0) -> list[Row]:
    """The last `limit` rows of a list that is paged from the oldest on; 0 is all of them.

    `page_after` returns one page, given the cursor where it starts and how long it may be.
    """
    rows: deque[Row] = deque(maxlen=limit or None)
    cursor: str | None = None
    while True:
        page = await page_after(cursor, MAX_LIMIT)
        rows.extend(page.items)
        cursor = page.next_cursor
        if cursor is None:
            return list(rows)


def user_name() -> str:
    """Who is logged in: stored as who set an override, a rating or a verdict."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return UNKNOWN_USER
