"""Sources and overrides in the database. Past estimations keep their rows of a source that is deleted."""

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import delete as delete_rows
from sqlalchemy import func, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from registry.corpora.model import Corpus
from registry.documents.model import Passage
from registry.estimations.model import ACTIVE_STATUSES, EstimationRun
from registry.events import audit
from registry.keys.model import SourceBound
from registry.platform.database.paging import Page
from registry.platform.database.rows import get_row, lock_for_update, page_of_rows, parse_id
from registry.platform.enums import AuditAction, SourceStatus
from registry.platform.errors import Conflict, Forbidden, InvalidInput, NotFound
from registry.platform.fields import is_storable
from registry.readings.model import CachedReading
from registry.sources.model import Override, Source
from registry.sources.schemas import OverrideInput, SourceInput, SourcePatch

AUDITED = ("external_id", "name", "url", "status", "allowed_groups")


async def create(
    session: AsyncSession, corpus: Corpus, values: SourceInput, bound: SourceBound | None = None
) -> Source:
    """A new source, whose external id is its name unless it has one.

    Raises `Conflict` if the corpus has a source with that external id, or, without one, a source of that name. A bound
    holds both: else `Forbidden` is raised, and `Conflict` for what another source is found by.
    """
    if bound is not None:
        await _require_own(session, corpus, values, bound)
    if values.external_id is None:
        for namesake in await _candidates(session, corpus, values.name):
            raise _already_there(corpus, namesake, f"named {values.name!r}; to add another one, send an external_id")
    external_id = values.external_id or values.name
    source = Source(corpus_id=corpus.id, external_id=external_id, **values.model_dump(exclude={"external_id"}))
    try:
        async with session.begin_nested():
            session.add(source)
    except IntegrityError as error:
        existing = await find(session, corpus, external_id)
        raise _already_there(corpus, existing, f"with the external id {external_id!r}") from error
    return source


async def _require_own(session: AsyncSession, corpus: Corpus, values: SourceInput, bound: SourceBound) -> None:
    """Refuse a name or id by which another source is found."""
    for reference in dict.fromkeys((values.external_id or values.name, values.name)):
        if not bound.holds(reference):
            raise Forbidden(bound.refusal(reference))
        for namesake in await _candidates(session, corpus, reference):
            raise _already_there(corpus, namesake, f"found by {reference!r}")


def _already_there(corpus: Corpus, source: Source, what: str) -> Conflict:
    location = f"/v1/corpora/{corpus.name}/sources/{source.id}"
    return Conflict(f"This corpus already has a source {what}.", location=location)


async def get(session: AsyncSession, corpus: Corpus, source_id: UUID) -> Source:
    """A source of the corpus; raises `NotFound`."""
    return await get_row(session, Source, corpus.id, source_id)


async def lock(session: AsyncSession, corpus: Corpus, source_ids: Collection[UUID]) -> Sequence[Source]:
    """The sources, locked against deletion until the transaction ends (FOR KEY SHARE); raises `NotFound`."""
    rows = select(Source).where(Source.id.in_(source_ids), Source.corpus_id == corpus.id).order_by(Source.id)
    locked = (await session.scalars(rows.with_for_update(key_share=True, read=True))).all()
    unknown = set(source_ids) - {source.id for source in locked}
    if unknown:
        raise NotFound("source", min(unknown))
    return locked


async def lock_named(session: AsyncSession, corpus: Corpus, external_ids: Collection[str]) -> dict[str, Source]:
    """The sources with these external ids, by them, locked as by `lock`."""
    rows = select(Source).where(Source.corpus_id == corpus.id, Source.external_id.in_(external_ids))
    locked = await session.scalars(rows.with_for_update(key_share=True, read=True))
    return {source.external_id: source for source in locked}


async def find(session: AsyncSession, corpus: Corpus, reference: str) -> Source:
    """The source with that external id, else with that id, else of that name.

    Raises `NotFound`, or `InvalidInput` if it is the name of several.
    """
    return _found(reference, await _candidates(session, corpus, reference))


async def named_like(session: AsyncSession, corpus: Corpus, part: str, limit: int) -> Sequence[Source]:
    """The sources with this text in their names, in the order of those."""
    if not is_storable(part):
        return []
    rows = select(Source).where(Source.corpus_id == corpus.id, Source.name.icontains(part, autoescape=True))
    return (await session.scalars(rows.order_by(Source.name, Source.id).limit(limit))).all()


async def find_ids(session: AsyncSession, corpus: Corpus, references: Collection[str]) -> tuple[UUID, ...]:
    """The ids of what `find` finds for each reference; raises what it raises."""
    found = await _find_all(session, corpus, references)
    return tuple(_found(reference, candidates).id for reference, candidates in found.items())


async def find_each(session: AsyncSession, corpus: Corpus, references: Collection[str]) -> dict[str, Source | str]:
    """The result of `find` for each reference, or the reason why there is none."""
    found = await _find_all(session, corpus, references)
    return {reference: _only(reference, candidates) for reference, candidates in found.items()}


async def find_or_create(
    session: AsyncSession, corpus: Corpus, references: Collection[str], bound: SourceBound | None = None
) -> dict[str, Source | str]:
    """The result of `find` for each reference, or a new source of that name; or the reason why there is none.

    A reference in the form of an id is that of a source that exists.
    """
    found = await _find_all(session, corpus, references)
    if bound is not None:
        held = {name: rows for name, rows in found.items() if _holds(bound, name, rows)}
        refused = {name: bound.refusal(name) for name in references if name not in held}
        return refused | await find_or_create(session, corpus, held)
    new = sorted(name for name in references if not found[name] and parse_id(name) is None)
    if new:
        rows = [{"corpus_id": corpus.id, "external_id": name, "name": name[:200]} for name in new]
        await session.execute(insert(Source).on_conflict_do_nothing(), rows)
        found |= await _find_all(session, corpus, new)
    return {reference: _only(reference, candidates) for reference, candidates in found.items()}


def _holds(bound: SourceBound, reference: str, candidates: Sequence[Source]) -> bool:
    """Whether all that a reference may mean is within the bound: what it finds, else the source to be made of it."""
    return all(bound.holds(name) for name in [source.external_id for source in candidates] or [reference])


def _found(reference: str, candidates: Sequence[Source]) -> Source:
    if not candidates:
        raise NotFound("source", reference)
    if len(candidates) > 1:
        raise InvalidInput(_ambiguous(reference, candidates))
    return candidates[0]


def _only(reference: str, candidates: Sequence[Source]) -> Source | str:
    if not candidates:
        return str(NotFound("source", reference))
    return candidates[0] if len(candidates) == 1 else _ambiguous(reference, candidates)


def _ambiguous(reference: str, candidates: Sequence[Source]) -> str:
    external_ids = ", ".join(repr(source.external_id) for source in candidates[:3])
    return f"{len(candidates)} sources are named {reference[:100]!r}; use an external id, such as {external_ids}."


async def _candidates(session: AsyncSession, corpus: Corpus, reference: str) -> Sequence[Source]:
    return (await _find_all(session, corpus, [reference]))[reference]


async def _find_all(session: AsyncSession, corpus: Corpus, references: Collection[str]) -> dict[str, Sequence[Source]]:
    """The source with each reference as its external id, else as its id; otherwise all sources of that name."""
    texts = [reference for reference in references if is_storable(reference)]
    ids = {reference: source_id for reference in texts if (source_id := parse_id(reference)) is not None}
    is_meant = or_(Source.external_id.in_(texts), Source.name.in_(texts), Source.id.in_(ids.values()))
    statement = select(Source).where(Source.corpus_id == corpus.id, is_meant).order_by(Source.id)
    rows = (await session.scalars(statement)).all()
    by_external_id, by_id = {row.external_id: row for row in rows}, {row.id: row for row in rows}
    by_name: dict[str, list[Source]] = {}
    for row in rows:
        by_name.setdefault(row.name, []).append(row)
    found: dict[str, Sequence[Source]] = {}
    for reference in references:
        source = by_external_id.get(reference) or (by_id.get(ids[reference]) if reference in ids else None)
        found[reference] = by_name.get(reference, []) if source is None else [source]
    return found


async def addresses(session: AsyncSession, source_ids: Collection[UUID]) -> dict[UUID, str]:
    """The web addresses of these sources, by id; those without one are left out."""
    rows = select(Source.id, Source.url).where(Source.id.in_(source_ids), Source.url.is_not(None))
    return {source_id: url or "" for source_id, url in await session.execute(rows)}


async def page(
    session: AsyncSession, corpus: Corpus, *, cursor: str | None, limit: int, status: SourceStatus | None = None
) -> Page[Source]:
    """The sources of the corpus, oldest first."""
    where = [] if status is None else [Source.status == status]
    return await page_of_rows(session, Source, corpus.id, *where, cursor=cursor, limit=limit)


async def update(session: AsyncSession, corpus: Corpus, source_id: UUID, patch: SourcePatch) -> Source:
    source = await get(session, corpus, source_id)
    before = audit.values_of(source, AUDITED)
    for field, value in patch.model_dump(exclude_unset=True).items():
        if value is not None or field in {"url", "allowed_groups"}:
            setattr(source, field, value)
    await session.flush()
    await session.refresh(source)
    after = audit.values_of(source, AUDITED)
    audit.record(session, AuditAction.SOURCE_CHANGED, source.id, corpus.id, before=before, after=after)
    return source


async def delete(session: AsyncSession, corpus: Corpus, source_id: UUID) -> None:
    """Delete a source with its documents and passages; raises `Conflict` while its corpus is estimated."""
    source = await get(session, corpus, source_id)
    await _refuse_while_estimated(session, corpus)
    # Ingest locks the source: passages that it is writing are committed, and deleted, once the lock is granted here.
    await lock_for_update(session, source, "source", source_id)
    await session.execute(delete_rows(Passage).where(Passage.source_id == source.id))
    await _delete_readings(session, corpus, source.id)
    await session.delete(source)
    audit.record(session, AuditAction.SOURCE_DELETED, source_id, corpus.id, before=audit.values_of(source, AUDITED))
    await session.flush()


async def delete_passages(session: AsyncSession, corpus: Corpus) -> None:
    """Delete the passages and readings of a corpus; raises `Conflict` while the corpus is estimated."""
    await _refuse_while_estimated(session, corpus)
    rows = select(Source.id).where(Source.corpus_id == corpus.id).order_by(Source.id).with_for_update()
    for source_id in (await session.scalars(rows)).all():
        await session.execute(delete_rows(Passage).where(Passage.source_id == source_id))
    await _delete_readings(session, corpus)


async def _delete_readings(session: AsyncSession, corpus: Corpus, source_id: UUID | None = None) -> None:
    """Delete the readings of a corpus, or of one of its sources and those that are of no single source."""
    readings = delete_rows(CachedReading).where(CachedReading.corpus_id == corpus.id)
    if source_id is not None:
        readings = readings.where((CachedReading.source_id == source_id) | CachedReading.source_id.is_(None))
    await session.execute(readings)


async def set_override(
    session: AsyncSession, corpus: Corpus, source_id: UUID, values: OverrideInput, created_by: str
) -> Override:
    source = await get(session, corpus, source_id)
    former = await session.get(Override, source.id)
    before = None if former is None else audit.values_of(former, OverrideInput.model_fields)
    audit.record(session, AuditAction.OVERRIDE_SET, source.id, corpus.id, before=before, after=values.model_dump())
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
    source = await get(session, corpus, source_id)
    override = await session.get(Override, source.id)
    if override is None:
        raise NotFound("override of source", source_id)
    await lock_for_update(session, override, "override of source", source_id)
    await session.delete(override)
    before = audit.values_of(override, OverrideInput.model_fields)
    audit.record(session, AuditAction.OVERRIDE_DELETED, source_id, corpus.id, before=before)
    await session.flush()


async def _refuse_while_estimated(session: AsyncSession, corpus: Corpus) -> None:
    running = select(EstimationRun.id).where(
        EstimationRun.corpus_id == corpus.id, EstimationRun.status.in_(ACTIVE_STATUSES)
    )
    run_id = await session.scalar(running)
    if run_id is not None:
        raise Conflict(
            "An estimation is reading this corpus. Wait until it ends, or cancel it, then delete.",
            location=f"/v1/corpora/{corpus.name}/estimations/{run_id}",
        )
