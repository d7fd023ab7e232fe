"""What is known of a replica, on a server that says what one would; `tests/recovery/test_replica.py` has a real one."""

import asyncio
import gc
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine

from registry.database import replica as replica_module
from registry.database.replica import Replica

FAR = 2**62


@pytest.fixture
async def replica(database_url: URL) -> AsyncIterator[Replica]:
    replica = Replica(create_async_engine(database_url), create_async_engine(database_url), max_lag_seconds=10.0)
    yield replica
    await replica.aclose()


async def test_one_that_comes_back_with_less_is_not_used(replica: Replica, monkeypatch: pytest.MonkeyPatch) -> None:
    async def is_fit_at(position: int, database: str = "current_database()") -> bool:
        replayed = f"""
            SELECT true AS is_replica, CAST({position} AS bigint) AS position,
                   (SELECT system_identifier FROM pg_control_system()) || '/' || {database} AS database
        """  # noqa: S608  (numbers and names of this test)
        monkeypatch.setattr(replica_module, "REPLAYED", text(replayed))
        await replica.check()
        return replica.is_fit

    positions = [FAR, 1, 2, FAR]
    assert [await is_fit_at(position) for position in positions] == [True, False, False, True]
    assert not await is_fit_at(FAR, database="'another'")


async def test_a_failure_that_nobody_waits_for_any_more_is_not_reported(replica: Replica) -> None:
    reported: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))

    async def fail(_: AsyncSession) -> None:
        task = asyncio.current_task()
        assert task is not None
        task.add_done_callback(lambda _: readings[0].cancel())
        raise ConnectionError

    readings = [asyncio.create_task(replica.read(fail))]
    await asyncio.wait(readings)
    assert readings.pop().cancelled()
    gc.collect()
    assert reported == []
