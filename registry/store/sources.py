"""Sources: who published what, whether it is read, and what an operator says of its reliability.

Deleting a source deletes its documents and passages. It is refused while an estimation of its corpus is queued or
running; the rows of past estimations stay, since they hold names and not keys.
"""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import delete as delete_rows
from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from uuid_utils.compat import uuid7

from registry.database.paging import Page, paginate
from registry.errors import Conflict, NotFound
from registry.inputs.fields import is_storable
from registry.inputs.sources import OverrideInput, SourceInput, SourcePatch
from registry.models import Corpus, Override, Passage, Source, SourceStatus
from registry.store import estimations


async def create(session: AsyncSession, corpus: Corpus, given: SourceInput) -> Source:
    """A new source; raises `Conflict` if the corpus has one of that external id."""
    identifier = uuid7()
    fields = given.model_dump(exclude={"external_id"})
    source = Source(id=identifier, corpus_id=corpus.id, external_id=given.external_id or str(identifier), **fields)
    try:
        async with session.begin_nested():
            session.add(source)
    except IntegrityError as error:
        found = await find(session, corpus, source.external_id)
        raise Conflict(
            f"This corpus already has a source with the external id {source.external_id!r}.",
            location=f"/v1/corpora/{corpus.name}/sources/{found.id}",
        ) from error
    return source


async def get(session: AsyncSession, corpus: Corpus, source_id: UUID) -> Source:
    """One source of the corpus; raises `NotFound`."""
    source = await session.get(Source, source_id)
    if source is None or source.corpus_id != corpus.id:
        raise NotFound("source", source_id)
    return source


async def hold(session: AsyncSession, corpus: Corpus, source_id: UUID) -> Source:
    """The source, which cannot be deleted before the transaction ends; raises `NotFound`."""
    rows = select(Source).where(Source.id == source_id, Source.corpus_id == corpus.id)
    source = await session.scalar(rows.with_for_update(key_share=True, read=True))
    if source is None:
        raise NotFound("source", source_id)
    return source


async def find(session: AsyncSession, corpus: Corpus, ref: str) -> Source:
    """A source by its external id or its id; raises `NotFound`."""
    by_name = select(Source).where(Source.corpus_id == corpus.id, Source.external_id == ref)
    source = await session.scalar(by_name) if is_storable(ref) else None
    if source is not None:
        return source
    try:
        return await get(session, corpus, UUID(ref))
    except ValueError as error:
        raise NotFound("source", ref) from error


async def page(
    session: AsyncSession, corpus: Corpus, *, cursor: str | None, limit: int, status: SourceStatus | None = None
) -> Page[Source]:
    """The sources of the corpus, oldest first."""
    rows = select(Source).where(Source.corpus_id == corpus.id)
    if status is not None:
        rows = rows.where(Source.status == status)
    return await paginate(session, rows, Source.id, cursor=cursor, limit=limit)


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
    """Delete a source, its documents and passages; raises `Conflict` while its corpus is estimated."""
    source = await get(session, corpus, source_id)
    await _refuse_while_estimated(session, corpus)
    # Whoever writes documents holds the source: what they wrote is seen, and deleted, once they are done.
    await session.refresh(source, with_for_update=True)
    await session.execute(delete_rows(Passage).where(Passage.source_id == source.id))
    await session.delete(source)
    await session.flush()


async def delete_passages_of_corpus(session: AsyncSession, corpus: Corpus) -> None:
    """Delete the passages of all sources; raises `Conflict` while the corpus is estimated."""
    await _refuse_while_estimated(session, corpus)
    rows = select(Source.id).where(Source.corpus_id == corpus.id).order_by(Source.id).with_for_update()
    ids: Sequence[UUID] = (await session.scalars(rows)).all()
    for source_id in ids:
        await session.execute(delete_rows(Passage).where(Passage.source_id == source_id))


async def get_override(session: AsyncSession, corpus: Corpus, source_id: UUID) -> Override | None:
    """What an operator set, if anything."""
    source = await get(session, corpus, source_id)
    return await session.get(Override, source.id)


async def set_override(
    session: AsyncSession, corpus: Corpus, source_id: UUID, given: OverrideInput, created_by: str
) -> Override:
    """Set a source's reliability by hand, from now on and whatever runs find."""
    source = await get(session, corpus, source_id)
    values = given.model_dump() | {"created_by": created_by, "created_at": func.now()}
    upsert = (
        insert(Override)
        .values(source_id=source.id, **values)
        .on_conflict_do_update(index_elements=[Override.source_id], set_=values)
        .returning(Override)
        .execution_options(populate_existing=True)
    )
    return (await session.scalars(upsert)).one()


async def delete_override(session: AsyncSession, corpus: Corpus, source_id: UUID) -> None:
    """Let the estimate count again; raises `NotFound` if nothing was set."""
    override = await get_override(session, corpus, source_id)
    if override is None:
        raise NotFound("override of source", source_id)
    await session.delete(override)
    await session.flush()


async def _refuse_while_estimated(session: AsyncSession, corpus: Corpus) -> None:
    run = await estimations.active(session, corpus)
    if run is not None:
        raise Conflict(
            "An estimation is reading this corpus. Wait until it ends, or cancel it, then delete.",
            location=f"/v1/corpora/{corpus.name}/estimations/{run.id}",
        )
