"""Keeps the embedded Postgres running: a server that ended is started again."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog

from registry.platform.concurrency import in_background
from registry.platform.database.embedded import EmbeddedServer
from registry.platform.errors import DatabaseUnavailable, SettingsError

log = structlog.get_logger(__name__)

CHECK_SECONDS = 0.2
FIRST_PAUSE_SECONDS = 0.1
LAST_PAUSE_SECONDS = 3.0
# A server that could not be started for so long, on a disk with space, needs a person.
HOPELESS_SECONDS = 300.0


class Supervisor:
    """Watches an embedded server, which has been started, and starts it again whenever it ended."""

    def __init__(self, server: EmbeddedServer) -> None:
        self.server = server
        self.restarts = 0
        self._down_since: float | None = None
        self._reason = ""
        self._is_damaged = False

    @property
    def is_up(self) -> bool:
        """Whether the server runs, as far as the supervisor knows."""
        return self._down_since is None

    def require_up(self) -> None:
        """Raise `DatabaseUnavailable` while the server is down."""
        if self._down_since is not None:
            raise DatabaseUnavailable(f"The embedded Postgres has ended and is being restarted. {self._reason}".strip())

    def require_hope(self) -> None:
        """Raise `DatabaseUnavailable` if the server cannot be started without a person."""
        if self._down_since is None:
            return
        if self._is_damaged or time.monotonic() - self._down_since > HOPELESS_SECONDS:
            raise DatabaseUnavailable(f"The embedded Postgres cannot be restarted. {self._reason}".strip())

    async def run(self) -> None:
        """Watch until cancelled."""
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            if self.server.process_id is None:
                await self._restart()

    async def _restart(self) -> None:
        self._down_since = began = time.monotonic()
        self._reason = self.server.last_words()
        log.error("embedded_postgres_ended", why=self._reason, folder=str(self.server.folder))
        pause = FIRST_PAUSE_SECONDS
        while not await self._attempt():
            log.warning("embedded_postgres_not_restarted", why=self._reason, next_attempt_seconds=pause)
            if self.server.disk_is_full:
                self._is_damaged, self._down_since = False, time.monotonic()
            await asyncio.sleep(pause)
            pause = min(2 * pause, LAST_PAUSE_SECONDS)
        self._down_since, self._reason = None, ""
        self.restarts += 1
        log.info("embedded_postgres_restarted", seconds=round(time.monotonic() - began, 2))

    async def _attempt(self) -> bool:
        """Whether the server was started; the reason otherwise is kept."""
        try:
            await asyncio.to_thread(self.server.launch, create=False)
        except SettingsError as error:
            self._is_damaged, self._reason = True, str(error)
            return False
        self._is_damaged = False
        while not self.server.is_ready:
            if self.server.has_ended:
                self._reason = self.server.last_words()
                return False
            await asyncio.sleep(0.05)
        return True


@asynccontextmanager
async def supervised(server: EmbeddedServer) -> AsyncIterator[Supervisor]:
    """A supervisor of the server, at work for the duration of the block."""
    supervisor = Supervisor(server)
    async with in_background(supervisor.run()):
        yield supervisor
