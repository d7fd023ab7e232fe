"""The votes on the queries of a piece, as they are collected and written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from answering.voting import ReadingStatus, SourceReading
from registry.estimations.collection.run_context import RunContext
from registry.estimations.model import Vote
from registry.estimations.store.collection import add_queries
from registry.passages.store import Vector
from registry.platform.database.base import AsyncSession
from registry.readings.service import reading_id


@dataclass(frozen=True, slots=True)
class AskedQuery:
    """A query of a run, with its embedding."""

    id: UUID
    text: str
    vector: Vector


@dataclass(frozen=True, slots=True)
class CollectedQuery:
    """A query with its readings and their answer classes."""

    query: AskedQuery
    readings: Mapping[UUID, SourceReading]
    keys: Mapping[UUID, str]


async def write_votes(session: AsyncSession, run: RunContext, collected: Sequence[CollectedQuery]) -> dict[str, int]:
    """Write the votes on queries that have none; returns what to add to the counts of the run: nothing if all had
    votes, by a worker that was taken for dead.
    """
    by_id = {each.query.id: each for each in collected}
    counted = {query_id: (each.query.text, len(each.keys)) for query_id, each in by_id.items()}
    added = {query_id: by_id[query_id] for query_id in await add_queries(session, run.id, counted)}
    if not added:
        return {}
    session.add_all(
        _vote(run.id, each.query, source_id, reading, each.keys.get(source_id))
        for each in added.values()
        for source_id, reading in each.readings.items()
        if reading.status is not ReadingStatus.NO_PASSAGES
    )
    readings = [reading for each in added.values() for reading in each.readings.values()]
    read = sum(reading.status is not ReadingStatus.NO_PASSAGES and not reading.stated for reading in readings)
    failed = sum(reading.error is not None for reading in readings)
    cached = sum(reading.cached for reading in readings)
    return {
        "queries_collected": len(added),
        "readings_made": read - failed - cached,
        "readings_cached": cached,
        "readings_failed": failed,
        "votes_total": sum(len(each.keys) for each in added.values()),
    }


def _vote(run_id: UUID, query: AskedQuery, source_id: UUID, reading: SourceReading, key: str | None) -> Vote:
    return Vote(
        estimation_id=run_id,
        query_id=query.id,
        source_id=source_id,
        status=reading.status,
        answer=reading.answer,
        answer_key=key,
        alignment=reading.alignment,
        confidence=reading.confidence if key is not None else None,
        stated=reading.stated,
        imported=reading.imported,
        reading_id=reading_id(query.text, reading),
        document_ids=list(reading.document_ids),
        published_at=reading.published_at if key is not None else None,
    )
