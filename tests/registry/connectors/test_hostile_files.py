"""Hostile files of every kind cost themselves at most: the rest is read, and the process that reads lives on."""

import os
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

import pytest

from registry.connectors import reading
from registry.connectors.connector import Content, Location, Seen
from registry.connectors.kinds.folder import FolderConnector
from registry.corpora.model import Corpus
from registry.documents import preparation
from registry.platform.concurrency import Processes
from registry.platform.errors import FetchFailed
from registry.runtime import Runtime
from tests.fakes.hostile_files import ATTACKS, NEEDED, hostile_files
from tests.fakes.hostile_files.draws import SECRET
from tests.fakes.hostile_files.web import warc
from tests.fakes.web_server import FakeWebServer, Reply
from tests.registry.connectors.keeping import make, run, stored

COUNT = int(os.environ.get("HOSTILE_FILES", "3"))
SECRET_LINE = Path(SECRET).read_text(encoding="utf-8").splitlines()[0]
GOOD = "The tower is red."
# The service holds a file, its text and what is made of it; those who are bombed hold what they unpack.
MOST_KIB = 400 * 1024


async def test_a_reason_is_short_and_can_be_stored_whatever_a_library_repeats(
    local: Runtime, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def read(_self: FolderConnector, _location: Location, _seen: Seen, /) -> Content:
        raise FetchFailed("Not read: \x00\ud800" + "x" * 10_000_000)

    monkeypatch.setattr(FolderConnector, "read", read)
    (tmp_path / "a.txt").write_text(GOOD)
    report = await run(local, await make(local, corpus, "folder", path=str(tmp_path), source="Herald"))
    assert report.problems[0].error == ("Not read:  ?" + "x" * 1_000)[:1_000]


@pytest.mark.parametrize("kind", ATTACKS)
async def test_the_rest_is_read_and_the_process_lives_on(
    local: Runtime, corpus: Corpus, tmp_path: Path, web: FakeWebServer, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind in NEEDED and find_spec(NEEDED[kind]) is None:
        pytest.skip(f"{kind} needs {NEEDED[kind]}, of an extra")
    files = dict(enumerate(content for _, content in hostile_files(kind, COUNT)))
    # Enough to import what converts, and to take the text of a page.
    monkeypatch.setattr(reading, "MAX_SECONDS", 6.0)
    monkeypatch.setattr(preparation, "EXTRACT_SECONDS", 2.0)
    processes, file_processes = Processes(1), Processes(1)
    local = replace(local, processes=processes, file_processes=file_processes)
    before = getrusage(RUSAGE_SELF).ru_maxrss
    if kind == "xml":
        web.pages |= {
            f"/{number}": Reply(content, media_type="application/rss+xml") for number, content in files.items()
        }
        web.pages["/good"] = Reply(f"<rss version='2.0'><channel><item><title>{GOOD}</title></item></channel></rss>")
        config: dict[str, object] = {"urls": [web.url + path for path in web.pages]}
    else:
        good = (
            {f"{COUNT}.{kind}": warc(GOOD.encode(), "Content-Type: text/plain", url="https://good.example/a")}
            if kind == "warc"
            else {"good.txt": GOOD.encode()}
        )
        for name, content in ({f"{number}.{kind}": content for number, content in files.items()} | good).items():
            (tmp_path / name).write_bytes(content)
        config = {"path": str(tmp_path), **({} if kind == "warc" else {"source": "Herald"})}
    connector = await make(local, corpus, {"warc": "archive", "xml": "feed"}.get(kind, "folder"), **config)
    try:
        report = await run(local, connector)
    finally:
        await processes.aclose()
        await file_processes.aclose()
    assert report.locations == COUNT + 1
    texts = [document.content for document in (await stored(local)).values()]
    assert GOOD in texts
    assert not [text for text in texts if SECRET_LINE in text]
    assert all(problem.error and "log has the details" not in problem.error for problem in report.problems)
    assert getrusage(RUSAGE_SELF).ru_maxrss - before < MOST_KIB
