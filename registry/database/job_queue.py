"""The durable job queue: procrastinate in a schema of its own. Jobs carry identifiers only and may run twice."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

from procrastinate import App, PsycopgConnector
from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncSession

from registry.database.engine import libpq_url

SCHEMA = "procrastinate"
ESTIMATE = "estimate"
ANSWER = "answer"
# Answers come first: somebody waits for them.
PRIORITIES = {ESTIMATE: 0, ANSWER: 10}


@asynccontextmanager
async def open_queue(url: URL, *, pool_size: int = 4) -> AsyncIterator[App]:
    """The queue of the database at `url`."""
    connector = PsycopgConnector(
        conninfo=libpq_url(url),
        kwargs={"options": f"-c search_path={SCHEMA}", "connect_timeout": 5},
        min_size=0,
        max_size=pool_size,
        timeout=10,
    )
    app = App(connector=connector)
    async with app.open_async():
        yield app


async def defer(session: AsyncSession, jobs: App, task: str, subject_id: UUID) -> None:
    """Have a worker do `task` for a run or an answer once the session's transaction is committed."""
    await session.execute(
        text("SELECT set_config('search_path', :schema || ', ' || current_setting('search_path'), true)"),
        {"schema": SCHEMA},
    )
    connection = await (await session.connection()).get_raw_connection()
    await jobs.configure_task(
        name=task,
        lock=f"{task}:{subject_id}",
        queueing_lock=f"{task}:{subject_id}",
        priority=PRIORITIES[task],
        connection=connection.driver_connection,
    ).defer_async(subject_id=str(subject_id))
