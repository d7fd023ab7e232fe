"""Writing together what becomes ready at about the same time: group commit."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Row = TypeVar("Row")


class Batches(Generic[Row]):
    """Hands rows to `write`, at once if it is free, else together with all that came while it wrote.

    A row waits for no other, and whoever put it down knows at the end that it is written, or why it is not.
    """

    def __init__(self, write: Callable[[Sequence[Row]], Awaitable[None]]) -> None:
        self._write = write
        self._waiting: list[tuple[Row, asyncio.Future[None]]] = []
        self._writer: asyncio.Task[None] | None = None

    async def put(self, row: Row) -> None:
        """Returns when the row is written; raises what its batch raised."""
        written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((row, written))
        if self._writer is None:
            self._writer = asyncio.create_task(self._write_all())
        await written

    async def _write_all(self) -> None:
        try:
            while self._waiting:
                # One turn of the loop for those who are ready now.
                await asyncio.sleep(0)
                batch, self._waiting = self._waiting, []
                await self._write_one(batch)
        finally:
            self._writer = None

    async def _write_one(self, batch: Sequence[tuple[Row, asyncio.Future[None]]]) -> None:
        try:
            await self._write([row for row, _ in batch])
        except Exception as error:  # noqa: BLE001  (it is raised where each row was put)
            _end(batch, error)
        except BaseException:
            _end(batch, asyncio.CancelledError())
            raise
        else:
            _end(batch, None)


def _end(batch: Sequence[tuple[object, asyncio.Future[None]]], error: BaseException | None) -> None:
    for _, written in batch:
        if written.done():  # whoever waited was cancelled
            continue
        if error is None:
            written.set_result(None)
        elif isinstance(error, asyncio.CancelledError):
            written.cancel()
        else:
            written.set_exception(error)
