"""Documents in the database, and those that were stored after the estimate."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias, cast
from uuid import UUID

from sqlalchemy import delete as delete_rows
from sqlalchemy import func, select, text, tuple_, union_all
from sqlalchemy.dialects.postgresql import distinct_on, insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import defer

from registry.corpora.model import Corpus
from registry.documents.model import Document, Passage, StatedValue
from registry.documents.store import revisions
from registry.estimations.model import ACTIVE_STATUSES, EstimationRun
from registry.events import audit
from registry.events.model import AuditEvent
from registry.platform.database.paging import Page, paginate
from registry.platform.database.rows import lock_for_update, parse_id
from registry.platform.enums import AuditAction, SourceStatus, Trigger
from registry.platform.errors import NotFound
from registry.query_generations.model import QueryGeneration
from registry.sources import store as sources
from registry.sources.model import Source
from registry.viewers.model import ALL_SEEING, Viewer
from registry.viewers.store import visible_documents

KEY = ("source_id", "external_id")
# Of a document that is replaced.
KEPT = {"id", *KEY, "created_at", "updated_at", "revision"}
DELETIONS = AuditAction.DOCUMENT_DELETED, AuditAction.CONNECTOR_DELETED_DOCUMENTS, AuditAction.SOURCE_DELETED
# The identifier of the source, and the external id in it.
DocumentKey: TypeAlias = tuple[UUID, str]


@dataclass(frozen=True, slots=True)
class ExistingDocument:
    """A stored document, and how many passages it has."""

    id: UUID
    content_hash: bytes
    passages: int


async def existing(session: AsyncSession, keys: Sequence[DocumentKey]) -> dict[DocumentKey, ExistingDocument]:
    """The documents with these keys, by key."""
    passages = (
        select(func.count())
        .where(Passage.source_id == Document.source_id, Passage.document_id == Document.id)
        .scalar_subquery()
    )
    rows = select(Document.source_id, Document.external_id, Document.id, Document.content_hash, passages).where(
        tuple_(Document.source_id, Document.external_id).in_(keys)
    )
    return {(row[0], row[1]): ExistingDocument(*row[2:]) for row in await session.execute(rows)}


async def addresses(session: AsyncSession, document_ids: Collection[UUID]) -> dict[UUID, str]:
    """The web addresses of these documents, by id; those without one are left out."""
    rows = select(Document.id, Document.url).where(Document.id.in_(document_ids), Document.url.is_not(None))
    return {document_id: url or "" for document_id, url in await session.execute(rows)}


async def contents(session: AsyncSession, document_ids: Collection[UUID]) -> dict[UUID, tuple[str, str]]:
    """The titles and texts of those of these documents that are still there."""
    rows = select(Document.id, Document.title, Document.content).where(Document.id.in_(document_ids))
    return {document_id: (title, content) for document_id, title, content in await session.execute(rows)}


async def upsert(
    session: AsyncSession, rows: Sequence[Mapping[str, object]], *, keep_revisions: int
) -> dict[DocumentKey, UUID]:
    """Insert documents, or replace those with their keys; returns identifiers by key.

    Of replaced documents at most `keep_revisions` former revisions are kept, whose texts count to the size of the
    document; their passages and stated values are deleted.
    """
    statement = insert(Document)
    # Nothing changes yet but the lock: what is kept is then what is replaced, whoever else writes the document.
    locking = statement.on_conflict_do_update(index_elements=KEY, set_={"revision": Document.revision}).returning(
        Document.source_id, Document.external_id, Document.id, Document.content_hash, text("xmax = 0")
    )
    ids: dict[DocumentKey, UUID] = {}
    hashes: dict[DocumentKey, bytes] = {}
    for source_id, external_id, document_id, content_hash, inserted in await session.execute(locking, rows):
        ids[source_id, external_id] = document_id
        if not inserted:
            hashes[source_id, external_id] = content_hash
    changed = [row for row in rows if hashes.get(_key(row), row["content_hash"]) != row["content_hash"]]
    if changed:
        await revisions.keep_former(session, [ids[_key(row)] for row in changed], keep_revisions)
        replaced = {name: statement.excluded[name] for name in set(Document.__table__.columns.keys()) - KEPT}
        size = statement.excluded.size + revisions.kept_size()
        counted = {"updated_at": func.now(), "revision": Document.revision + 1, "size": size}
        await session.execute(statement.on_conflict_do_update(index_elements=KEY, set_=replaced | counted), changed)
    for source_id in {source_id for source_id, _ in hashes}:
        of_source = [ids[key] for key in hashes if key[0] == source_id]
        for table in (Passage, StatedValue):
            await session.execute(
                delete_rows(table).where(table.source_id == source_id, table.document_id.in_(of_source))
            )
    return ids


def _key(row: Mapping[str, object]) -> DocumentKey:
    return cast("DocumentKey", (row["source_id"], row["external_id"]))


async def get(
    session: AsyncSession, corpus: Corpus, source_id: UUID, document_id: UUID, viewer: Viewer = ALL_SEEING
) -> Document:
    """A document of a source; raises `NotFound`."""
    await sources.get(session, corpus, source_id)
    rows = select(Document).where(Document.id == document_id, Document.source_id == source_id)
    document: Document | None = await session.scalar(rows.where(*visible_documents(viewer)))
    if document is None:
        raise NotFound("document", document_id)
    return document


async def find(
    session: AsyncSession, corpus: Corpus, document_id: UUID, viewer: Viewer = ALL_SEEING
) -> tuple[Document, Source]:
    """A document of any source of the corpus, and that source; raises `NotFound`."""
    rows = select(Document, Source).join(Source, Source.id == Document.source_id)
    rows = rows.where(Document.id == document_id, Source.corpus_id == corpus.id, *visible_documents(viewer))
    row = (await session.execute(rows)).one_or_none()
    if row is None:
        raise NotFound("document", document_id)
    return row[0], row[1]


async def find_of_source(
    session: AsyncSession, source: Source, reference: str, viewer: Viewer = ALL_SEEING
) -> Document:
    """The document of the source with that external id, else with that id; raises `NotFound`."""
    rows = select(Document).where(Document.source_id == source.id, *visible_documents(viewer))
    document: Document | None = await session.scalar(rows.where(Document.external_id == reference))
    if document is None and (document_id := parse_id(reference)) is not None:
        document = await session.scalar(rows.where(Document.id == document_id))
    if document is None:
        raise NotFound("document", reference)
    return document


async def matching(
    session: AsyncSession, source: Source, reference: str, viewer: Viewer = ALL_SEEING
) -> Sequence[Document]:
    """The document that `find_of_source` finds, if there is one."""
    with suppress(NotFound):
        return [await find_of_source(session, source, reference, viewer)]
    return []


async def page(
    session: AsyncSession,
    corpus: Corpus,
    source_id: UUID,
    *,
    cursor: str | None,
    limit: int,
    viewer: Viewer = ALL_SEEING,
) -> Page[Document]:
    """The documents of a source, oldest first, without their content, of which a page could fill the memory."""
    await sources.get(session, corpus, source_id)
    rows = select(Document).where(Document.source_id == source_id, *visible_documents(viewer))
    rows = rows.options(defer(Document.content, raiseload=True))
    return await paginate(session, rows, Document.id, cursor=cursor, limit=limit)


async def delete(session: AsyncSession, corpus: Corpus, source_id: UUID, document_id: UUID) -> None:
    """Delete a document and its passages; raises `NotFound`."""
    document = await get(session, corpus, source_id, document_id)
    # A replacement of the document locks its row: the passages that it writes are committed once this lock is granted.
    await lock_for_update(session, document, "document", document_id)
    await session.execute(
        delete_rows(Passage).where(Passage.source_id == source_id, Passage.document_id == document_id)
    )
    await session.delete(document)
    audit.record(
        session,
        AuditAction.DOCUMENT_DELETED,
        document_id,
        corpus.id,
        before={"external_id": document.external_id, "source_id": str(source_id)},
    )
    await session.flush()


@dataclass(frozen=True, slots=True)
class CorpusChanges:
    """The first and the last change of documents after the last run of a corpus began."""

    corpus_id: UUID
    first: datetime
    last: datetime


async def changed_corpora(session: AsyncSession) -> Sequence[CorpusChanges]:
    """Corpora that changed after their newest run began, whatever became of it; none while it goes on.

    Changes are documents stored in active sources, deletions, and sources that were made active or inactive.
    """
    run = EstimationRun
    began = func.coalesce(run.started_at, run.created_at).label("began")
    runs = select(run.corpus_id, run.status, began).ext(distinct_on(run.corpus_id))
    newest = runs.order_by(run.corpus_id, run.id.desc()).subquery()
    ended = newest.c.status.not_in(ACTIVE_STATUSES)
    stored = (
        select(newest.c.corpus_id, Document.updated_at.label("time"))
        .join(Source, Source.corpus_id == newest.c.corpus_id)
        .join(Document, Document.source_id == Source.id)
        .where(ended, Source.status == SourceStatus.ACTIVE, Document.updated_at > newest.c.began)
    )
    removed = (
        select(newest.c.corpus_id, AuditEvent.created_at)
        .join(AuditEvent, AuditEvent.corpus_id == newest.c.corpus_id)
        .where(ended, AuditEvent.created_at > newest.c.began)
        .where(
            AuditEvent.action.in_(DELETIONS)
            | ((AuditEvent.action == AuditAction.SOURCE_CHANGED) & AuditEvent.after.has_key("status"))
        )
    )
    changes = union_all(stored, removed).subquery()
    rows = select(changes.c.corpus_id, func.min(changes.c.time), func.max(changes.c.time))
    return [CorpusChanges(*row) for row in await session.execute(rows.group_by(changes.c.corpus_id))]


async def readings_of_day(session: AsyncSession, corpus: Corpus) -> int:
    """Readings that runs started by changes of documents made in the last 24 hours, and generations of queries."""
    since = func.now() - timedelta(days=1)
    made = select(func.coalesce(func.sum(EstimationRun.readings_made), 0)).where(
        EstimationRun.corpus_id == corpus.id,
        EstimationRun.trigger == Trigger.DOCUMENTS,
        EstimationRun.created_at > since,
    )
    taken = select(func.coalesce(func.sum(QueryGeneration.report["readings"].as_integer()), 0)).where(
        QueryGeneration.corpus_id == corpus.id, QueryGeneration.created_at > since
    )
    return int(await session.scalar(made) or 0) + int(await session.scalar(taken) or 0)
