"""Work that is repeated."""

import asyncio

from registry.platform.errors import DatabaseUnavailable
from registry.platform.repetition import every
from tests.eventually import eventually


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
