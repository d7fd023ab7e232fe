"""Connectors in the database, what they have seen, and the documents that came of it."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import delete as delete_rows
from sqlalchemy import exists, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from registry.connectors.model import Connector, ConnectorDocument, ConnectorLocation
from registry.corpora.model import Corpus
from registry.documents.model import Document, Passage
from registry.estimations.model import ACTIVE_STATUSES
from registry.events import audit
from registry.platform.database.base import Json
from registry.platform.database.paging import Page
from registry.platform.database.rows import get_row, lock_for_update, page_of_rows
from registry.platform.enums import AuditAction, RunStatus
from registry.platform.errors import Conflict, NotFound
from registry.schedules import store as schedules
from registry.schedules.model import Schedule

# Not its configuration: thousands of addresses, and who knows what they hold in their queries.
AUDITED = ("name", "kind")
DELETED_AT_ONCE = 500

UNFINISHED = select(Connector.id).where(Connector.status.in_(ACTIVE_STATUSES))
FAILED = select(Connector.id, Connector.corpus_id, Connector.name, Connector.problem, Connector.finished_at).where(
    Connector.status == RunStatus.FAILED
)


async def create(session: AsyncSession, corpus: Corpus, name: str, **fields: Any) -> Connector:  # noqa: ANN401  (columns)
    """A new connector; raises `Conflict` if the corpus has one of that name."""
    connector = Connector(corpus_id=corpus.id, name=name, **fields)
    try:
        async with session.begin_nested():
            session.add(connector)
    except IntegrityError as error:
        raise Conflict(f"This corpus already has a connector named {name!r}.") from error
    after = audit.values_of(connector, AUDITED)
    audit.record(session, AuditAction.CONNECTOR_CREATED, connector.id, corpus.id, after=after)
    return connector


async def get(session: AsyncSession, corpus: Corpus, connector_id: UUID) -> Connector:
    """A connector of the corpus; raises `NotFound`."""
    return await get_row(session, Connector, corpus.id, connector_id)


async def page(session: AsyncSession, corpus: Corpus, *, cursor: str | None, limit: int) -> Page[Connector]:
    """The connectors of the corpus, oldest first."""
    return await page_of_rows(session, Connector, corpus.id, cursor=cursor, limit=limit)


async def schedules_of(session: AsyncSession, connectors: Iterable[Connector]) -> dict[UUID, Schedule]:
    """The schedules of these connectors, by the connectors' ids."""
    by_schedule = {row.schedule_id: row.id for row in connectors if row.schedule_id is not None}
    schedules = await session.scalars(select(Schedule).where(Schedule.id.in_(by_schedule)))
    return {by_schedule[schedule.id]: schedule for schedule in schedules}


async def queue(session: AsyncSession, connector_id: UUID) -> Connector:
    """Mark a connector as queued; raises `Conflict` while it is queued or running, and `NotFound`."""
    connector = await session.get(Connector, connector_id, with_for_update=True, populate_existing=True)
    if connector is None:
        raise NotFound("connector", connector_id)
    if connector.status in ACTIVE_STATUSES:
        raise Conflict(f"The connector {connector.name!r} is already {connector.status}.")
    connector.status = RunStatus.QUEUED
    return connector


async def changeable(session: AsyncSession, corpus: Corpus, connector_id: UUID) -> Connector:
    """A connector, locked until the transaction ends; raises `Conflict` while it is queued or runs, and `NotFound`."""
    connector = await get(session, corpus, connector_id)
    await lock_for_update(session, connector, "connector", connector_id, also=("status",))
    if connector.status in ACTIVE_STATUSES:
        raise Conflict(f"The connector {connector.name!r} is {connector.status}: change it when its run has ended.")
    return connector


async def set_config(session: AsyncSession, connector: Connector, config: Json) -> None:
    """Replace the configuration, and forget which versions were seen, so that the next run reads everything again.

    The locations stay known: those that the new configuration does not list are gone for the next run.
    """
    connector.config = config
    seen = dict.fromkeys(("version", "etag", "last_modified", "content_hash")) | {"set_aside": False}
    rows = update(ConnectorLocation).where(ConnectorLocation.connector_id == connector.id)
    await session.execute(rows.values(seen))
    after = audit.values_of(connector, AUDITED)
    audit.record(session, AuditAction.CONNECTOR_CHANGED, connector.id, connector.corpus_id, after=after)


async def delete(session: AsyncSession, corpus: Corpus, connector_id: UUID) -> Connector:
    """Delete a connector and its schedule; its documents stay."""
    connector = await get(session, corpus, connector_id)
    await lock_for_update(session, connector, "connector", connector_id)
    before = audit.values_of(connector, AUDITED)
    audit.record(session, AuditAction.CONNECTOR_DELETED, connector.id, corpus.id, before=before)
    await session.delete(connector)
    await session.flush()
    if connector.schedule_id is not None:
        await schedules.delete(session, corpus, connector.schedule_id)
    return connector


async def require(session: AsyncSession, connector_id: UUID) -> None:
    """Lock a connector against deletion until the transaction ends; raises `NotFound` if it was deleted."""
    rows = select(Connector.id).where(Connector.id == connector_id).with_for_update(key_share=True, read=True)
    if await session.scalar(rows) is None:
        raise NotFound("connector", connector_id)


async def locations_of(session: AsyncSession, connector_id: UUID) -> dict[str, ConnectorLocation]:
    rows = await session.scalars(select(ConnectorLocation).where(ConnectorLocation.connector_id == connector_id))
    return {row.location: row for row in rows}


async def record_locations(session: AsyncSession, rows: Sequence[dict[str, Any]]) -> None:
    """Insert or replace what was seen of locations."""
    if not rows:
        return
    statement = insert(ConnectorLocation)
    replaced = ("version", "etag", "last_modified", "content_hash", "set_aside")
    await session.execute(
        statement.on_conflict_do_update(
            index_elements=["connector_id", "location"],
            set_={name: statement.excluded[name] for name in replaced},
        ),
        rows,
    )


async def note_reading(session: AsyncSession, connector_id: UUID, location: str) -> None:
    """Store what is read now, which is known then if the process ends."""
    await session.execute(update(Connector).where(Connector.id == connector_id).values(reading=location))


async def record_documents(session: AsyncSession, rows: Sequence[dict[str, Any]]) -> None:
    """Insert or replace where documents were found; those deleted meanwhile are left out."""
    ids = select(Document.id).where(Document.id.in_([row["document_id"] for row in rows]))
    present = set(await session.scalars(ids.with_for_update(key_share=True, read=True)))
    rows = [row for row in rows if row["document_id"] in present]
    if not rows:
        return
    statement = insert(ConnectorDocument)
    await session.execute(
        statement.on_conflict_do_update(
            index_elements=["connector_id", "document_id"],
            set_={"location": statement.excluded.location, "run": statement.excluded.run},
        ),
        rows,
    )


async def forget_locations(session: AsyncSession, connector_id: UUID, locations: Collection[str]) -> None:
    """Delete what was seen of locations."""
    rows = ConnectorLocation.connector_id == connector_id, ConnectorLocation.location.in_(locations)
    await session.execute(delete_rows(ConnectorLocation).where(*rows))


async def delete_documents(
    session: AsyncSession, connector: Connector, locations: Collection[str], before_run: int
) -> tuple[int, bool]:
    """Delete up to 500 documents of the locations that no run since `before_run` found, with their passages.

    Documents that another connector found stay. Returns how many were deleted, and whether there may be more.
    """
    row, other = ConnectorDocument, aliased(ConnectorDocument)
    stale = row.connector_id == connector.id, row.location.in_(locations), row.run < before_run
    ids = (await session.scalars(select(row.document_id).where(*stale).limit(DELETED_AT_ONCE))).all()
    elsewhere = exists().where(other.document_id == Document.id, other.connector_id != connector.id)
    # A replacement of a document locks its row: its new passages are committed once the lock is granted.
    rows = select(Document.id, Document.source_id).where(Document.id.in_(ids), ~elsewhere).order_by(Document.id)
    documents = (await session.execute(rows.with_for_update())).all()
    by_source: dict[UUID, list[UUID]] = {}
    for document_id, source_id in documents:
        by_source.setdefault(source_id, []).append(document_id)
    for source_id, of_source in by_source.items():
        passages = Passage.source_id == source_id, Passage.document_id.in_(of_source)
        await session.execute(delete_rows(Passage).where(*passages))
    await session.execute(delete_rows(row).where(row.connector_id == connector.id, row.document_id.in_(ids)))
    await session.execute(delete_rows(Document).where(Document.id.in_([document_id for document_id, _ in documents])))
    if documents:
        audit.record(
            session,
            AuditAction.CONNECTOR_DELETED_DOCUMENTS,
            connector.id,
            connector.corpus_id,
            before={"documents": len(documents)},
        )
    return len(documents), len(ids) == DELETED_AT_ONCE
