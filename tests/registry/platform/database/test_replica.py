"""What is known of a replica, on a server that says what one would; `tests/recovery/test_replica.py` has a real one."""

import asyncio
import gc
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing

import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DataError, ProgrammingError
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine

from registry.platform.database import replica as replica_module
from registry.platform.database.engine import Database
from registry.platform.database.replica import Replica
from registry.platform.errors import InvalidInput, NotFound
from tests.tables import for_each

FAR = 2**62
CONFLICT = """
    DO $$ BEGIN
        RAISE EXCEPTION 'canceling statement due to conflict with recovery' USING ERRCODE = 'serialization_failure';
    END $$
"""


@pytest.fixture
async def replica(database_url: URL) -> AsyncIterator[Replica]:
    replica = Replica(create_async_engine(database_url), create_async_engine(database_url), max_lag_seconds=10.0)
    yield replica
    await replica.aclose()


@pytest.fixture
async def replicated(database_url: URL, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Database]:
    """A database whose replica is the primary itself, and always fit."""
    monkeypatch.setattr(Replica, "is_fit", True)
    made = Database(database_url, pool_size=1, timeout_seconds=5, replica_url=database_url, max_lag_seconds=0.5)
    async with aclosing(made) as database:
        yield database


async def reads(database: Database, fail: Callable[[AsyncSession], Awaitable[object]]) -> int:
    """How often the primary was asked to read what fails the first time; raises its error where it was not."""
    calls = 0

    async def operation(session: AsyncSession) -> int:
        nonlocal calls
        calls += 1
        if calls == 1:
            await fail(session)
        return calls

    try:
        return await database.read(operation) - 1
    except Exception:
        assert calls == 1
        raise


def executing(statement: str) -> Callable[[AsyncSession], Awaitable[object]]:
    return lambda session: session.execute(text(statement))


def raising(error: Exception) -> Callable[[AsyncSession], Awaitable[object]]:
    async def fail(_: AsyncSession) -> None:
        raise error

    return fail


@for_each(
    ("fail", "error"),
    [
        (executing("SELECT nothing FROM nowhere"), ProgrammingError),
        (executing("SELECT 1 / 0"), DataError),
        (raising(ValueError("of the caller")), ValueError),
        (raising(TimeoutError("of the caller")), TimeoutError),
        (raising(InvalidInput("of the caller")), InvalidInput),
    ],
)
async def test_an_error_of_what_is_read_is_raised_and_not_read_again(
    replicated: Database, fail: Callable[[AsyncSession], Awaitable[object]], error: type[Exception]
) -> None:
    with pytest.raises(error):
        await reads(replicated, fail)
    assert await reads(replicated, executing("SELECT 1")) == 0


@for_each(
    "fail",
    [
        executing("SELECT pg_terminate_backend(pg_backend_pid())"),
        executing(CONFLICT),
        executing("SELECT pg_sleep(2)"),
        raising(NotFound("source", "new")),
    ],
)
async def test_what_a_replica_cannot_do_is_read_from_the_primary(
    replicated: Database, fail: Callable[[AsyncSession], Awaitable[object]]
) -> None:
    assert await reads(replicated, fail) == 1


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
