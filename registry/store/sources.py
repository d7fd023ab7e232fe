"""Sources and overrides in the database.

A source is deleted with its documents and passages. Its rows in past estimations, which have no foreign keys, stay.
"""

from collections.abc import Collection
from uuid import UUID

from sqlalchemy import delete as delete_rows
from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from uuid_utils.compat import uuid7

from registry.database.paging import Page
from registry.errors import Conflict, NotFound
from registry.inputs.fields import is_storable
from registry.inputs.sources import OverrideInput, SourceInput, SourcePatch
from registry.models import Corpus, Override, Passage, Source, SourceStatus
from registry.store import estimations
from registry.store.rows import get_row, lock_for_update, page_of_rows


async def create(session: AsyncSession, corpus: Corpus, values: SourceInput) -> Source:
    """A new source; raises `Conflict` if the corpus has one with that external id."""
    source_id = uuid7()
    fields = values.model_dump(exclude={"external_id"})
    source = Source(id=source_id, corpus_id=corpus.id, external_id=values.external_id or str(source_id), **fields)
    try:
        async with session.begin_nested():
            session.add(source)
    except IntegrityError as error:
        existing = await find(session, corpus, source.external_id)
        raise Conflict(
            f"This corpus already has a source with the external id {source.external_id!r}.",
            location=f"/v1/corpora/{corpus.name}/sources/{existing.id}",
        ) from error
    return source


async def get(session: AsyncSession, corpus: Corpus, source_id: UUID) -> Source:
    """A source of the corpus; raises `NotFound`."""
    return await get_row(session, Source, corpus, source_id)


async def lock(session: AsyncSession, corpus: Corpus, source_id: UUID) -> Source:
    """The source, locked against deletion until the transaction ends (FOR KEY SHARE); raises `NotFound`."""
    rows = select(Source).where(Source.id == source_id, Source.corpus_id == corpus.id)
    source = await session.scalar(rows.with_for_update(key_share=True, read=True))
    if source is None:
        raise NotFound("source", source_id)
    return source


async def lock_named(session: AsyncSession, corpus: Corpus, external_ids: Collection[str]) -> dict[str, Source]:
    """The sources with these external ids, by them, locked as by `lock`."""
    rows = select(Source).where(Source.corpus_id == corpus.id, Source.external_id.in_(external_ids))
    locked = await session.scalars(rows.with_for_update(key_share=True, read=True))
    return {source.external_id: source for source in locked}


async def find(session: AsyncSession, corpus: Corpus, reference: str) -> Source:
    """The source with that external id, else the one with that id; raises `NotFound`."""
    by_external_id = select(Source).where(Source.corpus_id == corpus.id, Source.external_id == reference)
    source = await session.scalar(by_external_id) if is_storable(reference) else None
    if source is not None:
        return source
    try:
        return await get(session, corpus, UUID(reference))
    except ValueError as error:
        raise NotFound("source", reference) from error


async def page(
    session: AsyncSession, corpus: Corpus, *, cursor: str | None, limit: int, status: SourceStatus | None = None
) -> Page[Source]:
    """The sources of the corpus, oldest first."""
    where = [] if status is None else [Source.status == status]
    return await page_of_rows(session, Source, corpus, *where, cursor=cursor, limit=limit)


async def update(session: AsyncSession, corpus: Corpus, source_id: UUID, patch: SourcePatch) -> Source:
    """Change a source."""
    source = await get(session, corpus, source_id)
    for field, value in patch.model_dump(exclude_unset=True).items():
        if value is not None or field == "url":
            setattr(source, field, value)
    await session.flush()
    await session.refresh(source)
    return source


async def delete(session: AsyncSession, corpus: Corpus, source_id: UUID) -> None:
    """Delete a source with its documents and passages; raises `Conflict` while its corpus is estimated."""
    source = await get(session, corpus, source_id)
    await _refuse_while_estimated(session, corpus)
    # Ingest locks the source: passages that it is writing are committed, and deleted, once the lock is granted here.
    await lock_for_update(session, source, "source", source_id)
    await session.execute(delete_rows(Passage).where(Passage.source_id == source.id))
    await session.delete(source)
    await session.flush()


async def delete_passages(session: AsyncSession, corpus: Corpus) -> None:
    """Delete the passages of all sources of a corpus; raises `Conflict` while the corpus is estimated."""
    await _refuse_while_estimated(session, corpus)
    rows = select(Source.id).where(Source.corpus_id == corpus.id).order_by(Source.id).with_for_update()
    for source_id in (await session.scalars(rows)).all():
        await session.execute(delete_rows(Passage).where(Passage.source_id == source_id))


async def get_override(session: AsyncSession, corpus: Corpus, source_id: UUID) -> Override | None:
    """The override of a source, if there is one; raises `NotFound` for an unknown source."""
    source = await get(session, corpus, source_id)
    return await session.get(Override, source.id)


async def set_override(
    session: AsyncSession, corpus: Corpus, source_id: UUID, values: OverrideInput, created_by: str
) -> Override:
    """Set or replace the override of a source."""
    source = await get(session, corpus, source_id)
    fields = values.model_dump() | {"created_by": created_by, "created_at": func.now()}
    upsert = (
        insert(Override)
        .values(source_id=source.id, **fields)
        .on_conflict_do_update(index_elements=[Override.source_id], set_=fields)
        .returning(Override)
        .execution_options(populate_existing=True)
    )
    return (await session.scalars(upsert)).one()


async def delete_override(session: AsyncSession, corpus: Corpus, source_id: UUID) -> None:
    """Delete the override of a source; raises `NotFound` if there is none."""
    override = await get_override(session, corpus, source_id)
    if override is None:
        raise NotFound("override of source", source_id)
    await lock_for_update(session, override, "override of source", source_id)
    await session.delete(override)
    await session.flush()


async def _refuse_while_estimated(session: AsyncSession, corpus: Corpus) -> None:
    run = await estimations.active(session, corpus)
    if run is not None:
        raise Conflict(
            "An estimation is reading this corpus. Wait until it ends, or cancel it, then delete.",
            location=f"/v1/corpora/{corpus.name}/estimations/{run.id}",
        )
