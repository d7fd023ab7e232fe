"""Advisory locks: one holder at a time, and no wait once it is given up."""

from registry.database.engine import Database
from registry.database.locks import try_lock


async def test_a_lock_has_one_holder_and_is_free_at_once_after_it(database: Database) -> None:
    for _ in range(20):
        async with try_lock(database, "work") as held, try_lock(database, "work") as refused:
            assert held is not None
            assert refused is None
