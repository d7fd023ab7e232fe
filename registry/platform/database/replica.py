"""A read replica: how far it has followed the primary server, and whether it may be read from.

Every second the position in the primary's write-ahead log is noted, and which of the positions noted the replica has
replayed: it holds everything that was committed before that one was asked for. So the clocks of the two machines do not
matter, and a primary that nobody writes to is no further than its replica.
"""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from typing import TypeVar

import psycopg
import structlog
from sqlalchemy import event, exc, text
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker
from sqlalchemy.orm import ORMExecuteState, Session
from sqlalchemy.sql.dml import UpdateBase

log = structlog.get_logger(__name__)

Result = TypeVar("Result")

CHECK_SECONDS = 1.0
# The longest that a check may take.
CHECK_TIMEOUT_SECONDS = 5.0
# The longest wait for what was given up, when all ends.
CLOSE_SECONDS = 1.0
# An hour of checks; of a replica that lies further behind no more is asked than that it does.
MOST_POSITIONS = 3600
POSITION = text(
    """
    SELECT CAST(pg_current_wal_insert_lsn() - '0/0' AS bigint) AS position,
           (SELECT system_identifier FROM pg_control_system()) || '/' || current_database() AS database
    """
)
REPLAYED = text(
    """
    SELECT pg_is_in_recovery() AS is_replica, CAST(pg_last_wal_replay_lsn() - '0/0' AS bigint) AS position,
           (SELECT system_identifier FROM pg_control_system()) || '/' || current_database() AS database
    """
)
# What questions and searches read. Readings are not among them: what the replica does not have of those, the primary
# is asked for.
QUESTIONED = frozenset(
    {"corpora", "documents", "estimation_centroids", "estimation_sources", "overrides", "ratings", "sources"}
)
WROTE = "wrote_what_questions_read"


class ReplicaUnavailable(Exception):
    """The replica is away, too slow, or broke off what conflicts with what it replays; the primary may do the same."""


class Replica:
    """A replica and what is known of it; `watch` keeps that up to date, and without it nothing is read from it."""

    def __init__(self, primary: AsyncEngine, engine: AsyncEngine, max_lag_seconds: float) -> None:
        self.engine = engine
        self.max_lag_seconds = max_lag_seconds
        self.reads = {"replica": 0, "primary": 0}
        """Reads that the replica could have served, by the server that served them."""
        self._primary = primary
        self._sessions = async_sessionmaker(engine, expire_on_commit=False)
        self._noted: deque[tuple[float, int]] = deque(maxlen=MOST_POSITIONS)
        self._replayed = 0
        self._holds_until: float | None = None
        self._written_at = float("-inf")
        self._problem: str | None = "It was not looked at yet."
        self._was_in_use: bool | None = None
        self._tasks: set[asyncio.Task[object]] = set()

    @property
    def lag_seconds(self) -> float | None:
        """It holds what was committed longer ago than this; None before that is known."""
        return None if self._holds_until is None else time.monotonic() - self._holds_until

    @property
    def is_in_use(self) -> bool:
        """Whether it answers and is not too far behind."""
        lag = self.lag_seconds
        return self._problem is None and lag is not None and lag <= self.max_lag_seconds

    @property
    def is_fit(self) -> bool:
        """Whether it is in use and holds what this process wrote."""
        return self.is_in_use and self._holds_until is not None and self._holds_until > self._written_at

    def note_write(self) -> None:
        """This process has committed what questions read: the replica is not fit until it holds that."""
        self._written_at = time.monotonic()

    async def read(self, operation: Callable[[AsyncSession], Awaitable[Result]]) -> Result:
        """Run the operation in a transaction on the replica.

        Raises what the operation raises, or `ReplicaUnavailable`.
        """
        try:
            result = await self._within(self.max_lag_seconds, self._read(operation))
        except (exc.SQLAlchemyError, psycopg.Error, ReplicaUnavailable) as error:
            if not _is_of_server(error):
                raise
            # Its message may repeat what was looked up.
            self._judge(f"A look-up failed: {type(error).__name__}.")
            raise ReplicaUnavailable from error
        self.reads["replica"] += 1
        return result

    async def check(self) -> None:
        """Ask both servers how far they are."""
        try:
            await self._within(CHECK_TIMEOUT_SECONDS, self._check())
        except (exc.SQLAlchemyError, psycopg.Error, OSError) as error:
            self._judge(" ".join(f"A check failed: {type(error).__name__} {getattr(error, 'orig', error)}".split()))

    async def watch(self) -> None:
        """Check it until cancelled."""
        while True:
            await self.check()
            await asyncio.sleep(CHECK_SECONDS)

    async def aclose(self) -> None:
        for task in self._tasks:
            # Cancelled a second time, psycopg closes a connection without a word to its server.
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=CLOSE_SECONDS)
        await self.engine.dispose()
        await self._primary.dispose()

    async def _check(self) -> None:
        asked_at = time.monotonic()
        async with self._primary.connect() as connection:
            primary = (await connection.execute(POSITION)).one()
        self._noted.append((asked_at, primary.position))
        async with self.engine.connect() as connection:
            replica = (await connection.execute(REPLAYED)).one()
        if not replica.is_replica or replica.database != primary.database:
            self._judge("The database at DATABASE_REPLICA_URL is no replica of that at DATABASE_URL.")
            return
        if replica.position < self._replayed:
            # After a restart a replica may have to replay again what it held before.
            self._holds_until = None
        self._replayed = replica.position
        while self._noted and self._noted[0][1] <= replica.position:
            self._holds_until = self._noted.popleft()[0]
        lag = self.lag_seconds
        is_behind = lag is None or lag > self.max_lag_seconds
        self._judge(f"It lies more than {self.max_lag_seconds:g} seconds behind." if is_behind else None)

    def _judge(self, problem: str | None) -> None:
        """Keep why it is not used, and log that it is used from now on, or no more."""
        self._problem = problem
        if self._was_in_use is (problem is None):
            return
        self._was_in_use = problem is None
        if problem is None:
            log.info("replica_in_use", lag_seconds=round(self.lag_seconds or 0.0, 3))
        else:
            log.warning("replica_not_in_use", why=problem)

    async def _read(self, operation: Callable[[AsyncSession], Awaitable[Result]]) -> Result:
        async with self._sessions() as session, session.begin():
            return await operation(session)

    async def _within(self, seconds: float, work: Coroutine[object, object, Result]) -> Result:
        """Its result. Raises `ReplicaUnavailable` after that without waiting for the end of what waits for a server."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        try:
            done, _ = await asyncio.wait({task}, timeout=seconds)
            if not done:
                raise ReplicaUnavailable(f"It took longer than {seconds:g} seconds.")
            return task.result()
        finally:
            task.cancel()

    def _forget(self, task: "asyncio.Task[object]") -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # or asyncio logs that of a task that failed while who waited for it was cancelled


def _is_of_server(error: Exception) -> bool:
    """Whether the server or the connection failed, and not the statement; a conflict with recovery is among these."""
    if isinstance(error, exc.DBAPIError):
        return error.connection_invalidated or isinstance(error.orig, psycopg.OperationalError)
    return isinstance(error, exc.TimeoutError | psycopg.OperationalError | ReplicaUnavailable)


class NotingSession(Session):
    """A session that notes in its `info` whether it wrote what questions read."""


@event.listens_for(NotingSession, "after_flush")
def _note_flush(session: Session, _context: object) -> None:
    if not QUESTIONED.isdisjoint(row.__tablename__ for row in (*session.new, *session.dirty, *session.deleted)):
        session.info[WROTE] = True


@event.listens_for(NotingSession, "do_orm_execute")
def _note_statement(state: ORMExecuteState) -> None:
    statement = state.statement
    if isinstance(statement, UpdateBase) and statement.entity_description["table"].description in QUESTIONED:
        state.session.info[WROTE] = True
