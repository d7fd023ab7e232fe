"""All SQL that reading needs: readings made before of the same passages by the same reader, what sources state as data,
and the readings that people found misread.

A query is made of what two sources state of one subject and relation, or came with votes. Where its text is asked, what
a source states there is its answer: nothing of it is searched or read.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence, Set
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, TypeAlias
from uuid import UUID

from pgvector import HalfVector
from sqlalchemy import func, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from answering.embedders import Vector
from answering.enums import AbstentionReason
from answering.equivalence import Joins
from answering.errors import ModelError
from answering.models import Usage
from answering.passages import PassageTexts, RetrievedPassage
from answering.readers import Location, Reader, Reading
from answering.text.bigrams import with_bigrams
from registry.corpora.model import Corpus
from registry.passages.schemas import PassageFilter
from registry.passages.store import documents_condition, documents_parameters, relevance_to
from registry.platform.database.engine import Database
from registry.platform.database.group_commit import GroupCommit
from registry.platform.digest import digest
from registry.platform.enums import Verdict
from registry.platform.fields import storable
from registry.queries.model import HOLDING_JOINS, JoinedAnswers, Query
from registry.readings.model import CachedReading, MisreadingVerdict
from registry.viewers.model import Viewer
from registry.votes import store as votes
from registry.votes.model import ImportedVote

Row: TypeAlias = dict[str, Any]

EARLIER_READINGS: Final = 1000
"""Whose time is averaged."""

# Those of the questions that are queries made of stated values: most are not, and the next statement takes longer.
KNOWN = text(
    """
    SELECT DISTINCT queries.text FROM unnest(CAST(:questions AS text[])) AS asked (question)
    JOIN queries ON queries.text = asked.question AND queries.relation IS NOT NULL
    WHERE queries.corpus_id = :corpus_id
    """
)
RELEVANCE_TO_ASKED = relevance_to(
    "CAST(asked.vector AS halfvec)", "tsvector_to_array(to_tsvector(CAST(:language AS regconfig), asked.words))"
)
# Of a source that states several values its newest document counts, and in that the first one.
FIND = """
    SELECT DISTINCT ON (asked.question, stated.source_id)
           asked.question, stated.subject, stated.relation, stated.value,
           stated.source_id, document.id, passage.ordinal, passage.start_offset, passage.end_offset, passage.content,
           passage.relevance,
           document.title, document.published_at, document.external_id, document.updated_at, document.url,
           '', document.revision
    FROM unnest(CAST(:questions AS text[]), CAST(:words AS text[]), CAST(:vectors AS text[]))
        AS asked (question, words, vector)
    JOIN queries ON queries.text = asked.question AND queries.relation IS NOT NULL
    JOIN stated_values AS stated ON stated.corpus_id = queries.corpus_id
        AND stated.subject_key = queries.subject_key AND stated.relation = queries.relation
    JOIN documents AS document ON document.source_id = stated.source_id AND document.id = stated.document_id
    CROSS JOIN LATERAL (
        SELECT *, greatest({relevance}, 0) AS relevance FROM passages
        WHERE source_id = stated.source_id AND document_id = stated.document_id {condition}
        ORDER BY strpos(content, concat(stated.subject, '; ', stated.relation, ': ', stated.value)) = 0,
                 strpos(lower(content), lower(stated.value)) = 0, ordinal
        LIMIT 1
    ) AS passage
    WHERE queries.corpus_id = :corpus_id
        AND (CAST(:sources AS uuid[]) IS NULL OR stated.source_id = ANY(CAST(:sources AS uuid[])))
    ORDER BY asked.question, stated.source_id, document.published_at DESC NULLS LAST, document.updated_at DESC,
             document.id, stated.ordinal
"""


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


async def joins_of(session: AsyncSession, corpus: Corpus, questions: Collection[str]) -> dict[str, Joins]:
    """The answers to these questions that people joined, by question; a question without any is left out."""
    rows = HOLDING_JOINS.where(JoinedAnswers.corpus_id == corpus.id, JoinedAnswers.question.in_(questions))
    return Joins.by_question(await session.execute(rows))


@dataclass(frozen=True, slots=True)
class FoundValue:
    """A value that a source states, and the passage of its document that states it."""

    value: str
    label: str
    """The label before the value in the passage of a table row."""
    passage: RetrievedPassage


async def find_values(
    session: AsyncSession,
    corpus: Corpus,
    asked: Mapping[str, Vector],
    source_ids: Collection[UUID] | None,
    where: PassageFilter,
) -> dict[str, dict[UUID, FoundValue]]:
    """The values that sources state for questions that are queries made of stated values, by question and source.

    The questions are given with their embeddings; `where` restricts the documents.
    """
    known = (await session.scalars(KNOWN, {"corpus_id": corpus.id, "questions": list(asked)})).all()
    if not known:
        return {}
    condition = documents_condition(where).format(source_id="stated.source_id")
    parameters = {
        "corpus_id": corpus.id,
        "language": corpus.text_search,
        "questions": list(known),
        "words": [with_bigrams(question) for question in known],
        "vectors": [HalfVector(asked[question]).to_text() for question in known],
        "sources": None if source_ids is None else list(source_ids),
        **documents_parameters(where),
    }
    found: dict[str, dict[UUID, FoundValue]] = {}
    for row in await session.execute(text(FIND.format(condition=condition, relevance=RELEVANCE_TO_ASKED)), parameters):
        question, subject, relation, value, *of_passage = row
        passage = RetrievedPassage(*of_passage)
        found.setdefault(question, {})[passage.source_id] = FoundValue(value, f"{subject}; {relation}:", passage)
    return found


async def find_votes(
    session: AsyncSession,
    corpus: Corpus,
    texts: Collection[str],
    source_ids: Collection[UUID] | None,
    viewer: Viewer,
) -> dict[str, list[votes.Vote]]:
    rows = select(Query.id, Query.text).where(
        Query.corpus_id == corpus.id,
        Query.text.in_(texts),
        select(ImportedVote.id).where(ImportedVote.query_id == Query.id).exists(),
    )
    text_of = dict((await session.execute(rows)).all())
    found = await votes.of_queries(session, text_of, source_ids, viewer) if text_of else {}
    return {text_of[query_id]: of_query for query_id, of_query in found.items()}
