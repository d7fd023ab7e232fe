"""Schedules tick once for each due time, whoever leads, and a tick only queues a durable job."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from apscheduler.triggers.interval import IntervalTrigger
from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection
from structlog.testing import capture_logs

from registry.corpora.model import Corpus
from registry.estimations.model import EstimationRun
from registry.jobs import scheduler
from registry.platform.database.engine import Database
from registry.platform.database.locks import try_lock
from registry.platform.enums import Trigger
from registry.query_generations.model import QueryGeneration
from registry.query_generations.schemas import GenerationParameters
from registry.runtime import Runtime
from registry.schedules import store as schedules
from registry.schedules.model import Schedule, Tick
from registry.schedules.schemas import ScheduleInput
from tests.eventually import eventually
from tests.registry.world import TOWERS, build, honest

DUE = datetime(2026, 3, 1, 3, 0, tzinfo=UTC)
JOBS = text("SELECT count(*) FROM procrastinate.procrastinate_jobs WHERE status = 'todo'")


@pytest.fixture
async def nightly(runtime: Runtime, corpus: Corpus) -> Schedule:
    """A schedule of a corpus in which there is something to estimate."""
    await build(runtime, corpus, {"herald": honest()}, TOWERS)
    async with runtime.database.begin() as session:
        return await schedules.create(session, corpus, ScheduleInput(name="nightly", cron="0 3 * * *"))


@pytest.fixture
def every_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cron expression knows minutes; nobody wants to wait for one."""
    monkeypatch.setattr(scheduler, "trigger_of", lambda _schedule: IntervalTrigger(seconds=1, timezone=UTC))
    monkeypatch.setattr(scheduler, "SYNC_SECONDS", 0.1)


async def count(runtime: Runtime, what: type[Tick | EstimationRun]) -> int:
    async with runtime.database.begin() as session:
        return await session.scalar(select(func.count()).select_from(what)) or 0


async def test_a_due_time_queues_one_run_and_one_job_however_many_tick(runtime: Runtime, nightly: Schedule) -> None:
    runs = await asyncio.gather(*(scheduler.tick(runtime, nightly.id, DUE) for _ in range(5)))
    assert len([run for run in runs if run is not None]) == 1
    assert await scheduler.tick(runtime, nightly.id, DUE) is None
    async with runtime.database.begin() as session:
        run = (await session.scalars(select(EstimationRun))).one()
        assert (run.trigger, run.schedule_id) == (Trigger.SCHEDULE, nightly.id)
        assert await session.scalar(JOBS) == 1


async def test_a_schedule_with_parameters_of_generations_writes_queries(runtime: Runtime, corpus: Corpus) -> None:
    await build(runtime, corpus, {"herald": honest()}, TOWERS)
    values = ScheduleInput(name="weekly", cron="0 3 * * 1", generate=GenerationParameters(queries=7))
    async with runtime.database.begin() as session:
        weekly = await schedules.create(session, corpus, values)
    generation_id = await scheduler.tick(runtime, weekly.id, DUE)
    assert await scheduler.tick(runtime, weekly.id, DUE + timedelta(days=7)) is None
    async with runtime.database.begin() as session:
        generation = (await session.scalars(select(QueryGeneration))).one()
    assert (generation.id, generation.schedule_id) == (generation_id, weekly.id)
    assert generation.parameters["queries"] == 7


async def test_a_tick_during_a_run_says_why_it_was_skipped(runtime: Runtime, nightly: Schedule) -> None:
    first = await scheduler.tick(runtime, nightly.id, DUE)
    assert await scheduler.tick(runtime, nightly.id, DUE + timedelta(days=1)) is None
    async with runtime.database.begin() as session:
        ticks = {row.due_at: row for row in await session.scalars(select(Tick))}
    assert ticks[DUE].estimation_id == first
    skipped = ticks[DUE + timedelta(days=1)]
    assert skipped.estimation_id is None
    assert skipped.skipped_because
    assert await count(runtime, EstimationRun) == 1


async def test_disabled_and_deleted_schedules_do_not_tick(runtime: Runtime, nightly: Schedule) -> None:
    async with runtime.database.begin() as session:
        (await session.get_one(Schedule, nightly.id)).enabled = False
    assert await scheduler.tick(runtime, nightly.id, DUE) is None
    assert await scheduler.tick(runtime, UUID(int=7), DUE) is None
    assert await count(runtime, Tick) == 0


@pytest.mark.usefixtures("every_second", "nightly")
async def test_one_leads_and_another_takes_over(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    attempts = 0

    def counted(database: Database, name: str) -> AbstractAsyncContextManager[AsyncConnection | None]:
        nonlocal attempts
        attempts += 1
        return try_lock(database, name)

    monkeypatch.setattr(scheduler, "try_lock", counted)
    with capture_logs() as logs:

        def leaders() -> int:
            return len([entry for entry in logs if entry["event"] == "scheduler_leads"])

        async with running(runtime) as end_first:
            await eventually(lambda: leaders() == 1)
            async with running(runtime):
                # The first one's attempt, and three of the second, of which two have failed.
                await eventually(lambda: attempts == 4)
                assert leaders() == 1
                await end_first()
                await eventually(lambda: leaders() == 2)


@asynccontextmanager
async def running(runtime: Runtime) -> AsyncIterator[Callable[[], asyncio.Task[None]]]:
    """A scheduler at work, ended by calling what is given and awaiting it."""
    stop = asyncio.Event()
    task = asyncio.create_task(scheduler.run_scheduler(runtime, stop=stop))

    def end() -> asyncio.Task[None]:
        stop.set()
        return task

    try:
        yield end
    finally:
        await end()


async def test_schedules_go_on_when_the_clock_is_set_back(
    runtime: Runtime, nightly: Schedule, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was due at the times that it showed before is neither waited for nor done."""
    shown = datetime.now(UTC) + timedelta(hours=1)
    async with runtime.database.begin() as session:
        session.add(Tick(schedule_id=nightly.id, due_at=shown))
    starts = iter([shown])
    monkeypatch.setattr(
        scheduler,
        "trigger_of",
        lambda _: IntervalTrigger(seconds=1, start_date=next(starts, datetime.now(UTC)), timezone=UTC),
    )
    monkeypatch.setattr(scheduler, "SYNC_SECONDS", 0.1)
    monkeypatch.setattr(scheduler, "now", lambda: shown)
    stop = asyncio.Event()
    leading = asyncio.create_task(scheduler.run_scheduler(runtime, stop=stop))
    try:
        await asyncio.sleep(0.5)
        assert await count(runtime, Tick) == 1
        monkeypatch.setattr(scheduler, "now", lambda: datetime.now(UTC))

        async def ticked_now() -> bool:
            async with runtime.database.begin() as session:
                due = (await session.scalars(select(Tick.due_at))).all()
            return bool(due) and max(due) < shown

        await eventually(ticked_now)
    finally:
        stop.set()
        await leading


async def test_schedules_go_on_when_the_clock_is_set_back_while_nobody_leads(
    runtime: Runtime, nightly: Schedule, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an earlier leader did by a clock that was ahead does not count as done."""
    begin = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=1)
    async with runtime.database.begin() as session:
        session.add_all(Tick(schedule_id=nightly.id, due_at=begin + timedelta(seconds=second)) for second in range(600))
    seconds = IntervalTrigger(seconds=1, start_date=begin, timezone=UTC)
    monkeypatch.setattr(scheduler, "trigger_of", lambda _schedule: seconds)
    monkeypatch.setattr(scheduler, "SYNC_SECONDS", 0.1)

    async def started() -> bool:
        return await count(runtime, EstimationRun) == 1

    async with running(runtime):
        await eventually(started)
