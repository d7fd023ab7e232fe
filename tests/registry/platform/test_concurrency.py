"""What runs at the same time, and beside a block of code."""

import asyncio

import anyio
import pytest

from registry.platform.concurrency import both, in_background, run_concurrently
from registry.platform.errors import DatabaseUnavailable
from registry.platform.repetition import every
from tests.eventually import eventually


async def test_an_error_of_one_cancels_the_others_and_nothing_around_them() -> None:
    ended: list[str] = []
    task = asyncio.current_task()
    assert task is not None
    before = task.cancelling()

    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")

    async def fail() -> None:
        await asyncio.sleep(0)
        raise ConnectionError

    with anyio.CancelScope():
        with pytest.raises(ConnectionError):
            await run_concurrently(wait(), fail())
        with pytest.raises(ConnectionError):
            await both(fail(), wait())
        await asyncio.sleep(0)
        ended.append("went on")
    assert ended == ["cancelled", "cancelled", "went on"]
    assert task.cancelling() == before


async def test_who_is_cancelled_cancels_what_runs_at_the_same_time() -> None:
    ended: list[str] = []

    async def wait(name: str) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(name)

    for turns in range(1, 5):
        task = asyncio.create_task(run_concurrently(wait("first"), wait("second")))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()
    assert ended.count("first") == ended.count("second")
    assert ended


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


async def test_it_repeats_and_survives_a_database_that_is_away() -> None:
    calls = 0

    async def work() -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise DatabaseUnavailable("away")

    async with every(0.01, work, "work"):
        await eventually(lambda: calls >= 3)
    ended = calls
    await asyncio.sleep(0.05)
    assert calls == ended
