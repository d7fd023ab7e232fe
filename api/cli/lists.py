"""Lists longer than a page."""

from collections import deque
from collections.abc import Awaitable, Callable
from typing import TypeVar

from registry.database.paging import MAX_LIMIT, Page

Row = TypeVar("Row")
# One page, given the cursor where it starts and how long it may be.
PageAfter = Callable[[str | None, int], Awaitable[Page[Row]]]


async def newest(page_after: PageAfter[Row], limit: int = 0) -> list[Row]:
    """The last `limit` rows of a list that is paged from the oldest on; 0 is all of them."""
    kept: deque[Row] = deque(maxlen=limit or None)
    cursor: str | None = None
    while True:
        page = await page_after(cursor, MAX_LIMIT)
        kept.extend(page.items)
        cursor = page.next_cursor
        if cursor is None:
            return list(kept)
