"""Bytes between two tasks that do not wait for each other."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from api.http.streaming.spool import CHUNK_BYTES, MAX_MEMORY_BYTES, Spool


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
