"""How many lists of the index a search reads: as few as find what an exact search finds, measured on the index.

How many that are depends on the embeddings: those in clear clusters need a fifth of what others need. Passages of one
partition stand in for questions to the next one, which has nothing of their documents.
"""

from collections.abc import Sequence

import structlog
from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncSession

from registry.models import EmbeddingSpace
from registry.store.passages.statements import CANDIDATE_PASSAGES, indexed
from registry.store.passages.vector_index import Partition, look_up_index, searching

log = structlog.get_logger(__name__)

TRIED = (4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
# Share of the nearest passages that must be found, in the mean. Questions are further from passages than passages are:
# where these find 0.957, 0.978 and 0.984, real questions find 0.935, 0.962 and 0.971 of their candidate sources
# (`python -m benchmarks.questions.lists`).
LEAST_RECALL = 0.975
QUERIES_PER_PARTITION = 16
# Whole pages are sampled; passages of one page are likely to be of one document.
SAMPLED_PASSAGES = 400

Vectors = Sequence[str]
Keys = frozenset[tuple[object, ...]]


async def needs_calibration(session: AsyncSession) -> bool:
    """Whether there is an index, and nobody measured how many lists of it a search must read."""
    unmeasured = await session.scalar(select(EmbeddingSpace).where(EmbeddingSpace.index_probes.is_(None)))
    return unmeasured is not None and await look_up_index(session) is not None


async def calibrate(session: AsyncSession) -> None:
    """Measure how many lists searches must read, if there is an index, and store it."""
    index = await look_up_index(session)
    if index is None:
        return
    space = await session.get_one(EmbeddingSpace, True)
    partitions = list(index.partitions.values())
    nearest = max(CANDIDATE_PASSAGES // len(partitions), 1)
    queries = {
        searched.name: await _sample(session, sampled)
        for sampled, searched in zip(partitions, [*partitions[1:], partitions[0]], strict=True)
    }
    exact = await _nearest(session, queries, "embedding", space.dimension, nearest)
    probes, recall = TRIED[0], 0.0
    for probes in TRIED:
        async with searching(session, probes):
            found = await _nearest(session, queries, indexed(space.dimension), space.dimension, nearest)
        recall = _recall(exact, found)
        if recall >= LEAST_RECALL:
            break
    space.index_probes = probes
    log.info("vector_index_calibrated", probes=probes, recall=round(recall, 3), queries=len(exact))


async def _sample(session: AsyncSession, partition: Partition) -> Vectors:
    """Embeddings of some passages."""
    percent = min(100.0, 100.0 * SAMPLED_PASSAGES / max(partition.passages, 1.0))
    statement = text(
        f"SELECT CAST(embedding AS text) FROM {partition.name} TABLESAMPLE SYSTEM (:percent) ORDER BY random() LIMIT :n"  # noqa: S608
    )
    return (await session.scalars(statement, {"percent": percent, "n": QUERIES_PER_PARTITION})).all()


async def _nearest(
    session: AsyncSession, queries: dict[str, Vectors], embedding: str, dimension: int, limit: int
) -> list[Keys]:
    """The nearest passages of each query in its partition."""
    found = []
    for partition, vectors in queries.items():
        statement = text(
            f"SELECT source_id, document_id, ordinal FROM {partition}"  # noqa: S608
            f" ORDER BY {embedding} <=> CAST(:vector AS halfvec({dimension})) LIMIT :limit"
        )
        for vector in vectors:
            rows = await session.execute(statement, {"vector": vector, "limit": limit})
            found.append(frozenset(tuple(row) for row in rows))
    return found


def _recall(exact: Sequence[Keys], found: Sequence[Keys]) -> float:
    shares = [len(wanted & got) / len(wanted) for wanted, got in zip(exact, found, strict=True) if wanted]
    return sum(shares) / len(shares) if shares else 0.0
