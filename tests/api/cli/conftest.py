"""Commands run in this process on a real database; only the reader is scripted."""

import asyncio
import functools
import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

import pytest
import structlog
import typer.testing
from rich.console import Console

from answering.embedders import Embedder
from answering.readers import Reader
from api.cli.application import app
from api.cli.environment import Environment
from migrations.control import check_schema
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.platform.database.engine import resolve_url
from registry.platform.settings import Settings
from registry.runtime import Runtime, open_runtime
from tests.registry.world import TOWERS, build, colour_reader
from tests.remembered import State, connected, restore, save

WIDTH = 120
# A process makes its commands once.
typer.testing._get_command = functools.cache(typer.testing._get_command)  # type: ignore[attr-defined]
_estimated: dict[str, State] = {}


@dataclass(frozen=True, slots=True)
class CommandResult:
    """Output and status of a command."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """Standard output as one JSON document."""
        parsed: dict[str, Any] = json.loads(self.out)
        return parsed

    @property
    def documents(self) -> list[dict[str, Any]]:
        """Standard output as NDJSON."""
        return [json.loads(line) for line in self.out.splitlines()]


class Credence:
    """Runs commands with fixed settings, an embedder and a reader."""

    def __init__(self, settings: Settings, embedder: Embedder, reader: Reader | None) -> None:
        self.settings = settings
        self.reader = reader
        self.columns = WIDTH
        self.before: tuple[str, ...] = ()
        self._embedder = embedder

    def open_runtime(self, settings: Settings) -> AbstractAsyncContextManager[Runtime]:
        return open_runtime(settings, check_schema=check_schema, reader=self.reader, embedder=self._embedder)

    def environment(self) -> Environment:
        return Environment(
            load_settings=lambda: self.settings,
            open_runtime=self.open_runtime,
            out=Console(highlight=False, width=self.columns),
            err=Console(highlight=False, stderr=True, width=self.columns),
        )

    def __call__(self, *args: str, stdin: str | bytes | None = None) -> CommandResult:
        result = typer.testing.CliRunner().invoke(
            app, [*self.before, *args], input=stdin, obj=self.environment(), catch_exceptions=False
        )
        return CommandResult(result.exit_code, result.stdout, result.stderr)

    def done(self, *args: str, stdin: str | bytes | None = None) -> CommandResult:
        """Run a command that must succeed."""
        result = self(*args, stdin=stdin)
        assert result.status == 0, result
        return result

    def refused(self, *args: str, status: int = 1, stdin: str | bytes | None = None) -> str:
        """Run a command that must fail, for a reason; returns the reason."""
        result = self(*args, stdin=stdin)
        assert result.status == status, result
        assert "Traceback" not in result.err
        assert result.err.strip()
        return result.err

    def with_runtime(self, work: Callable[[Runtime, Corpus], Any]) -> Any:  # noqa: ANN401  (whatever work returns)
        """Do what no command does."""

        async def run() -> Any:  # noqa: ANN401
            async with self.open_runtime(self.settings) as runtime:
                async with runtime.database.begin() as session:
                    corpus = await corpora.get(session, "default")
                return await work(runtime, corpus)

        return asyncio.run(run())

    def build(self, stated: Mapping[str, Mapping[str, str]], asked: Sequence[str] = ()) -> None:
        """Sources, their documents, and queries."""
        self.with_runtime(lambda runtime, corpus: build(runtime, corpus, stated, asked))

    def estimated(self, stated: Mapping[str, Mapping[str, str]], *options: str) -> None:
        """Sources that were compared on all towers: estimated once in a process, then copied back."""
        key = repr((stated, options))
        url = resolve_url(self.settings)
        if key in _estimated:
            with connected(url) as connection:
                restore(connection, _estimated[key])
            return
        self.build(stated, TOWERS)
        self.done("estimate", *options)
        with connected(url) as connection:
            _estimated[key] = save(connection)


@pytest.fixture(autouse=True)
def logging_restored() -> Iterator[None]:
    """Commands set up logging for their process, which here is the tests'."""
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    yield
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


@pytest.fixture
def credence(settings: Settings, embedder: Embedder) -> Credence:
    """The command, with a reader that finds the colours of towers."""
    return Credence(settings, embedder, colour_reader())
