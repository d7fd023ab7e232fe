"""Cached readings: the same reader, question and passages are read once."""

import asyncio
import hashlib
from collections.abc import Sequence, Set
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any, TypeAlias
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from answering.errors import ModelError
from answering.models import Usage
from answering.passages import RetrievedPassage
from answering.readers import AbstentionReason, Location, Reader, Reading
from registry.database.engine import Database
from registry.database.group_commit import GroupCommit
from registry.models import CachedReading

Row: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PassageTexts:
    """What is read together: the contents of passages, and the context of each, none where no passage has one."""

    contents: tuple[str, ...]
    contexts: tuple[str, ...] = ()

    @classmethod
    def of(cls, passages: Sequence[RetrievedPassage]) -> "PassageTexts":
        """The texts of passages that were found."""
        contexts = tuple(passage.context for passage in passages)
        return cls(tuple(passage.content for passage in passages), contexts if any(contexts) else ())

    @property
    def digest(self) -> bytes:
        """SHA-256 of all of it."""
        return digest(*self.contents, *(("", *self.contexts) if self.contexts else ()))


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
        slots: asyncio.Semaphore | None = None,
        *,
        may_lag: bool = False,
    ) -> None:
        """With `may_lag` readings are looked up as `Database.read` does, and those missing there on the primary."""
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
        hashes = [passages.digest for passages in per_source]
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
            "model_calls": reading.usage.model_calls,
            "input_tokens": reading.usage.input_tokens,
            "output_tokens": reading.usage.output_tokens,
            "milliseconds": reading.usage.milliseconds,
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


def digest(*parts: str) -> bytes:
    """SHA-256 over the parts and their lengths, so that no two lists of parts share one by moving a border."""
    whole = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        whole.update(len(encoded).to_bytes(8, "big"))
        whole.update(encoded)
    return whole.digest()


def storable(text: str) -> str:
    """The text as Postgres can hold it: a model may reply with NUL or half a surrogate pair."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")
