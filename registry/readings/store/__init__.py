"""Readings: the same reader, question and passages are read once; which look misread, and what people say of them."""

import asyncio
from collections.abc import Sequence, Set
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, TypeAlias
from uuid import UUID

from sqlalchemy import Select, and_, cast, exists, func, literal, or_, select, tuple_
from sqlalchemy.dialects.postgresql import REAL, insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from answering.enums import AbstentionReason
from answering.errors import ModelError
from answering.models import Usage
from answering.passages import PassageTexts
from answering.readers import Location, Reader, Reading
from registry.corpora.model import Corpus
from registry.estimations.model import EstimationRun, RunQuery, RunSource, Vote
from registry.events import audit
from registry.platform.database.engine import Database
from registry.platform.database.group_commit import GroupCommit
from registry.platform.database.paging import Page, decode_cursor, encode_cursor
from registry.platform.digest import digest
from registry.platform.enums import AuditAction, Verdict
from registry.platform.errors import NotFound
from registry.platform.fields import storable
from registry.readings.model import CachedReading, MisreadingVerdict
from registry.viewers.model import ALL_SEEING, Viewer
from registry.viewers.store import visible_run_answer, visible_run_queries, visible_votes

Row: TypeAlias = dict[str, Any]

SUSPECTED: Final = 0.5
"""Probability from which on a reading looks misread."""
EARLIER_READINGS: Final = 1000
"""Whose time is averaged."""


@dataclass(frozen=True, slots=True)
class SuspectedReading:
    """A reading of a run that looks misread, or that a person judged."""

    vote: Vote
    question: str
    source_name: str | None
    run_answer: str | None
    verdict: MisreadingVerdict | None


class CachedReader:
    """A reader with a cache in the database.

    Each reading is stored as soon as it is made, together with others that are ready at the same time, so that a
    process that is killed loses only the readings in progress: as many as it has slots, where slots are given. Equal
    readings requested at the same time are made once.
    """

    def __init__(
        self,
        reader: Reader,
        database: Database,
        corpus_id: UUID | None = None,
        slots: AbstractAsyncContextManager[None] | None = None,
        *,
        may_lag: bool = False,
    ) -> None:
        """Give `may_lag` to look up readings as `Database.read` does, and those missing there on the primary."""
        self.reader = reader
        self._database = database
        self._corpus_id = corpus_id
        self._slots = slots or nullcontext()
        self._may_lag = may_lag and database.replica is not None
        self._in_progress: dict[bytes, asyncio.Task[Reading | ModelError]] = {}
        self._group_commit = GroupCommit(self._store)

    async def read_all(
        self, question: str, per_source: Sequence[PassageTexts], source_ids: Sequence[UUID] = ()
    ) -> list[Reading | ModelError]:
        """A reading of the question from each list of passages, in their order; a failure is returned, not raised.

        `source_ids`, one for each list, are the sources with which new readings will be deleted.
        """
        prompt_hash = digest(self.reader.prompt_hash, question)
        hashes = [_digest_of(passages) for passages in per_source]
        cached = await self._look_up(prompt_hash, set(hashes))
        owners: Sequence[UUID | None] = source_ids or ([None] * len(hashes))
        new = {
            key: self._make_once(question, passages, prompt_hash, key, source_id)
            for passages, key, source_id in zip(per_source, hashes, owners, strict=True)
            if key not in cached
        }
        try:
            made = dict(zip(new, await asyncio.gather(*new.values()), strict=True))
        finally:
            # After an error those that wait for a slot: they could not be stored either.
            for task in new.values():
                task.cancel()
        return [cached[key] if key in cached else made[key] for key in hashes]

    async def _look_up(self, prompt_hash: bytes, hashes: Set[bytes]) -> dict[bytes, Reading]:
        async def stored(session: AsyncSession) -> dict[bytes, Reading]:
            rows = select(CachedReading).where(
                CachedReading.reader == self.reader.name,
                CachedReading.prompt_hash == prompt_hash,
                CachedReading.passages_hash.in_(hashes - found.keys()),
            )
            return {row.passages_hash: _reading(row) for row in await session.scalars(rows)}

        found: dict[bytes, Reading] = {}
        if self._may_lag:
            found = await self._database.read(stored)
        if found.keys() != hashes:
            async with self._database.begin() as session:
                found |= await stored(session)
        return found

    def _make_once(
        self, question: str, passages: PassageTexts, prompt_hash: bytes, passages_hash: bytes, source_id: UUID | None
    ) -> "asyncio.Task[Reading | ModelError]":
        key = prompt_hash + passages_hash
        task = self._in_progress.get(key)
        if task is None:
            task = asyncio.create_task(self._make(question, passages, prompt_hash, passages_hash, source_id))
            self._in_progress[key] = task
            task.add_done_callback(lambda _: self._in_progress.pop(key, None))
        return task

    async def _make(
        self, question: str, passages: PassageTexts, prompt_hash: bytes, passages_hash: bytes, source_id: UUID | None
    ) -> Reading | ModelError:
        async with self._slots:
            try:
                reading = _storable_reading(await self.reader.read(question, passages.contents, passages.contexts))
            except ModelError as error:
                return error
            await self._group_commit.write(self._row(reading, prompt_hash, passages_hash, source_id))
        return reading

    def _row(self, reading: Reading, prompt_hash: bytes, passages_hash: bytes, source_id: UUID | None) -> Row:
        return {
            "corpus_id": self._corpus_id,
            "source_id": source_id,
            "reader": self.reader.name,
            "prompt_hash": prompt_hash,
            "passages_hash": passages_hash,
            "answer": reading.answer,
            "raw": reading.raw,
            "confidence": reading.confidence,
            "reason": reading.reason,
            "passage": reading.location.passage if reading.location else None,
            "start_offset": reading.location.start if reading.location else None,
            "end_offset": reading.location.end if reading.location else None,
            **asdict(reading.usage),
        }

    async def _store(self, rows: Sequence[Row]) -> None:
        async with self._database.begin() as session:
            # In one order everywhere, or two runs that read the same would wait for each other.
            ordered = sorted(rows, key=lambda row: (row["prompt_hash"], row["passages_hash"]))
            await session.execute(insert(CachedReading).on_conflict_do_nothing(), ordered)


def _storable_reading(reading: Reading) -> Reading:
    """The reading as the cache will return it, so that the first and later answers to a question are the same."""
    answer = storable(reading.answer) if reading.answer is not None else None
    return replace(reading, answer=answer, raw=storable(reading.raw))


def _reading(row: CachedReading) -> Reading:
    """The reading as it was made; its usage is zero."""
    location = None
    if row.passage is not None and row.start_offset is not None and row.end_offset is not None:
        location = Location(row.passage, row.start_offset, row.end_offset)
    reason = AbstentionReason(row.reason) if row.reason else None
    return Reading(row.answer, row.raw, row.confidence, Usage(), location, cached=True, reason=reason)


def _digest_of(texts: PassageTexts) -> bytes:
    return digest(*texts.contents, *(("", *texts.contexts) if texts.contexts else ()))


async def mean_milliseconds(session: AsyncSession, reader: str, corpus: Corpus | None) -> float | None:
    """The mean of some earlier readings by a reader, of the corpus or of all; None without any."""
    times = select(CachedReading.milliseconds).where(CachedReading.reader == reader)
    if corpus is not None:
        times = times.where(CachedReading.corpus_id == corpus.id)
    mean = await session.scalar(select(func.avg(times.limit(EARLIER_READINGS).subquery().c.milliseconds)))
    return None if mean is None else float(mean)


async def confirmed_misreadings(session: AsyncSession, corpus: Corpus) -> frozenset[UUID]:
    """The readings of the corpus that a person found misread."""
    rows = select(MisreadingVerdict.reading_id).where(
        MisreadingVerdict.corpus_id == corpus.id, MisreadingVerdict.verdict == Verdict.CONFIRMED
    )
    return frozenset(await session.scalars(rows))


async def suspected(
    session: AsyncSession,
    run: EstimationRun,
    *,
    open_only: bool = False,
    cursor: str | None = None,
    limit: int,
    viewer: Viewer = ALL_SEEING,
) -> Page[SuspectedReading]:
    """The readings of a run that look misread and those that a person judged, or with `open_only` those that nobody
    judged; the most suspect first.

    Raises `NotFound` for a cursor behind a reading that is not of the run.
    """
    certainty = func.coalesce(-Vote.misread, cast(0.0, REAL))
    key = (certainty, Vote.reading_id)
    rows = _suspected(run, open_only=open_only, viewer=viewer).order_by(*key)
    if cursor is not None:
        last = await _vote_of(session, run, decode_cursor(cursor))
        rows = rows.where(tuple_(*key) > tuple_(cast(-(last.misread or 0.0), REAL), literal(last.reading_id)))
    found = [SuspectedReading(*row) for row in await session.execute(rows.limit(limit + 1))]
    items = found[:limit]
    return Page(items, encode_cursor(items[-1].vote.reading_id or UUID(int=0)) if len(found) > limit else None)


async def suspected_count(session: AsyncSession, run: EstimationRun, viewer: Viewer = ALL_SEEING) -> int:
    """The number of readings of the run that look misread and that nobody judged."""
    counted = select(func.count()).select_from(_suspected(run, open_only=True, viewer=viewer).subquery())
    return await session.scalar(counted) or 0


async def judge(
    session: AsyncSession, corpus: Corpus, run: EstimationRun | None, reading_id: UUID, verdict: Verdict, by: str
) -> MisreadingVerdict:
    """Set the verdict on a reading of the run, or on one that has a verdict; raises `NotFound` for any other."""
    row = await session.get(MisreadingVerdict, (corpus.id, reading_id), with_for_update=True)
    before = None if row is None else {"verdict": row.verdict}
    if row is None:
        if run is None:
            raise NotFound("reading of the current estimation", reading_id)
        vote = await _vote_of(session, run, reading_id)
        query = await session.get_one(RunQuery, (run.id, vote.query_id))
        row = MisreadingVerdict(
            corpus_id=corpus.id,
            reading_id=reading_id,
            source_id=vote.source_id,
            question=query.query_text,
            answer=vote.answer or "",
        )
        session.add(row)
    row.verdict, row.created_by = verdict, by
    audit.record(
        session, AuditAction.MISREADING_JUDGED, reading_id, corpus.id, before=before, after={"verdict": str(verdict)}
    )
    await session.flush()
    await session.refresh(row)
    return row


async def withdraw(session: AsyncSession, corpus: Corpus, reading_id: UUID) -> None:
    """Delete the verdict on a reading; raises `NotFound` if there is none."""
    row = await session.get(MisreadingVerdict, (corpus.id, reading_id), with_for_update=True)
    if row is None:
        raise NotFound("verdict on reading", reading_id)
    await session.delete(row)
    before = {"verdict": row.verdict}
    audit.record(session, AuditAction.MISREADING_VERDICT_DELETED, reading_id, corpus.id, before=before)
    await session.flush()


def _suspected(
    run: EstimationRun, *, open_only: bool, viewer: Viewer
) -> Select[Vote, str, str | None, str | None, MisreadingVerdict | None]:
    of_query = and_(RunQuery.estimation_id == Vote.estimation_id, RunQuery.query_id == Vote.query_id)
    of_source = and_(RunSource.estimation_id == Vote.estimation_id, RunSource.source_id == Vote.source_id)
    judged = and_(MisreadingVerdict.reading_id == Vote.reading_id, MisreadingVerdict.corpus_id == run.corpus_id)
    rows = (
        select(Vote, RunQuery.query_text, RunSource.source_name, visible_run_answer(viewer), MisreadingVerdict)
        .join(RunQuery, of_query)
        .outerjoin(RunSource, of_source)
        .outerjoin(MisreadingVerdict, judged)
        .where(Vote.estimation_id == run.id, Vote.reading_id.is_not(None))
        .where(*visible_run_queries(viewer), *visible_votes(viewer))
    )
    # A query may be there twice: its readings are listed once.
    other = aliased(Vote)
    same = and_(other.estimation_id == Vote.estimation_id, other.reading_id == Vote.reading_id)
    rows = rows.where(~exists().where(same, other.query_id < Vote.query_id))
    looks_misread, is_judged = Vote.misread >= SUSPECTED, MisreadingVerdict.reading_id.is_not(None)
    return rows.where(looks_misread, ~is_judged) if open_only else rows.where(or_(looks_misread, is_judged))


async def _vote_of(session: AsyncSession, run: EstimationRun, reading_id: UUID) -> Vote:
    rows = select(Vote).where(Vote.estimation_id == run.id, Vote.reading_id == reading_id)
    vote = (await session.scalars(rows.order_by(Vote.query_id).limit(1))).first()
    if vote is None:
        raise NotFound("reading of the current estimation", reading_id)
    return vote
