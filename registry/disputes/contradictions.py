"""Statements of a document that contradict what others published: facts of its sentences, asked of other sources.

A question is written of each fact. Where another source answers it otherwise, a judge decides whether the passage that
it was read from contradicts the statement. So neither the reader nor the judge is believed alone.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final
from uuid import UUID

import structlog

from answering.embedders import Vector
from answering.enums import ClassPolicy
from answering.judges import Judge, Label, Pair, claim_of
from answering.judges.quotes import sentence_at
from answering.questions.writing import Fact, FactKind, answers_kind, written_questions
from answering.voting import ReadingStatus, SourceReading
from registry.corpora.model import Corpus
from registry.disputes import store as disputes
from registry.documents import store as documents
from registry.documents.model import Document
from registry.documents.schemas import Contradiction, IngestResult, LineResult, LineStatus
from registry.passages.store.candidates import candidate_sources
from registry.platform.database.base import Json
from registry.platform.errors import NotFound
from registry.platform.providers import local_judge
from registry.readings.service import SourceReader
from registry.runtime import Runtime
from registry.webhooks.schemas import WebhookEvent
from registry.webhooks.service import notify

FACTS: Final = 4
"""Most facts that are asked for one document."""
SOURCES: Final = 4
"""Other sources that are asked, those with the nearest passages."""
LEAST_PROBABILITY: Final = 0.5
"""Lowest probability of a contradiction, by the judge, at which it is reported."""


@dataclass(slots=True)
class ContradictionFinder:
    """Looks for contradictions, until its readings are spent."""

    runtime: Runtime
    corpus: Corpus
    judge: Judge
    readings: int
    reader: SourceReader = field(init=False)

    def __post_init__(self) -> None:
        self.reader = SourceReader(self.runtime, self.corpus, ClassPolicy.VALUES)

    async def of_document(self, source_id: UUID, content: str) -> list[Contradiction]:
        """Statements of other sources that contradict a stored document; none once the readings are spent."""
        if self.readings <= 0:
            return []
        written = await asyncio.to_thread(lambda: list(islice(written_questions(content), FACTS)))
        if not written:
            return []
        vectors = await self.runtime.embedder.embed([question for question, _ in written])
        found = await asyncio.gather(
            *(
                self._of_fact(source_id, question, fact, vector)
                for (question, fact), vector in zip(written, vectors, strict=True)
            )
        )
        return [contradiction for of_fact in found for contradiction in of_fact]

    async def _of_fact(self, own_id: UUID, question: str, fact: Fact, vector: Vector) -> list[Contradiction]:
        async with self.runtime.database.begin() as session:
            near = await candidate_sources(session, self.corpus, question, vector, limit=SOURCES + 1)
        others = [source_id for source_id in near if source_id != own_id][:SOURCES]
        self.readings -= len(others) + 1
        readings = await self.reader.read(question, vector, [own_id, *others])
        key = (await self.reader.joins_of(question)).key_of(fact.answer, ClassPolicy.VALUES, question)
        own = readings.pop(own_id)
        # A question that its own document does not answer as the sentence does is badly made.
        if own.answer_key != key:
            return []
        differing = [
            (source_id, reading)
            for source_id, reading in readings.items()
            if _answers(fact.kind, reading) and reading.answer_key != key
        ]
        return await self._judged(question, fact, differing)

    async def _judged(
        self, question: str, fact: Fact, differing: Sequence[tuple[UUID, SourceReading]]
    ) -> list[Contradiction]:
        claim = claim_of(question, fact.answer)
        pairs = [Pair(claim, reading.read_from.content if reading.read_from else "") for _, reading in differing]
        judgements = await self.judge.judge_all(pairs) if pairs else []
        return [
            Contradiction(
                question=question,
                answer=fact.answer,
                quote=fact.sentence,
                other_source_id=source_id,
                other_document_id=reading.read_from.document_id,
                other_answer=reading.answer or "",
                other_quote=_quote(reading),
                probability=judgement.contradicts,
            )
            for (source_id, reading), judgement in zip(differing, judgements, strict=True)
            if reading.read_from is not None
            and judgement.label is Label.CONTRADICTS
            and judgement.contradicts >= LEAST_PROBABILITY
        ]


def _answers(kind: FactKind, reading: SourceReading) -> bool:
    return (
        reading.status is ReadingStatus.ANSWERED and reading.answer is not None and answers_kind(reading.answer, kind)
    )


def _quote(reading: SourceReading) -> str:
    """The sentence that it was read from, or the passage."""
    passage, location = reading.read_from, reading.location
    if passage is None:
        return ""
    return passage.content if location is None else sentence_at(passage.content, location.start, location.end).text


log = structlog.get_logger(__name__)


def contradiction_finder(runtime: Runtime, corpus: Corpus, readings: int) -> ContradictionFinder:
    """A finder that may make so many readings. Raises `SettingsError` without a reader."""
    judge = runtime.judges.of(local_judge(runtime.settings))
    return ContradictionFinder(runtime, corpus, judge, readings)


async def with_contradictions(
    runtime: Runtime, corpus: Corpus, results: AsyncIterator[LineResult], readings: int
) -> AsyncIterator[LineResult]:
    """The results of an import of documents, those of new and changed ones with what they contradict.

    Looks no further once `readings` were made. Raises `SettingsError` without a reader.
    """
    if not readings:
        async for result in results:
            yield result
        return
    finder = contradiction_finder(runtime, corpus, readings)
    async for result in results:
        yield await looked_at(finder, result)


async def contradictions_of(
    runtime: Runtime, corpus: Corpus, document: IngestResult, readings: int
) -> tuple[Contradiction, ...] | None:
    """Statements of others that contradict one document just sent; None if unchanged or nothing is looked for."""

    async def only() -> AsyncIterator[LineResult]:
        yield LineResult(line=1, status=document.status, id=document.document_id)

    (told,) = [result async for result in with_contradictions(runtime, corpus, only(), readings)]
    return told.contradictions


async def looked_at(finder: ContradictionFinder, result: LineResult) -> LineResult:
    """The result of a new or changed document with its contradictions, which replace those of its former text; any
    other result, and all once the readings are spent, as it is.
    """
    runtime, corpus = finder.runtime, finder.corpus
    is_new = result.status in {LineStatus.CREATED, LineStatus.UPDATED}
    if result.id is None or not is_new or finder.readings <= 0:
        return result
    try:
        async with runtime.database.begin() as session:
            document, _ = await documents.find(session, corpus, result.id)
    except NotFound:  # somebody deleted it
        return result
    found = await finder.of_document(document.source_id, document.content)
    async with runtime.database.begin() as session:
        stored = await disputes.replace_contradictions(session, corpus, document.id, found)
        if stored:
            await notify(session, runtime.jobs, corpus.id, WebhookEvent.DISPUTE_FOUND, _told(document, stored))
    for each in found:
        log.info(
            "document_contradicts",
            corpus=corpus.name,
            document_id=str(document.id),
            other_document_id=str(each.other_document_id),
            probability=round(each.probability, 3),
        )
    return result.model_copy(update={"contradictions": tuple(found)})


def _told(document: Document, found: Sequence[Contradiction]) -> Json:
    """The data of the webhook event: the documents that disagree and on what, without their texts."""
    return {
        "document_id": str(document.id),
        "source_id": str(document.source_id),
        "external_id": document.external_id,
        "contradictions": [
            {
                "question": each.question,
                "answer": each.answer,
                "other_answer": each.other_answer,
                "other_document_id": str(each.other_document_id),
                "other_source_id": str(each.other_source_id),
                "probability": each.probability,
            }
            for each in found
        ],
    }
