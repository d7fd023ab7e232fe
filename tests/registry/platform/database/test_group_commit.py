"""Group commit: rows put while a write is under way are written together."""

import asyncio
from collections.abc import Sequence

import pytest

from registry.platform.database.group_commit import GroupCommit


class Written:
    """Remembers its batches; takes as long as told, and fails for the rows named."""

    def __init__(self, *failing: int) -> None:
        self.batches: list[list[int]] = []
        self.free = asyncio.Event()
        self._failing = set(failing)

    async def __call__(self, rows: Sequence[int]) -> None:
        self.batches.append(list(rows))
        await self.free.wait()
        if self._failing & set(rows):
            raise OSError(f"no room for {rows}")


async def test_what_comes_during_a_write_is_written_together_after_it() -> None:
    written = Written()
    commits = GroupCommit(written)
    first = asyncio.create_task(commits.write(0))
    await settled()
    rest = [asyncio.create_task(commits.write(row)) for row in range(1, 6)]
    await settled()
    assert written.batches == [[0]]
    assert not first.done()
    written.free.set()
    await asyncio.gather(first, *rest)
    assert written.batches == [[0], [1, 2, 3, 4, 5]]


async def test_rows_ready_at_once_are_one_batch() -> None:
    written = Written()
    written.free.set()
    commits = GroupCommit(written)
    await asyncio.gather(*(commits.write(row) for row in range(100)))
    assert written.batches == [list(range(100))]


async def test_an_error_is_told_to_its_own_batch_only() -> None:
    written = Written(1)
    written.free.set()
    commits = GroupCommit(written)
    with pytest.raises(OSError, match="no room"):
        await asyncio.gather(commits.write(1), commits.write(2))
    await commits.write(3)
    assert written.batches[-1] == [3]


async def test_one_who_gives_up_takes_nobody_along() -> None:
    written = Written()
    commits = GroupCommit(written)
    gone, staying = asyncio.create_task(commits.write(1)), asyncio.create_task(commits.write(2))
    await settled()
    gone.cancel()
    written.free.set()
    await staying
    assert written.batches == [[1, 2]]
    assert gone.cancelled()


async def settled() -> None:
    """Let every task run as far as it can."""
    for _ in range(10):
        await asyncio.sleep(0)
