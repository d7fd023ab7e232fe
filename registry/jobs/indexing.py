"""Indexing: the approximate index of embeddings is built, replaced and dropped as the number of passages changes."""

from registry.passages.store.index_maintenance import carry_out, dimension_of_embeddings, plan
from registry.platform.database.locks import try_lock
from registry.runtime import Runtime

LOCK = "vector_index"
# Passages in the database from which they get an index: below, an exact search takes a tenth of a second
# (docs/results/storage.md).
FIRST_PASSAGES = 200_000


async def update_index(runtime: Runtime, first: int = FIRST_PASSAGES) -> int:
    """Bring the index up to date unless another process does; returns how many partitions changed."""
    async with runtime.database.begin() as session:
        if not await plan(session, first):
            return 0
    async with try_lock(runtime.database, LOCK) as connection:
        if connection is None:
            return 0
        async with runtime.database.begin() as session:
            steps = await plan(session, first)
            dimension = await dimension_of_embeddings(session)
        if dimension is None:
            return 0
        await carry_out(connection, dimension, steps)
        return len(steps)
