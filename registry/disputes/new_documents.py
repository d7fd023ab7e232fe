"""Contradictions of documents that are imported: found when their lines are written, stored, and told with these."""

from collections.abc import AsyncIterator, Sequence

import structlog

from answering.enums import JudgeKind
from registry.corpora.model import Corpus
from registry.disputes import store as disputes
from registry.disputes.contradictions import ContradictionFinder
from registry.documents import store as documents
from registry.documents.model import Document
from registry.documents.schemas import Contradiction, IngestResult, LineResult, LineStatus
from registry.platform.database.base import Json
from registry.platform.errors import NotFound
from registry.runtime import Runtime
from registry.webhooks.schemas import WebhookEvent
from registry.webhooks.service import notify

log = structlog.get_logger(__name__)


def contradiction_finder(runtime: Runtime, corpus: Corpus, readings: int) -> ContradictionFinder:
    """A finder that may make so many readings. Raises `SettingsError` without a reader."""
    return ContradictionFinder(runtime, corpus, runtime.judges.of(JudgeKind.COMPACT), readings)


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
