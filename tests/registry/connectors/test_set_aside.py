"""A file that cannot be read, or ends the process that reads it, is set aside, and the rest is read."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from registry.connectors import files
from registry.connectors import service as connectors
from registry.connectors.connector import Content, Listing, Location, Seen
from registry.connectors.kinds.folder import FolderConnector
from registry.connectors.model import Connector
from registry.connectors.result_schemas import ConnectorReport
from registry.corpora.model import Corpus
from registry.platform.errors import DatabaseUnavailable, Unreadable
from registry.runtime import Runtime
from tests.fakes.web_server import FakeWebServer, Reply
from tests.registry.connectors.keeping import make, run, stored

DEADLY = "b.txt"


class ProcessEnded(BaseException):
    """Nothing after it is done, as nothing is after `kill -9`."""


Read = Callable[[FolderConnector, Location, Seen], Awaitable[Content]]


@pytest.fixture
async def press(runtime: Runtime, corpus: Corpus, tmp_path: Path) -> Connector:
    for name in ("a.txt", DEADLY, "c.txt"):
        (tmp_path / name).write_text(f"The tower of {name} is red.")
    return await make(runtime, corpus, "folder", path=str(tmp_path), source="Herald")


def reads(monkeypatch: pytest.MonkeyPatch, instead: Callable[[], Awaitable[None]]) -> list[str]:
    """Do something else before the deadly file is read; returns the names of files as they are read."""
    names: list[str] = []
    original: Read = FolderConnector.read

    async def read(self: FolderConnector, location: Location, seen: Seen, /) -> Content:
        names.append(Path(location.key).name)
        if names[-1] == DEADLY:
            await instead()
        return await original(self, location, seen)

    monkeypatch.setattr(FolderConnector, "read", read)
    return names


async def end_process() -> None:
    raise ProcessEnded


async def begin(runtime: Runtime, corpus: Corpus, connector: Connector) -> None:
    await connectors.start(runtime, corpus, connector.id)


async def now(runtime: Runtime, connector: Connector) -> Connector:
    async with runtime.database.begin() as session:
        return await session.get_one(Connector, connector.id)


async def contents(runtime: Runtime) -> set[str]:
    return {name for _, name in await stored(runtime)}


async def test_a_file_that_ended_the_process_twice_is_set_aside_and_the_rest_goes_on(
    runtime: Runtime, corpus: Corpus, press: Connector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        names = reads(patch, end_process)
        await begin(runtime, corpus, press)
        for _ in range(2):
            with pytest.raises(BaseException, match=r"|") as ended:
                await connectors.run(runtime, press.id)
            assert isinstance(ended.value, ProcessEnded) or ended.group_contains(ProcessEnded)
        assert (await now(runtime, press)).reading == DEADLY
        assert await connectors.run(runtime, press.id)
        for _ in range(2):
            row = await now(runtime, press)
            report = ConnectorReport.model_validate(row.report)
            assert (row.status, report.failed) == ("succeeded", 1)
            assert report.problems[0].location.endswith(DEADLY)
            assert "ended the process twice" in report.problems[0].error
            assert await contents(runtime) == {"a.txt", "c.txt"}
            await begin(runtime, corpus, press)
            await connectors.run(runtime, press.id)
        assert names.count(DEADLY) == 2
    (tmp_path / DEADLY).write_text("It was mended since.")
    await begin(runtime, corpus, press)
    await connectors.run(runtime, press.id)
    assert await contents(runtime) == {"a.txt", DEADLY, "c.txt"}


async def test_a_run_that_ended_the_process_twice_before_it_read_is_set_aside(
    runtime: Runtime, corpus: Corpus, press: Connector, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def end(_self: FolderConnector) -> Listing:
        raise ProcessEnded

    with monkeypatch.context() as patch:
        patch.setattr(FolderConnector, "locations", end)
        await begin(runtime, corpus, press)
        for _ in range(2):
            with pytest.raises(ProcessEnded):
                await connectors.run(runtime, press.id)
        await connectors.run(runtime, press.id)
    row = await now(runtime, press)
    assert row.status == "failed"
    assert "ended twice" in str(row.problem)
    await begin(runtime, corpus, press)
    await connectors.run(runtime, press.id)
    assert await contents(runtime) == {"a.txt", DEADLY, "c.txt"}


async def test_stops_and_outages_are_no_ends_of_a_process(
    runtime: Runtime, corpus: Corpus, press: Connector, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = asyncio.Event()

    async def wait() -> None:
        begun.set()
        await asyncio.Event().wait()

    async def lose_database(*_arguments: object, **_options: object) -> None:
        raise DatabaseUnavailable("away")

    await begin(runtime, corpus, press)
    for _ in range(3):
        with monkeypatch.context() as patch:
            reads(patch, wait)
            begun.clear()
            running = asyncio.create_task(connectors.run(runtime, press.id))
            await begun.wait()
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
    for _ in range(2):
        with monkeypatch.context() as patch:
            patch.setattr("registry.connectors.synchronisation.Synchronisation.complete", lose_database)
            with pytest.raises(DatabaseUnavailable):
                await connectors.run(runtime, press.id)
    await connectors.run(runtime, press.id)
    row = await now(runtime, press)
    assert (row.status, row.interrupted) == ("succeeded", 0)
    assert await contents(runtime) == {"a.txt", DEADLY, "c.txt"}


async def test_slow_files_do_not_keep_those_behind_them_from_being_read(
    runtime: Runtime, press: Connector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All runs together read each once, though one has no time for all of them."""
    converted: list[bytes] = []

    def refuse(content: bytes) -> str:
        converted.append(content)
        time.sleep(0.3)
        raise Unreadable("The file takes too long to read.")

    for name in (b"1", b"2", b"3"):
        (tmp_path / f"0 {name.decode()}.pdf").write_bytes(name)
    monkeypatch.setattr(files, "_pdf_text", refuse)
    runtime = replace(runtime, settings=runtime.settings.model_copy(update={"connector_concurrency": 1}))
    runs = 0
    with monkeypatch.context() as patch:
        patch.setattr(connectors, "RUN_SECONDS", 0.5)
        while await contents(runtime) != {"a.txt", DEADLY, "c.txt"}:
            runs += 1
            assert runs < 20
            await connectors.run_now(runtime, press.id)
    converted.clear()
    report = await run(runtime, press)
    assert (converted, report.failed) == ([], 3)
    assert all("is set aside until it changes" in problem.error for problem in report.problems)
    monkeypatch.setattr(files, "_pdf_text", lambda content: f"The file says {content.decode()}.")
    (tmp_path / "0 2.pdf").write_bytes(b"more")
    report = await run(runtime, press)
    assert (report.created, report.failed) == (1, 2)


async def test_a_page_that_cannot_be_read_is_told_of_until_it_changes(
    local: Runtime, corpus: Corpus, web: FakeWebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    converted: list[bytes] = []

    def refuse(content: bytes) -> str:
        converted.append(content)
        raise Unreadable("The PDF cannot be read.")

    monkeypatch.setattr(files, "_pdf_text", refuse)
    connector = await make(local, corpus, "pages", urls=[f"{web.url}/report"])
    for content, etag in (b"1", None), (b"1", None), (b"2", "2"), (b"2", "2"):
        web.pages["/report"] = Reply(content, media_type="application/pdf", etag=etag)
        assert (await run(local, connector)).failed == 1
    assert converted == [b"1", b"2"]
