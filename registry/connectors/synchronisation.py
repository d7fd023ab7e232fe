"""One run of a connector: locations are listed and read concurrently, and what changed is written in batches."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import structlog
from uuid_utils.compat import uuid7

from registry.connectors import store as connectors
from registry.connectors.connector import NONE_YET, Connector, Content, Listing, Location, Seen
from registry.connectors.fetching import Validators
from registry.connectors.model import Connector as ConnectorRow
from registry.connectors.model import ConnectorLocation
from registry.connectors.reading import Batch, BatchQueue, batches_of, collected
from registry.connectors.result_schemas import ConnectorProblem, ConnectorReport
from registry.corpora.model import Corpus
from registry.disputes.contradictions import ContradictionFinder, contradiction_finder, looked_at
from registry.documents.imports import Line, write_documents
from registry.documents.schemas import DocumentLine, LineResult, LineStatus
from registry.platform.concurrency import run_concurrently
from registry.platform.database.locks import retry_on_disconnect
from registry.platform.errors import FetchFailed, NothingThere, Unreadable
from registry.runtime import Runtime

log = structlog.get_logger(__name__)

MAX_PROBLEMS = 100
MAX_PROBLEM_CHARACTERS = 1_000
SET_ASIDE = (
    "It cannot be read, takes more time or memory than it may, or ended the process twice: it is set aside until it "
    "changes, or the connector does."
)
# Of a process in one run, after which what it read is set aside.
MOST_INTERRUPTIONS = 2
LOCATIONS_AT_ONCE = 1_000


@dataclass(slots=True)
class Synchronisation:
    """A run of a connector, which counts what it does."""

    runtime: Runtime
    corpus: Corpus
    row: ConnectorRow
    connector: Connector
    deletes: bool
    counts: Counter[str] = field(default_factory=Counter)
    problems: list[ConnectorProblem] = field(default_factory=list)
    _finder: ContradictionFinder | None = None
    _read: set[str] = field(default_factory=set)
    _gone: set[str] = field(default_factory=set)
    _written: dict[tuple[str, str], str] = field(default_factory=dict)
    _kept: set[str] = field(default_factory=set)
    """Locations of which nothing is deleted, as some of their documents were refused."""

    @property
    def report(self) -> ConnectorReport:
        """The counts of the run so far."""
        return ConnectorReport(**self.counts, problems=self.problems)

    async def complete(self) -> None:
        """Do the whole run. Raises `FetchFailed` where nothing can be listed, `NotFound` if the connector is deleted
        meanwhile, and what writing documents raises.
        """
        if self.row.interrupted >= MOST_INTERRUPTIONS and self.row.reading is None:
            raise FetchFailed("The process that ran this connector ended twice, before it read anything.")
        if self.row.contradictions:
            self._finder = contradiction_finder(self.runtime, self.corpus, self.row.contradictions)
        listing = await self.connector.locations()
        for problem in listing.problems:
            self._fail(problem)
        self.counts["locations"] = len(listing.locations)
        async with self.runtime.database.begin() as session:
            stored = await connectors.locations_of(session, self.row.id)
        if self.row.interrupted:
            await self._complete_one_by_one(listing, stored)
        else:
            await self._complete_at_once(listing, stored)
        if self.deletes:
            listed = {location.key for location in listing.locations}
            await self._delete(stored.keys() - listed if listing.complete else set(), len(listed))

    async def _complete_at_once(self, listing: Listing, stored: dict[str, ConnectorLocation]) -> None:
        batches: BatchQueue = asyncio.Queue(self.runtime.settings.connector_concurrency)
        await run_concurrently(self._read_all(iter(listing.locations), stored, batches), self._write_all(batches))

    async def _complete_one_by_one(self, listing: Listing, stored: dict[str, ConnectorLocation]) -> None:
        """Finish a run whose process ended: note each location before reading it; set aside those that end it again."""
        for location in listing.locations:
            seen = _seen(stored.get(location.key))
            if location.key == self.row.reading and self.row.interrupted >= MOST_INTERRUPTIONS:
                seen = Seen(location.version, set_aside=True)
                await self._set_aside(location)
            async with self.runtime.database.begin() as session:
                await connectors.note_reading(session, self.row.id, location.key)
            async for batch in self._batches_of(location, seen):
                await self._write([batch])

    async def _set_aside(self, location: Location, content: Content | None = None) -> None:
        """Do not read a location again until it changes, so that later runs get behind it."""
        async with self.runtime.database.begin() as session:
            await connectors.require(session, self.row.id)
            await connectors.record_locations(session, [self._seen_row(location, content, set_aside=True)])
        log.warning("location_set_aside", connector_id=str(self.row.id), location=location.key)

    async def _read_all(
        self, locations: Iterator[Location], stored: dict[str, ConnectorLocation], batches: BatchQueue
    ) -> None:
        async def work() -> None:
            for location in locations:
                async for batch in self._batches_of(location, _seen(stored.get(location.key))):
                    await batches.put(batch)

        await run_concurrently(*(work() for _ in range(self.runtime.settings.connector_concurrency)))
        await batches.put(None)

    async def _changed(self, location: Location, seen: Seen) -> Content | None:
        """The content of a location, or None if it was read before. Raises as `read` does, and if it is set aside."""
        content = None
        # What ended the process has no content to compare.
        may_differ = seen.content_hash is not None or not seen.set_aside
        if location.version != seen.version or (location.version is None and may_differ):
            content = await self.connector.read(location, seen)
        if content is None and seen.set_aside:
            raise FetchFailed(SET_ASIDE)
        return content

    async def _batches_of(self, location: Location, seen: Seen) -> AsyncIterator[Batch]:
        """The documents of a location; what goes wrong with it is a problem of its own."""
        content = None
        try:
            content = await self._changed(location, seen)
            if content is None:
                self.counts["not_modified"] += 1
                return
            batches = batches_of(self.runtime.file_processes, content.documents)
            async for documents, held, more in batches:
                yield Batch(location, documents, held, None if more else content)
        except NothingThere as error:
            self._gone.add(location.key)
            if not self.deletes or seen == Seen():
                self._fail(ConnectorProblem(location.key, str(error)))
        except Unreadable as error:
            self._fail(ConnectorProblem(location.key, str(error)))
            if content is not None:
                await self._set_aside(location, content)
        except FetchFailed as error:
            self._fail(ConnectorProblem(location.key, str(error)))
        except Exception:  # whatever a library raises on damaged content is said of this location alone
            log.exception("location_failed", location=location.key)
            self._fail(ConnectorProblem(location.key, "Nothing could be read from it; the log has the details."))

    async def _write_all(self, batches: BatchQueue) -> None:
        ended = False
        while not ended:
            together, ended = await collected(batches)
            await self._write(together)

    async def _write(self, batches: list[Batch]) -> None:
        """Write documents, then that they and their locations were seen."""
        lines: list[Line[DocumentLine]] = []
        places: list[str] = []
        elsewhere: set[str] = set()
        for batch in batches:
            place = batch.location.key
            for document in batch.documents:
                if isinstance(document, ConnectorProblem):
                    self._reject(document, place)
                    continue
                written_from = self._written.setdefault((document.source, document.external_id or ""), place)
                if written_from != place:
                    elsewhere.add(place)
                else:
                    places.append(place)
                    lines.append(Line(len(places), uuid7(), document))
        results = await retry_on_disconnect(lambda: self._ingest(lines)) if lines else []
        recorded = {}
        for result in results:
            place = places[result.line - 1]
            if result.status is LineStatus.REJECTED:
                self._reject(ConnectorProblem(place, result.error or "", result.external_id), place)
                continue
            self.counts[result.status] += 1
            recorded[result.id] = self._row(place) | {"document_id": result.id, "run": self.row.run}
        # A location whose document was found at another one is read again, as that one may go away.
        skipped = elsewhere if self.deletes else set()
        whole = [(b.location, b.content) for b in batches if b.content is not None and b.location.key not in skipped]
        seen = [self._seen_row(location, content) for location, content in whole]
        async with self.runtime.database.begin() as session:
            await connectors.require(session, self.row.id)
            await connectors.record_documents(session, list(recorded.values()))
            await connectors.record_locations(session, seen)
        if self._finder is not None:
            for result in results:
                self.counts["contradictions"] += len((await looked_at(self._finder, result)).contradictions or ())
        self._read |= {row["location"] for row in seen}

    async def _ingest(self, lines: Sequence[Line[DocumentLine]]) -> list[LineResult]:
        return await write_documents(self.runtime, self.corpus, lines, key_id=self.row.key_id)

    async def _delete(self, unlisted: set[str], listed: int) -> None:
        """Delete the documents of locations that are gone, and those missing in locations that were read again."""
        if len(self._gone) == listed and (unlisted or self._gone):
            self._fail(ConnectorProblem("all", "Nothing is left of what was there, so nothing was deleted."), failed=0)
            return
        gone, with_documents = unlisted | self._gone, set(self._written.values())
        for locations in _groups(sorted(gone | (self._read & with_documents) - self._kept)):
            more = True
            while more:
                async with self.runtime.database.begin() as session:
                    await connectors.require(session, self.row.id)
                    deleted, more = await connectors.delete_documents(session, self.row, locations, self.row.run)
                self.counts["deleted"] += deleted
            async with self.runtime.database.begin() as session:
                await connectors.forget_locations(session, self.row.id, gone.intersection(locations))

    def _fail(self, problem: ConnectorProblem, *, failed: int = 1) -> None:
        self.counts["failed"] += failed
        if len(self.problems) < MAX_PROBLEMS:
            # Some libraries repeat what they could not read, which may be long, and nothing that can be stored.
            error = problem.error[:MAX_PROBLEM_CHARACTERS].encode("utf-8", "replace").decode().replace("\x00", " ")
            self.problems.append(replace(problem, error=error))

    def _reject(self, problem: ConnectorProblem, place: str) -> None:
        self._kept.add(place)
        self.counts["rejected"] += 1
        self._fail(problem, failed=0)

    def _row(self, location: str) -> dict[str, Any]:
        return {"connector_id": self.row.id, "location": location}

    def _seen_row(self, location: Location, content: Content | None, *, set_aside: bool = False) -> dict[str, Any]:
        validators = NONE_YET if content is None else content.validators
        return self._row(location.key) | {
            "version": location.version,
            "etag": validators.etag,
            "last_modified": validators.last_modified,
            "content_hash": None if content is None else content.content_hash,
            "set_aside": set_aside,
        }


def _seen(row: ConnectorLocation | None) -> Seen:
    if row is None:
        return Seen()
    return Seen(row.version, Validators(row.etag, row.last_modified), row.content_hash, row.set_aside)


def _groups(locations: list[str]) -> Iterator[list[str]]:
    for at in range(0, len(locations), LOCATIONS_AT_ONCE):
        yield locations[at : at + LOCATIONS_AT_ONCE]
