"""Stage 1, first half: what every active source says to every active query, collected query by query.

A query is written whole, in one transaction, when all its sources are read: a run that was killed goes on with the
queries that have no row yet, and the cache knows the readings of the query it was killed in.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from answering.alignment import AlignmentReason, align
from answering.equivalence import ClassPolicy, classify
from answering.errors import BudgetSpent, ModelRefused, ModelUnavailable
from answering.passages import RetrievedPassage
from answering.voting.selection import ReadingStatus
from registry.concurrency import run_concurrently
from registry.models import Corpus, EstimationRun, Query, RunQuery, Vote
from registry.runtime import Runtime
from registry.store import events, passages
from registry.store.readings import CachedReader, Obtained, Origin, storable

# Queries collected at once: enough that the reader never waits for a search or a write.
QUERIES_IN_FLIGHT = 4
# Sources searched in one round trip; bounds the memory that the passages of one query take.
SOURCES_PER_SEARCH = 500

Vector = NDArray[np.float32]


class ReaderLost(ModelUnavailable):
    """Every reading of a query failed: there is no use in going on without the reader."""


@dataclass(frozen=True, slots=True)
class Cast:
    """What one source said to one query, before it is known which answers are the same."""

    source_id: UUID
    status: ReadingStatus
    answer: str | None
    alignment: float | None
    document_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Collected:
    """All that was said to one query, and what it cost."""

    query: Query
    casts: tuple[Cast, ...]
    made: int
    cached: int
    failed: int


class Collector:
    """Collects the votes of one run."""

    def __init__(
        self, runtime: Runtime, corpus: Corpus, run_id: UUID, source_ids: Sequence[UUID], policy: ClassPolicy
    ) -> None:
        self._runtime = runtime
        self._corpus = corpus
        self._run_id = run_id
        self._source_ids = list(source_ids)
        self._policy = policy
        self._reader = CachedReader(runtime.require_reader(), runtime.database)

    async def collect(self, queries: Sequence[Query]) -> bool:
        """Collect all the queries that have no row yet. Returns False if the run was asked to stop."""
        missing = await self._missing(queries)
        if not missing:
            return True
        vectors = await self._runtime.embedder.embed([query.text for query in missing])
        todo = iter(list(zip(missing, vectors, strict=True)))
        going_on = [True]

        async def work() -> None:
            for query, vector in todo:
                if going_on[0]:
                    going_on[0] &= await self._collect_one(query, vector)

        await run_concurrently(*(work() for _ in range(QUERIES_IN_FLIGHT)))
        return going_on[0]

    async def _missing(self, queries: Sequence[Query]) -> list[Query]:
        rows = select(RunQuery.query_id).where(RunQuery.estimation_id == self._run_id)
        async with self._runtime.database.begin() as session:
            done = set(await session.scalars(rows))
        return [query for query in queries if query.id not in done]

    async def _collect_one(self, query: Query, vector: Vector) -> bool:
        found = await self._search(query, vector)
        obtained = await self._reader.read_all(query.text, [texts(found[source_id]) for source_id in found])
        check_reader(obtained)
        threshold = self._runtime.settings.alignment_threshold
        casts = tuple(
            cast(source_id, found[source_id], one, threshold) for source_id, one in zip(found, obtained, strict=True)
        )
        async with self._runtime.database.begin() as session:
            return await self._write(session, _summed(query, casts, obtained))

    async def _search(self, query: Query, vector: Vector) -> dict[UUID, list[RetrievedPassage]]:
        found: dict[UUID, list[RetrievedPassage]] = {}
        for start in range(0, len(self._source_ids), SOURCES_PER_SEARCH):
            some = self._source_ids[start : start + SOURCES_PER_SEARCH]
            async with self._runtime.database.begin() as session:
                found |= await passages.top_passages(
                    session, self._corpus, some, query.text, vector, self._runtime.settings.passages_per_source
                )
        return {source_id: some for source_id, some in found.items() if some}

    async def _write(self, session: AsyncSession, collected: Collected) -> bool:
        voted = [one for one in collected.casts if one.status is ReadingStatus.ANSWERED]
        classes = classify([one.answer or "" for one in voted], self._policy)
        keys = {one.source_id: classes.class_of(place).key for place, one in enumerate(voted)}
        session.add_all(
            _vote(self._run_id, collected.query.id, one, keys.get(one.source_id)) for one in collected.casts
        )
        session.add(
            RunQuery(
                estimation_id=self._run_id,
                query_id=collected.query.id,
                query_text=collected.query.text,
                vote_count=len(voted),
            )
        )
        progress = (
            await session.execute(
                update(EstimationRun)
                .where(EstimationRun.id == self._run_id)
                .values(
                    queries_collected=EstimationRun.queries_collected + 1,
                    readings_made=EstimationRun.readings_made + collected.made,
                    readings_cached=EstimationRun.readings_cached + collected.cached,
                    readings_failed=EstimationRun.readings_failed + collected.failed,
                    votes_total=EstimationRun.votes_total + len(voted),
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
        ).one()
        counts = progress._asdict()
        cancelled = bool(counts.pop("cancel_requested"))
        events.publish(session, self._run_id, "progress", counts)
        return not cancelled


def texts(found: Sequence[RetrievedPassage]) -> tuple[str, ...]:
    """What a reader sees of the passages found."""
    return tuple(passage.content for passage in found)


def check_reader(obtained: Sequence[Obtained]) -> None:
    """Raise `ReaderLost` if the reader was asked and never answered: abstentions would be a lie then.

    Raises `BudgetSpent` where there was nothing to pay it with.
    """
    errors = [one.error for one in obtained if one.error is not None]
    asked = [one for one in obtained if one.origin is Origin.MADE]
    if not errors or len(errors) < len(asked):
        return
    if isinstance(errors[0], BudgetSpent):
        raise errors[0]
    if isinstance(errors[0], ModelUnavailable | ModelRefused):
        raise ReaderLost(str(errors[0])) from errors[0]


def cast(source_id: UUID, found: Sequence[RetrievedPassage], obtained: Obtained, threshold: float) -> Cast:
    """A vote, or why there is none, from a reading and the passages it was made from."""
    documents = tuple(dict.fromkeys(str(passage.document_id) for passage in found))
    if obtained.reading is None:
        return Cast(source_id, ReadingStatus.FAILED, None, None, documents)
    aligned = align(obtained.reading.answer, texts(found), threshold)
    status = {
        AlignmentReason.ALIGNED: ReadingStatus.ANSWERED,
        AlignmentReason.ABSTAINED: ReadingStatus.ABSTAINED,
        AlignmentReason.MISALIGNED: ReadingStatus.MISALIGNED,
    }[aligned.reason]
    return Cast(source_id, status, obtained.reading.answer, aligned.score, documents)


def _summed(query: Query, casts: tuple[Cast, ...], obtained: Sequence[Obtained]) -> Collected:
    made = sum(one.origin is Origin.MADE and one.error is None for one in obtained)
    cached = sum(one.origin is Origin.CACHED for one in obtained)
    return Collected(query, casts, made, cached, sum(one.error is not None for one in obtained))


def _vote(run_id: UUID, query_id: UUID, one: Cast, key: str | None) -> Vote:
    return Vote(
        estimation_id=run_id,
        query_id=query_id,
        source_id=one.source_id,
        status=one.status,
        answer=storable(one.answer) if one.answer is not None else None,
        answer_key=storable(key) if key is not None else None,
        alignment=one.alignment,
        document_ids=list(one.document_ids),
    )
