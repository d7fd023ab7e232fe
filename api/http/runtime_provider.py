"""Opens the runtime of the service as soon as the database is available."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import structlog

from estimator.errors import CredenceError
from migrations.control import check_schema
from registry.platform.database.supervisor import Supervisor
from registry.platform.errors import SettingsError, Unavailable
from registry.platform.settings import Settings
from registry.runtime import Runtime, open_runtime

log = structlog.get_logger(__name__)

RETRY_SECONDS = 2.0
# After this time the service starts to answer, even if only that it is not available.
FIRST_ATTEMPT_SECONDS = 5.0


class RuntimeProvider:
    """Holds the runtime, or the reason why there is none at present."""

    def __init__(self, settings: Settings, runtime: Runtime | None = None) -> None:
        self.settings = settings
        self._runtime = runtime
        self._reason: CredenceError = Unavailable("The service is starting; try again in a few seconds.")

    @property
    def runtime(self) -> Runtime:
        """The runtime; raises the reason why there is none, usually an `Unavailable`."""
        if self._runtime is None:
            raise self._reason
        return self._runtime

    @property
    def is_open(self) -> bool:
        """Whether the runtime was opened; its database may be unavailable now."""
        return self._runtime is not None

    @property
    def supervisor(self) -> Supervisor | None:
        """Supervisor of the embedded Postgres, if there is one."""
        return self._runtime.supervisor if self._runtime is not None else None

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Opens the runtime for the block, unless one was handed in; tries again for as long as that fails.

        Raises `SettingsError` where the first attempt does: with wrong settings there is nothing to wait for.
        """
        if self._runtime is not None:
            yield
            return
        tried, stop = asyncio.Event(), asyncio.Event()
        keeper, first = asyncio.create_task(self._keep_open(tried, stop)), asyncio.create_task(tried.wait())
        try:
            await asyncio.wait({keeper, first}, timeout=FIRST_ATTEMPT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if keeper.done():
                keeper.result()
            yield
        finally:
            first.cancel()
            stop.set()
            if not keeper.done():
                await keeper

    async def _keep_open(self, tried: asyncio.Event, stop: asyncio.Event) -> None:
        async with AsyncExitStack() as stack:
            while not stop.is_set() and self._runtime is None:
                await self._open(stack, fatal=() if tried.is_set() else SettingsError)
                tried.set()
                if self._runtime is None:
                    await _wait(stop, RETRY_SECONDS)
            await stop.wait()
            self._runtime = None

    async def _open(self, stack: AsyncExitStack, fatal: type[CredenceError] | tuple[()]) -> None:
        try:
            self._runtime = await stack.enter_async_context(open_runtime(self.settings, check_schema=check_schema))
            log.info("open")
        except fatal:
            raise
        except (Unavailable, SettingsError) as error:
            if str(error) != str(self._reason):
                log.warning("not_available", why=error)
            self._reason = error


async def _wait(event: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return
