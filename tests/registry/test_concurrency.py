"""What runs beside a block of code."""

import asyncio

import pytest

from registry.concurrency import in_background


async def test_what_failed_beside_a_block_is_raised_at_its_end() -> None:
    async def fail() -> None:
        raise ConnectionError

    with pytest.raises(ConnectionError):
        async with in_background(fail()):
            await asyncio.sleep(0)


async def test_who_is_cancelled_while_the_background_ends_is_cancelled() -> None:
    async def cancel_others_when_cancelled() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            task.cancel()

    async def work() -> None:
        async with in_background(cancel_others_when_cancelled()):
            await asyncio.sleep(0)

    task = asyncio.create_task(work())
    await asyncio.wait({task})
    assert task.cancelled()
