"""Collects the votes of an estimation run: the readings of its sources on every query.

Of many sources only those are read for a query in which one search over the corpus finds a passage worth reading. Votes
that cannot have changed since an earlier run are reused (`store/reuse`).

The votes of a piece are written in one transaction, once all its sources are read: whoever goes on with an interrupted
piece finds its readings in the cache.
"""

import asyncio
import contextlib
import time
from collections.abc import Mapping, Sequence
from typing import TypeAlias
from uuid import UUID

import structlog

from answering.passages import PassageTexts, RetrievedPassage
from answering.questions.asked_period import asked_period
from answering.voting import SourceReading, class_keys
from registry.estimations.collection.plan import Request, seconds_per_reading, timed_readings
from registry.estimations.model import RunPiece
from registry.estimations.store import collection, imported_votes, reuse
from registry.estimations.store.collection import AskedQuery, CollectedQuery, RunContext
from registry.events import store as events
from registry.passages.schemas import ALL_PASSAGES, PassageFilter
from registry.passages.store import top_passages, within_period
from registry.platform.concurrency import run_concurrently
from registry.platform.database.base import AsyncSession, Json
from registry.readings.service import SourceReader, candidates, stated_readings
from registry.runtime import Runtime

log = structlog.get_logger(__name__)

Readings: TypeAlias = Mapping[UUID, SourceReading]
Passages: TypeAlias = Mapping[UUID, Sequence[RetrievedPassage]]

# Enough concurrent queries that the reader never waits for a search or a write.
CONCURRENT_QUERIES = 4
# Share of the best candidate's relevance below which a source is not read. With the results of web searches three in
# four candidates are below it; they gave 13 % of the answers and 1 % of the right ones (`python -m benchmarks.web`).
WORTH_READING = 0.4
# Queries whose sources are searched for before the run, for the forecast.
FORECAST_QUERIES = 20
# Queries whose imported votes are copied in one transaction: a stop or a crash loses no more.
BATCH_QUERIES = 5_000
# How often it is looked whether the run shall stop, and how often logged how far it is.
CANCEL_SECONDS = 1.0
LOG_SECONDS = 10.0
# Counts of a run that its followers see.
SHOWN = ("queries_collected", "queries_total", "readings_made", "readings_cached", "readings_carried", "votes_total")


class _RunStopped(Exception):
    """The run was asked to stop, or was ended elsewhere."""


class VoteCollector:
    def __init__(self, runtime: Runtime, run: RunContext) -> None:
        self._runtime = runtime
        self._run = run
        self._run_id = run.id
        self._policy = run.parameters.class_policy
        # The search of the documents that were there is slower, and needed only once others were stored.
        self._all, self._earlier = ALL_PASSAGES, PassageFilter(stored_until=run.began)
        self._reader = SourceReader(runtime, run.corpus, self._policy)
        self._logged = time.monotonic()

    async def collect(self, piece: RunPiece | None = None, at_once: int = 1) -> bool:
        """Read a piece, or all that nobody has taken, so many at once. Returns False if the run ended meanwhile.

        Readings under way are given up when the run is cancelled; those made are kept. Raises what `SourceReader.read`
        raises.
        """
        finished = asyncio.Event()

        async def work_all() -> None:
            works = [self._read(piece)] if piece else [self._read_waiting() for _ in range(at_once)]
            await run_concurrently(*works)
            finished.set()

        try:
            await run_concurrently(work_all(), self._watch(finished))
        except _RunStopped:
            return False
        return not await self._is_stopped()

    async def copy_imported(self) -> bool:
        """Copy the imported votes on queries that came with votes. Returns False if the run ended meanwhile."""
        last = UUID(int=0)
        while True:
            if await self._is_stopped():
                return False
            progress: Json = {}
            async with self._runtime.database.begin() as session:
                queries = await collection.voted_queries(session, self._run.corpus, last, BATCH_QUERIES)
                if not queries:
                    return True
                last = max(queries)
                counts = await imported_votes.copy_votes(session, self._run, queries)
                if counts["queries_collected"]:
                    progress = await self._count(session, counts)
            with contextlib.suppress(_RunStopped):
                self._look_at(progress)

    async def forecast(self, queries: Mapping[UUID, str]) -> None:
        """Publish about how many readings these queries take, by a sample of them, and how long, by timing some."""
        earlier, known = self._run.reused_run_id, set[UUID]()
        if earlier is not None:
            async with self._runtime.database.begin() as session:
                known = await reuse.known_queries(session, earlier, queries)
        rest = [(query_id, query) for query_id, query in queries.items() if query_id not in known]
        sample = await self._asked(rest[:: -(-len(rest) // FORECAST_QUERIES) or 1])
        async with self._runtime.database.begin() as session:
            stated = await self._stated(session, sample, self._all)
            sources = [await self._sources(session, query, self._all, stated[query.id]) for query in sample]
        new = [(query, source_id) for query, ids in zip(sample, sources, strict=True) for source_id in ids]
        readings = round(len(new) * len(rest) / max(len(sample), 1))
        timed = min(timed_readings(self._runtime, readings), len(new))
        requests = await self._requests([new[index * len(new) // timed] for index in range(timed)])
        each = await seconds_per_reading(self._runtime, self._run.corpus, requests)
        seconds = None if each is None else round(each * readings)
        forecast = {"queries": len(queries), "readings": readings, "seconds": seconds}
        async with self._runtime.database.begin() as session:
            events.publish(session, self._run_id, "forecast", forecast)
        log.info("estimation_forecast", estimation_id=str(self._run_id), **forecast)

    async def _requests(self, pairs: Sequence[tuple[AskedQuery, UUID]]) -> list[Request]:
        """The requests to the reader for these queries and sources, of those that have passages."""
        k, requests = self._runtime.settings.passages_per_source, list[Request]()
        async with self._runtime.database.begin() as session:
            for query, source_id in pairs:
                found = await top_passages(session, self._run.corpus, [source_id], query.text, query.vector, k)
                requests += [(query.text, PassageTexts.of(found[source_id]))] if found[source_id] else []
        return requests

    async def _watch(self, finished: asyncio.Event) -> None:
        """Raise `_RunStopped` soon after the run was asked to stop or ended."""
        while not finished.is_set():
            if await self._is_stopped():
                raise _RunStopped
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(finished.wait(), CANCEL_SECONDS)

    async def _read_waiting(self) -> None:
        while True:
            async with self._runtime.database.begin() as session:
                piece = await collection.take_piece(session, self._run_id)
            if piece is None:
                return
            await self._read(piece)

    async def _is_stopped(self) -> bool:
        async with self._runtime.database.begin() as session:
            return not await collection.goes_on(session, self._run_id)

    async def _read(self, piece: RunPiece) -> None:
        queries = await self._asked(await self._reuse(await self._missing(piece)))
        collected = await self._collect(queries)
        progress: Json = {}
        async with self._runtime.database.begin() as session:
            if counts := await collection.write_votes(session, self._run_id, collected):
                progress = await self._count(session, counts)
            await collection.delete_piece(session, piece)
        self._look_at(progress)

    async def _asked(self, queries: Sequence[tuple[UUID, str]]) -> list[AskedQuery]:
        vectors = await self._runtime.embedder.embed([query for _, query in queries])
        async with self._runtime.database.begin() as session:
            periods = await collection.periods_of(session, self._run, queries)
        asked = zip(queries, vectors, strict=True)
        return [AskedQuery(query_id, query, vector, periods.get(query_id)) for (query_id, query), vector in asked]

    async def _collect(self, queries: Sequence[AskedQuery]) -> list[CollectedQuery]:
        where = await self._documents()
        searched = await self._search(queries, where)
        if where is self._all and await self._documents() is not where:
            # Some of what was found may have been stored meanwhile.
            searched = await self._search(queries, self._earlier)
        remaining, collected = iter(searched), list[CollectedQuery]()

        async def work() -> None:
            for query, passages, stated in remaining:
                readings = dict(stated)
                if passages:
                    readings |= await self._reader.read_passages(query.text, passages)
                keys = class_keys(readings, self._policy, query.text)
                collected.append(CollectedQuery(query, readings, keys))

        await run_concurrently(*(work() for _ in range(CONCURRENT_QUERIES)))
        return collected

    async def _search(
        self, queries: Sequence[AskedQuery], where: PassageFilter
    ) -> list[tuple[AskedQuery, Passages, Readings]]:
        """The queries with the passages to read, and what the other sources state as data."""
        remaining, searched = iter(queries), list[tuple[AskedQuery, Passages, Readings]]()
        k = self._runtime.settings.passages_per_source
        async with self._runtime.database.begin() as session:
            stated = await self._stated(session, queries, where)

        async def work() -> None:
            async with self._runtime.database.begin() as session:
                for query in remaining:
                    of_period = await within_period(session, self._run.corpus, query.period, where)
                    source_ids = await self._sources(session, query, of_period, stated[query.id])
                    passages: Passages = {}
                    if source_ids:
                        corpus, vector = self._run.corpus, query.vector
                        passages = await top_passages(session, corpus, source_ids, query.text, vector, k, of_period)
                    searched.append((query, passages, stated[query.id]))

        await run_concurrently(*(work() for _ in range(min(CONCURRENT_QUERIES, len(queries)))))
        return searched

    async def _missing(self, piece: RunPiece) -> list[tuple[UUID, str]]:
        queries = {UUID(query_id): text for query_id, text in piece.queries.items()}
        async with self._runtime.database.begin() as session:
            collected = await collection.collected_queries(session, self._run_id, queries.keys())
        return [(query_id, text) for query_id, text in queries.items() if query_id not in collected]

    async def _documents(self) -> PassageFilter:
        async with self._runtime.database.begin() as session:
            return (
                self._earlier if await collection.any_newer(session, self._run.corpus, self._run.began) else self._all
            )

    async def _stated(
        self, session: AsyncSession, queries: Sequence[AskedQuery], where: PassageFilter
    ) -> Mapping[UUID, Readings]:
        """The values that sources state as data, by query."""
        asked, run = {query.text: query.vector for query in queries}, self._run
        found = await stated_readings(session, run.corpus, asked, run.source_ids, self._policy, where)
        return {query.id: found.get(query.text, {}) for query in queries}

    async def _sources(
        self, session: AsyncSession, query: AskedQuery, where: PassageFilter, stated: Readings
    ) -> list[UUID]:
        """The sources to read for a query, of which it is not known already what they state."""
        source_ids = [source_id for source_id in self._run.source_ids if source_id not in stated]
        if not source_ids:
            return []
        relevance = await candidates(
            session,
            self._run.corpus,
            query.text,
            query.vector,
            source_count=len(self._run.source_ids),
            candidates_only=self._run.parameters.candidates_only,
            where=where,
        )
        if relevance is None:
            return source_ids
        least = WORTH_READING * max(relevance.values(), default=0.0)
        return [source_id for source_id in source_ids if relevance.get(source_id, -1.0) >= least]

    async def _reuse(self, queries: list[tuple[UUID, str]]) -> list[tuple[UUID, str]]:
        """Carry over those of the queries of which no vote can have changed; returns the others."""
        earlier = self._run.reused_run_id
        if earlier is None:
            return queries
        # Whether documents of another time are read depends on all sources.
        unchanged = [(query_id, query) for query_id, query in queries if not asked_period(query, self._run.began)]
        progress: Json = {}
        async with self._runtime.database.begin() as session:
            reused = await reuse.reuse_queries(session, self._run_id, earlier, dict(unchanged))
            if reused.query_ids:
                counts = {
                    "queries_collected": len(reused.query_ids),
                    "readings_cached": reused.readings,
                    "readings_carried": reused.readings,
                    "votes_total": reused.votes,
                }
                progress = await self._count(session, counts)
        self._look_at(progress)
        return [(query_id, query) for query_id, query in queries if query_id not in reused.query_ids]

    def _look_at(self, progress: Json) -> None:
        """Log how far the run is, now and then; raise `_RunStopped` if it was asked to stop."""
        if progress.pop("cancel_requested", False):
            raise _RunStopped
        if progress and time.monotonic() - self._logged >= LOG_SECONDS:
            self._logged = time.monotonic()
            log.info("estimation_progress", estimation_id=str(self._run_id), **progress)

    async def _count(self, session: AsyncSession, more: Mapping[str, int]) -> Json:
        """Add to the counts of the run and publish how far it is; returns that, and whether it shall stop."""
        # The row of the run is locked from here on, so that its events are committed in the order of their numbers.
        progress = await collection.add_counts(session, self._run_id, more, SHOWN)
        events.publish(session, self._run_id, "progress", {name: progress[name] for name in SHOWN})
        return progress
