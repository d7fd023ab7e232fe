"""WARC files: a document a page that was captured."""

import gzip
import io
from pathlib import Path

import pytest

from registry.connectors import service as connectors
from registry.corpora.model import Corpus
from registry.runtime import Runtime
from tests.registry.connectors.keeping import counts, make, run, stored

PAGE = '<link rel="canonical" href="{url}"><meta property="og:site_name" content="The Herald"><p>{text}</p>'
CRLF = "\r\n"
GZIP = "Content-Encoding: gzip"


def record(url: str, body: bytes, *headers: str, status: str = "200 OK", kind: str = "response") -> bytes:
    """A record as the standard (ISO 28500) has it."""
    http = CRLF.join([f"HTTP/1.1 {status}", *headers, "", ""]).encode() + body
    lines = ["WARC/1.0", f"WARC-Type: {kind}", f"WARC-Target-URI: {url}", "WARC-Date: 2026-11-02T03:04:05Z"]
    lines += [f"WARC-Record-ID: <urn:x:{len(http)}>", "Content-Type: application/http; msgtype=response"]
    return CRLF.join([*lines, f"Content-Length: {len(http)}", "", ""]).encode() + http + b"\r\n\r\n"


def page(url: str, text: str) -> bytes:
    return record(url, PAGE.format(url=url, text=text).encode(), "Content-Type: text/html; charset=utf-8")


async def test_captures_become_documents(local: Runtime, corpus: Corpus, tmp_path: Path) -> None:
    pytest.importorskip("warcio", reason="WARC files need the extra `warc`")
    zipped = gzip.compress(b"<p>The tower is tall.</p>")
    records = [
        page("https://news.herald.com/red?utm_source=x#top", "The tower is green."),
        page("https://news.herald.com/red", "The tower is red."),
        record("https://gazette.example/tall", zipped, "Content-Type: text/html", GZIP),
        record("https://gazette.example/plain", b"The tower is old.", "Content-Type: text/plain"),
        record("https://gazette.example/gone", b"x", "Content-Type: text/html", status="404 Not Found"),
        record("https://gazette.example/a.png", b"\x89PNG", "Content-Type: image/png"),
        record("https://gazette.example/binary", b"\x00", "Content-Type: text/plain"),
        record("https://gazette.example/large", gzip.compress(bytes(10**7)), "Content-Type: text/html", GZIP),
        record("ftp://gazette.example/red", b"x", "Content-Type: text/html"),
        record("https://gazette.example/red", b"x", "Content-Type: text/html", kind="request"),
    ]
    whole = io.BytesIO()
    for each in records:
        whole.write(gzip.compress(each))
    (tmp_path / "one.warc.gz").write_bytes(whole.getvalue())
    (tmp_path / "two.warc").write_bytes(page("https://gazette.example/wide", "The tower is wide."))
    connector = await make(local, corpus, "archive", path=str(tmp_path))
    report = await run(local, connector)
    documents = await stored(local)
    red = documents["herald.com", "https://news.herald.com/red"]
    assert "red" in red.content
    assert (red.url, red.attributes) == ("https://news.herald.com/red", {"publisher": "The Herald"})
    assert {name for _, name in documents} == {
        "https://news.herald.com/red",
        "https://gazette.example/tall",
        "https://gazette.example/plain",
        "https://gazette.example/wide",
    }
    assert {problem.location.rpartition("/")[2] for problem in report.problems} == {"binary", "large"}
    assert (await run(local, connector)).not_modified == 2
    (tmp_path / "two.warc").unlink()
    assert counts(await run(local, connector))[4] == 1


async def test_what_cannot_be_read_is_said(runtime: Runtime, corpus: Corpus, tmp_path: Path) -> None:
    connector = await make(runtime, corpus, "archive", path=str(tmp_path))
    done = await connectors.run_now(runtime, connector.id)
    assert done.problem is not None
    assert "no file *.warc" in done.problem["detail"]
    (tmp_path / "broken.warc").write_bytes(b"no archive")
    (problem,) = (await run(runtime, connector)).problems
    assert "cannot be read on" in problem.error or "credence-registry[warc]" in problem.error
