"""What lists from outside say of sources."""

from uuid import UUID

from sqlalchemy import func, or_, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from registry.corpora.model import Corpus
from registry.documents.schemas import LineStatus
from registry.events import audit
from registry.platform.database.rows import lock_for_update
from registry.platform.enums import AuditAction
from registry.platform.errors import NotFound
from registry.sources import store as sources
from registry.sources.model import Rating, Source
from registry.sources.schemas import RatingInput


async def put(session: AsyncSession, source: Source, values: RatingInput, created_by: str) -> tuple[Rating, LineStatus]:
    """Set or replace the rating of a source; equal ratings stay as they are, with their author and date."""
    fields = values.model_dump(include=set(RatingInput.model_fields)) | {"created_by": created_by}
    statement = insert(Rating).values(source_id=source.id, **fields)
    changes = [getattr(Rating, name).is_distinct_from(statement.excluded[name]) for name in RatingInput.model_fields]
    upsert = statement.on_conflict_do_update(
        index_elements=[Rating.source_id], set_=fields | {"created_at": func.now()}, where=or_(*changes)
    )
    # A common table expression sees the row as it was before the statement.
    former = select(Rating).where(Rating.source_id == source.id).cte("former")
    before = [select(former.c[name]).scalar_subquery() for name in RatingInput.model_fields]
    written = upsert.add_cte(former).returning(Rating, text("xmax = 0"), *before)
    row = (await session.execute(written, execution_options={"populate_existing": True})).one_or_none()
    if row is None:
        return await session.get_one(Rating, source.id), LineStatus.UNCHANGED
    rating, created, *former_values = row
    audit.record(
        session,
        AuditAction.RATING_SET,
        source.id,
        source.corpus_id,
        before=None if created else dict(zip(RatingInput.model_fields, former_values, strict=True)),
        after=values.model_dump(include=set(RatingInput.model_fields)),
    )
    return rating, LineStatus.CREATED if created else LineStatus.UPDATED


async def delete(session: AsyncSession, corpus: Corpus, source_id: UUID) -> None:
    """Delete the rating of a source; raises `NotFound` if there is none."""
    source = await sources.get(session, corpus, source_id)
    rating = await session.get(Rating, source.id)
    if rating is None:
        raise NotFound("rating of source", source_id)
    await lock_for_update(session, rating, "rating of source", source_id)
    await session.delete(rating)
    before = audit.values_of(rating, RatingInput.model_fields)
    audit.record(session, AuditAction.RATING_DELETED, source_id, corpus.id, before=before)
    await session.flush()
