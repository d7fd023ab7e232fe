"""Periodic tasks run again and again, and survive a database that is away."""

import asyncio

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from registry.errors import DatabaseUnavailable
from registry.jobs import housekeeping
from registry.jobs.housekeeping import PeriodicTask
from registry.runtime import Runtime
from tests.eventually import eventually


async def test_a_task_runs_periodically_until_the_block_ends(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = 0

    async def count(_session: AsyncSession) -> int:
        nonlocal runs
        runs += 1
        return 0

    calls = 0

    def connect() -> Runtime:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise DatabaseUnavailable("away")
        return runtime

    monkeypatch.setattr(housekeeping, "TASKS", [PeriodicTask("count", 0.01, count)])
    async with housekeeping.housekeeping(connect):
        await eventually(lambda: runs >= 2)
    ended = runs
    await asyncio.sleep(0.05)
    assert runs == ended


async def test_every_task_runs_on_the_database(runtime: Runtime) -> None:
    for task in housekeeping.TASKS:
        async with runtime.database.begin() as session:
            assert await task.run(session) == 0
