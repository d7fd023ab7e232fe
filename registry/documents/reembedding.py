"""All passages embedded anew, where the settings name another embedder."""

from collections.abc import Callable

from answering.embedders import Embedder
from registry.passages.store import reembedding as store
from registry.platform.database.engine import Database

BATCH = 256


async def reembed(database: Database, embedder: Embedder, progress: Callable[[int, int], None]) -> int:
    """Returns how many passages were embedded; one that was interrupted goes on where it ended.

    `progress` is told how many are done, of how many. No other process may use the database. Raises `ModelError`.
    """
    async with database.begin() as session:
        left = await store.begin_reembedding(session, embedder)
    done, after = 0, store.START
    while done < left:
        async with database.begin() as session:
            batch = await store.unembedded(session, after, BATCH)
        vectors = await embedder.embed([row.content for row in batch], passages=True)
        keys = [(row.source_id, row.document_id, row.ordinal) for row in batch]
        async with database.begin() as session:
            await store.write_embeddings(session, keys, vectors)
        done, after = done + len(batch), keys[-1]
        progress(done, left)
    async with database.begin() as session:
        await store.end_reembedding(session, embedder)
    return done
