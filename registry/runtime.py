"""The runtime of a process: settings, database, embedder, reader, judges, chat model, job queue."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from procrastinate import App

import registry.tables  # noqa: F401  (so that foreign keys find their tables)
from answering.embedders import Embedder
from answering.models import Chat
from answering.providers import provider_named
from answering.readers import READERS, ChatReader, Reader
from registry.documents.model import EmbeddingSpace
from registry.keys.quotas import Account, ChargedChat, ChargedReader
from registry.platform.concurrency import BackgroundSlots, Processes, in_background
from registry.platform.database import embedded
from registry.platform.database.engine import Database
from registry.platform.database.job_queue import open_queue
from registry.platform.database.supervisor import Supervisor, supervised
from registry.platform.errors import SettingsError
from registry.platform.providers import (
    Judges,
    build_chat,
    build_embedder,
    build_reader,
    knows_language,
    no_chat_error,
    no_reader_error,
)
from registry.platform.settings import Settings

OTHER_READER = (
    "The estimation was read by {then}, and {now} reads now. Each reader errs in its own way, so that the "
    "reliabilities may be off: estimate again (`credence estimate`), or go back to the former reader (CREDENCE_READER)."
)

SchemaCheck: TypeAlias = Callable[[Database], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Runtime:
    """The resources of a process, made once at its start and handed down."""

    settings: Settings
    database: Database
    embedder: Embedder
    reader: Reader | None
    jobs: App
    judges: Judges = field(default_factory=Judges)
    chat: Chat | None = None
    supervisor: Supervisor | None = None
    """Supervisor of the embedded server; None with a `DATABASE_URL`."""
    processes: Processes | None = None
    """Processes that extract the text of documents; None: threads of this process do."""
    file_processes: Processes | None = None
    """Processes that read files, pages and tables of connectors, each a location at a time; None: as above."""
    reading_slots: asyncio.Semaphore | None = None
    """A reading holds one until it is stored, so that a killed process repeats at most one a slot; None: no limit."""
    background_slots: BackgroundSlots | None = None
    """Those of the same slots that readings may hold for which nobody waits; None: no limit."""

    def require_reader(self) -> Reader:
        """The reader; raises `SettingsError` if none is configured."""
        if self.reader is None:
            raise no_reader_error()
        return self.reader

    def reader_for(self, question: str) -> Reader:
        """The reader of a question: the language model, if there is one, where the reader does not know its language.

        Raises `SettingsError` if no reader is configured.
        """
        reader = self.require_reader()
        if self.chat is None or knows_language(self.settings, question):
            return reader
        return ChatReader(self.chat)

    def reader_change(self, run_reader: str | None) -> str | None:
        """A warning if a run was read by another reader than the one that reads now; None otherwise."""
        if run_reader is None or self.reader is None or run_reader == self.reader.name:
            return None
        return OTHER_READER.format(then=run_reader, now=self.reader.name)

    def require_chat(self) -> Chat:
        """The language model; raises `SettingsError` if none is configured."""
        if self.chat is None:
            raise no_chat_error()
        return self.chat

    def charged_to(self, account: Account | None) -> "Runtime":
        """A runtime whose calls of language models, in readers, judges and debates, count against the allowance."""
        if account is None:
            return self
        chat = self.chat and ChargedChat(self.chat, account)
        judges = self.judges.with_chat(chat) if chat is not None else self.judges
        reader = self.reader
        if reader is not None and provider_named(READERS, self.settings.reader).calls_model:
            reader = ChargedReader(reader, account)
        return replace(self, chat=chat, reader=reader, judges=judges)


@asynccontextmanager
async def open_runtime(
    settings: Settings,
    *,
    check_schema: SchemaCheck,
    reader: Reader | None = None,
    embedder: Embedder | None = None,
) -> AsyncIterator[Runtime]:
    """The runtime of a process, for as long as the block lasts.

    `check_schema` raises `SchemaOutdated` if the database is not at the revision of this code; the registry cannot know
    it, since the migrations import the registry. Raises `DatabaseUnavailable` if Postgres does not answer, and
    `SettingsError` if the embedder does not fit the embeddings already there.
    """
    async with AsyncExitStack() as stack:
        database = Database.from_settings(settings)
        supervisor = None
        if settings.database_url is None:
            supervisor = await stack.enter_async_context(supervised(embedded.server_of(settings.data_dir)))
        stack.push_async_callback(database.aclose)
        await check_schema(database)
        embedder = embedder or build_embedder(settings)
        await check_embedding_space(database, embedder)
        if reader is None:
            reader = build_reader(settings)
            if reader is not None:
                stack.push_async_callback(reader.aclose)
        chat = build_chat(settings)
        if chat is not None:
            stack.push_async_callback(chat.aclose)
        judges = Judges(chat)
        stack.push_async_callback(judges.aclose)
        jobs = await stack.enter_async_context(open_queue(database.direct_url))
        if database.replica is not None:
            await stack.enter_async_context(in_background(database.replica.watch()))
        slots = asyncio.Semaphore(settings.reader_concurrency)
        processes, file_processes = (_processes(stack, settings.extraction_processes) for _ in range(2))
        yield Runtime(
            *(settings, database, embedder, reader, jobs, judges, chat, supervisor),
            processes=processes,
            file_processes=file_processes,
            reading_slots=slots,
            background_slots=BackgroundSlots(slots, settings.reader_concurrency),
        )


def _processes(stack: AsyncExitStack, count: int) -> Processes | None:
    if not count:
        return None
    processes = Processes(count)
    stack.push_async_callback(processes.aclose)
    return processes


async def check_embedding_space(database: Database, embedder: Embedder) -> None:
    """Raise `SettingsError` if the passages already there were embedded by something else."""
    async with database.begin() as session:
        space = await session.get(EmbeddingSpace, True)
    if space is not None and (space.embedder, space.dimension) != (embedder.name, embedder.dimension):
        raise SettingsError(
            f"The passages in this database were embedded by {space.embedder} ({space.dimension} numbers), but the "
            f"settings name {embedder.name} ({embedder.dimension}). Go back to the former one, or embed them anew with "
            "`credence embed`."
        )
