"""Collects the votes of an estimation run: the reading of every active source on every active query.

The votes of a query are written in one transaction, once all its sources are read: an interrupted run continues with
the queries that have no row yet, and the cache holds the readings of the query that was interrupted.
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

from sqlalchemy import Executable, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from answering.equivalence import ClassPolicy
from answering.voting import ReadingStatus, SourceReading, class_keys
from registry.concurrency import run_concurrently
from registry.models import Corpus, EstimationRun, Query, RunQuery, Vote
from registry.reading import SourceReader
from registry.runtime import Runtime
from registry.store import events
from registry.store.passages import Vector

# Enough concurrent queries that the reader never waits for a search or a write.
CONCURRENT_QUERIES = 4


class VoteCollector:
    """Collects the votes of one run."""

    def __init__(
        self, runtime: Runtime, corpus: Corpus, run_id: UUID, source_ids: Sequence[UUID], policy: ClassPolicy
    ) -> None:
        self._runtime = runtime
        self._run_id = run_id
        self._source_ids = list(source_ids)
        self._policy = policy
        self._reader = SourceReader(runtime, corpus, policy)

    async def collect(self, queries: Sequence[Query]) -> bool:
        """Collect the queries that have no row yet. Returns False if the run was cancelled meanwhile.

        Raises what `SourceReader.read` raises.
        """
        missing = await self._missing(queries)
        if not missing:
            return True
        vectors = await self._runtime.embedder.embed([query.text for query in missing])
        remaining = iter(list(zip(missing, vectors, strict=True)))
        cancelled = False

        async def work() -> None:
            nonlocal cancelled
            for query, vector in remaining:
                if cancelled:
                    return
                if await self._collect_query(query, vector):
                    cancelled = True

        await run_concurrently(*(work() for _ in range(CONCURRENT_QUERIES)))
        return not cancelled

    async def _missing(self, queries: Sequence[Query]) -> list[Query]:
        rows = select(RunQuery.query_id).where(RunQuery.estimation_id == self._run_id)
        async with self._runtime.database.begin() as session:
            collected = set(await session.scalars(rows))
        return [query for query in queries if query.id not in collected]

    async def _collect_query(self, query: Query, vector: Vector) -> bool:
        """Returns whether the run was cancelled."""
        readings = await self._reader.read(query.text, vector, self._source_ids)
        async with self._runtime.database.begin() as session:
            return await self._write(session, query, readings)

    async def _write(self, session: AsyncSession, query: Query, readings: Mapping[UUID, SourceReading]) -> bool:
        keys = class_keys(readings, self._policy)
        session.add_all(
            _vote(self._run_id, query.id, source_id, reading, keys.get(source_id))
            for source_id, reading in readings.items()
            if reading.status is not ReadingStatus.NO_PASSAGES
        )
        session.add(
            RunQuery(estimation_id=self._run_id, query_id=query.id, query_text=query.text, vote_count=len(keys))
        )
        progress = (await session.execute(self._progress(readings, len(keys)))).one()._asdict()
        cancelled = bool(progress.pop("cancel_requested"))
        events.publish(session, self._run_id, "progress", progress)
        return cancelled

    def _progress(self, readings: Mapping[UUID, SourceReading], votes: int) -> Executable:
        failed = sum(reading.error is not None for reading in readings.values())
        cached = sum(reading.cached for reading in readings.values())
        read = sum(reading.status is not ReadingStatus.NO_PASSAGES for reading in readings.values())
        return (
            update(EstimationRun)
            .where(EstimationRun.id == self._run_id)
            .values(
                queries_collected=EstimationRun.queries_collected + 1,
                readings_made=EstimationRun.readings_made + read - failed - cached,
                readings_cached=EstimationRun.readings_cached + cached,
                readings_failed=EstimationRun.readings_failed + failed,
                votes_total=EstimationRun.votes_total + votes,
            )
            .returning(
                EstimationRun.cancel_requested,
                EstimationRun.queries_collected,
                EstimationRun.queries_total,
                EstimationRun.readings_made,
                EstimationRun.readings_cached,
                EstimationRun.votes_total,
            )
        )


def _vote(run_id: UUID, query_id: UUID, source_id: UUID, reading: SourceReading, key: str | None) -> Vote:
    return Vote(
        estimation_id=run_id,
        query_id=query_id,
        source_id=source_id,
        status=reading.status,
        answer=reading.answer,
        answer_key=key,
        alignment=reading.alignment,
        document_ids=list(reading.document_ids),
        published_at=reading.published_at if key is not None else None,
    )
