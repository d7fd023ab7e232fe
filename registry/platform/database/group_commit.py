"""Group commit: rows that are ready at about the same time are written in one transaction."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Row = TypeVar("Row")


class GroupCommit(Generic[Row]):
    """Passes rows on to `write_batch`: at once while it is idle, else together when its present call ends."""

    def __init__(self, write_batch: Callable[[Sequence[Row]], Awaitable[None]]) -> None:
        self._write_batch = write_batch
        self._pending: list[tuple[Row, asyncio.Future[None]]] = []
        self._writer: asyncio.Task[None] | None = None

    async def write(self, row: Row) -> None:
        """Return when the row is written; raises what `write_batch` raised for its batch."""
        written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pending.append((row, written))
        if self._writer is None:
            self._writer = asyncio.create_task(self._write_pending())
        await written

    async def _write_pending(self) -> None:
        try:
            while self._pending:
                # One turn of the event loop for the tasks whose rows are ready now.
                await asyncio.sleep(0)
                batch, self._pending = self._pending, []
                await self._commit(batch)
        finally:
            self._writer = None

    async def _commit(self, batch: Sequence[tuple[Row, asyncio.Future[None]]]) -> None:
        try:
            await self._write_batch([row for row, _ in batch])
        except Exception as error:  # noqa: BLE001  (it is raised in each `write` of the batch)
            _resolve(batch, error)
        except BaseException:
            _resolve(batch, asyncio.CancelledError())
            raise
        else:
            _resolve(batch, None)


def _resolve(batch: Sequence[tuple[object, asyncio.Future[None]]], error: BaseException | None) -> None:
    for _, written in batch:
        if written.done():  # its `write` was cancelled
            continue
        if error is None:
            written.set_result(None)
        elif isinstance(error, asyncio.CancelledError):
            written.cancel()
        else:
            written.set_exception(error)
