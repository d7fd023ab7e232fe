"""Lines of bodies, whole, broken or meant to burst, and bytes between tasks that do not wait for each other."""

import asyncio
import gzip
import itertools
import tracemalloc
from collections.abc import Iterable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Message

from api.http.errors import BodyTooLarge, BrokenBody, UnsupportedMediaType
from api.http.streaming.request_lines import RequestLines, import_lines, require_ndjson
from api.http.streaming.spool import CHUNK_BYTES, MAX_MEMORY_BYTES, Spool
from registry.platform.settings import Settings
from tests.tables import for_each

GZIPPED = {"content-encoding": "gzip"}


def request(chunks: Iterable[bytes], headers: Mapping[str, str] | None = None, *, cut: bool = False) -> Request:
    """A request whose body comes in these chunks; with `cut` its client goes away after them."""
    messages: list[Message] = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks]
    messages.append({"type": "http.disconnect"} if cut else {"type": "http.request", "body": b"", "more_body": False})
    coming = iter(messages)

    async def receive() -> Message:
        return next(coming)

    raw = [(name.encode(), value.encode()) for name, value in (headers or {}).items()]
    return Request({"type": "http", "method": "POST", "path": "/", "headers": raw}, receive)


async def lines_of(asked: Request, *, max_line_bytes: int = 10**6) -> list[bytes]:
    lines = RequestLines(asked, max_bytes=10**6, max_line_bytes=max_line_bytes)
    result_lines = [line async for line in lines]
    if lines.failure is not None:
        raise lines.failure
    return result_lines


def in_chunks(body: bytes, size: int) -> list[bytes]:
    return [body[start : start + size] for start in range(0, len(body), size)]


@for_each("size", [1, 2, 7, 1000])
@for_each("encoding", ["identity", "gzip", "x-gzip"])
async def test_lines_do_not_depend_on_chunks(size: int, encoding: str) -> None:
    body = b'{"a": 1}\n\n{"b": "\xc3\xa9"}\r\n{"last": true}'
    sent = gzip.compress(body) if "gzip" in encoding else body
    result_lines = await lines_of(request(in_chunks(sent, size), {"content-encoding": encoding}))
    assert result_lines == [b'{"a": 1}', b"", b'{"b": "\xc3\xa9"}\r', b'{"last": true}']


async def test_gzip_members_follow_each_other() -> None:
    body = gzip.compress(b"one\ntw") + gzip.compress(b"o\nthree")
    assert await lines_of(request(in_chunks(body, 5), GZIPPED)) == [b"one", b"two", b"three"]


async def test_an_empty_body_has_no_lines() -> None:
    assert await lines_of(request([])) == []
    assert await lines_of(request([], GZIPPED)) == []


async def test_a_long_line_is_cut_and_the_next_one_is_whole() -> None:
    body = [b"x" * 50, b"x" * 50, b"x\nshort\n", b"y" * 101]
    result_lines = await lines_of(request(body), max_line_bytes=100)
    assert result_lines == [b"x" * 101, b"short", b"y" * 101]


async def test_a_compressed_bomb_is_refused_in_little_memory() -> None:
    bomb = gzip.compress(bytes(200 * 2**20))
    tracemalloc.start()
    with pytest.raises(BodyTooLarge, match="1,000,000 bytes"):
        await lines_of(request([bomb], GZIPPED))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * 2**20


@for_each(
    "body",
    [b"plain text", gzip.compress(b"whole\n" * 1000, mtime=0)[:-9], b"\x1f\x8b\x08"],
)
async def test_broken_compression_is_said(body: bytes) -> None:
    with pytest.raises(BrokenBody):
        await lines_of(request([body], GZIPPED))


async def test_what_came_whole_before_the_end_is_read() -> None:
    whole = gzip.compress(b"".join(b"line %d\n" % n for n in range(10_000)))
    lines = RequestLines(request([whole[:-20]], GZIPPED), max_bytes=10**6, max_line_bytes=100)
    result_lines = [line async for line in lines]
    assert result_lines == [b"line %d" % n for n in range(len(result_lines))]
    assert len(result_lines) > 9000
    assert isinstance(lines.failure, BrokenBody)


async def test_a_client_that_goes_away_ends_the_lines_before_the_one_it_was_sending() -> None:
    assert await lines_of(request([b"one\ntwo\nthr"], cut=True)) == [b"one", b"two"]


@for_each(
    "headers",
    [
        {},
        {"content-type": "application/json"},
        {"content-type": "text/plain"},
        {"content-type": "\x00"},
        {"content-type": "application/x-ndjson", "content-encoding": "br"},
    ],
)
def test_other_types_are_refused(headers: dict[str, str]) -> None:
    with pytest.raises(UnsupportedMediaType):
        require_ndjson(Headers(headers))


@pytest.mark.parametrize("media_type", ["application/x-ndjson", "application/JSONL; charset=utf-8"])
async def test_ndjson_has_several_names(media_type: str) -> None:
    lines = import_lines(request([b"{}\n"], {"content-type": media_type}), Settings())
    assert [line async for line in lines] == [b"{}"]


@given(st.binary(max_size=300), st.integers(1, 40), st.booleans())
async def test_lines_are_those_of_the_body(body: bytes, size: int, zipped: bool) -> None:
    sent, headers = (gzip.compress(body), GZIPPED) if zipped else (body, {})
    result_lines = await lines_of(request(in_chunks(sent, size), headers))
    assert b"\n".join(itertools.chain(result_lines, [b""] if body.endswith(b"\n") else [])) == body


async def taken(spool: Spool) -> bytes:
    return b"".join([chunk async for chunk in spool.chunks()])


async def test_the_writer_never_waits_for_the_reader() -> None:
    with Spool() as spool:
        for number in range(40):
            spool.write(bytes([number]) * 100_000)
        spool.end()
        assert spool.written == 4_000_000 > MAX_MEMORY_BYTES
        assert await taken(spool) == b"".join(bytes([number]) * 100_000 for number in range(40))


async def test_the_reader_gets_bytes_before_the_end() -> None:
    with Spool() as spool:
        chunks = spool.chunks()
        spool.write(b"first")
        assert await anext(chunks) == b"first"
        waiting = asyncio.ensure_future(anext(chunks))
        await asyncio.sleep(0)
        assert not waiting.done()
        spool.write(b"second")
        assert await waiting == b"second"
        spool.end()
        assert [chunk async for chunk in chunks] == []


@given(st.lists(st.one_of(st.binary(max_size=50), st.integers(0, 2 * CHUNK_BYTES).map(bytes))))
def test_whatever_goes_in_comes_out(pieces: list[bytes]) -> None:
    async def through() -> bytes:
        with Spool() as spool:
            reading = asyncio.create_task(taken(spool))
            for piece in pieces:
                spool.write(piece)
                await asyncio.sleep(0)
            spool.end()
            return await reading

    assert asyncio.run(through()) == b"".join(pieces)
