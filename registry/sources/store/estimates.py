"""The run that counts, and what it, operators and outside lists say of sources."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, func, literal, or_, select, text
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute, load_only

from estimator.methods import METHODS
from registry.corpora.model import Corpus
from registry.documents.schemas import LineStatus
from registry.estimations.model import EstimationRun, RunSource
from registry.events import audit
from registry.platform.database.base import Json
from registry.platform.database.paging import Page, paginate
from registry.platform.database.rows import get_row, lock_for_update
from registry.platform.enums import AuditAction, RunStatus, SourceStatus
from registry.platform.errors import Conflict, NotFound
from registry.sources import store as sources
from registry.sources.model import Override, Rating, Source
from registry.sources.schemas import RatingInput

COUNTED_IN_ITS_PLACE = func.coalesce(EstimationRun.replaced_by, EstimationRun.id)
"""The current run: the newest one that may be."""
_AS_STORED = (
    *("reliability", "lower", "upper", "systematic", "weight", "vote_count", "agreement_count", "conflict_count"),
    *("sensitivity", "specificity", "misread_count", "read_share", "copy_group", "turned_at"),
)


@dataclass(frozen=True, slots=True)
class StoredEstimates:
    """The current run, and of sources what it found, what operators set and what lists say."""

    run: EstimationRun | None
    sources: Sequence[dict[str, Any]]
    """Columns of each source and, null where the run has none, of its estimate."""
    overrides: Mapping[UUID, Override]
    ratings: Mapping[UUID, Rating]


async def current_run(session: AsyncSession, corpus: Corpus) -> EstimationRun | None:
    """The run whose reliabilities count: the newest that succeeded, or the one that was made current in its place.

    Runs by a method that uses the gold answers never do.
    """
    return await _counted(session, EstimationRun.corpus_id == corpus.id)


async def previous_run(session: AsyncSession, run: EstimationRun) -> EstimationRun | None:
    """The run of the corpus that counted until this one came."""
    return await _counted(session, EstimationRun.corpus_id == run.corpus_id, EstimationRun.id < run.id)


async def _counted(session: AsyncSession, *among: ColumnElement[bool]) -> EstimationRun | None:
    newest = select(COUNTED_IN_ITS_PLACE).where(*among, may_be_current()).order_by(EstimationRun.id.desc()).limit(1)
    run: EstimationRun | None = await session.scalar(
        select(EstimationRun).where(EstimationRun.id == newest.scalar_subquery())
    )
    return run


async def make_current(session: AsyncSession, corpus: Corpus, estimation_id: UUID, instead_of: UUID) -> EstimationRun:
    """Let a run count again instead of the one that the caller takes for the current one, until a newer one succeeds.

    Raises `NotFound`, and `Conflict` for a run that can never count and where another run counts by now.
    """
    run = await get_row(session, EstimationRun, corpus.id, estimation_id)
    if not await session.scalar(select(may_be_current()).where(EstimationRun.id == run.id)):
        raise Conflict(
            f"Run {run.number} cannot be made current: only runs that succeeded, by a method that does not use the "
            "gold answers to audit, can."
        )
    # Locked, so that of two callers one sees what the other one did.
    candidates = select(EstimationRun).where(EstimationRun.corpus_id == corpus.id, may_be_current())
    locked = candidates.order_by(EstimationRun.id.desc()).limit(1).with_for_update()
    newest = (await session.scalars(locked, execution_options={"populate_existing": True})).one()
    current = newest.replaced_by or newest.id
    if current != instead_of:
        counts = await session.get_one(EstimationRun, current)
        raise Conflict(
            f"Run {counts.number} is the current one by now. Compare with it before you make another one current.",
            location=f"/v1/corpora/{corpus.name}/estimations/{current}",
        )
    before, after = {"estimation_id": current}, {"estimation_id": run.id}
    audit.record(session, AuditAction.ESTIMATION_MADE_CURRENT, run.id, corpus.id, before=before, after=after)
    newest.replaced_by = None if run is newest else run.id
    return run


def may_be_current() -> ColumnElement[bool]:
    """Whether a run may count: it succeeded, and by a method that does not use the gold answers to audit."""
    audits = [method.name for method in METHODS if "true_reliability" in method.parameters]
    succeeded = EstimationRun.status == RunStatus.SUCCEEDED
    return and_(succeeded, func.coalesce(EstimationRun.method, "").not_in(audits))


async def history(
    session: AsyncSession, corpus: Corpus, source_id: UUID, *, cursor: str | None, limit: int
) -> Page[RunSource]:
    """The estimates of a source in every run that succeeded, oldest first."""
    await sources.get(session, corpus, source_id)
    rows = (
        select(RunSource)
        .join(EstimationRun, EstimationRun.id == RunSource.estimation_id)
        .where(RunSource.source_id == source_id, EstimationRun.status == RunStatus.SUCCEEDED)
    )
    return await paginate(session, rows, RunSource.estimation_id, cursor=cursor, limit=limit)


async def runs_behind(session: AsyncSession, found: Collection[RunSource]) -> dict[UUID, EstimationRun]:
    """The runs of these estimates by identifier, with their numbers and how they estimated."""
    how = load_only(EstimationRun.number, EstimationRun.method, EstimationRun.reader, EstimationRun.parameters)
    rows = select(EstimationRun).where(EstimationRun.id.in_([each.estimation_id for each in found])).options(how)
    return {run.id: run for run in await session.scalars(rows)}


async def evidence_of(
    session: AsyncSession, estimation_id: UUID | None, source_ids: Collection[UUID]
) -> dict[UUID, float]:
    """The number of votes of these sources in a run, with those that a rating stood for."""
    votes = RunSource.vote_count + func.coalesce(RunSource.rating_strength, 0.0)
    rows = select(RunSource.source_id, votes.label("votes")).where(
        RunSource.estimation_id == estimation_id, RunSource.source_id.in_(source_ids)
    )
    return {row.source_id: row.votes for row in await session.execute(rows)}


async def look_up(
    session: AsyncSession,
    corpus: Corpus,
    *,
    statuses: Collection[SourceStatus] | None = None,
    source_ids: Collection[UUID] | None = None,
) -> StoredEstimates:
    """The sources of these statuses, or these sources, in the order of their creation."""
    run = await current_run(session, corpus)
    meant = Source.corpus_id == corpus.id
    if statuses is not None:
        meant &= Source.status.in_(statuses)
    if source_ids is not None:
        meant &= Source.id.in_(source_ids)
    connection = await session.connection()
    rows = (await connection.execute(_joined(run).where(meant).order_by(Source.id))).all()
    # Few sources have one: as objects joined to all sources they would take a fifth of the time.
    overrides = {each.source_id: each for each in await session.scalars(select(Override).join(Source).where(meant))}
    ratings = {each.source_id: each for each in await session.scalars(select(Rating).join(Source).where(meant))}
    return StoredEstimates(run, [row._asdict() for row in rows], overrides, ratings)


def _joined(run: EstimationRun | None) -> Select[*tuple[Any, ...]]:
    """Columns, not objects: a question needs them of every source of its corpus."""
    of_run = and_(RunSource.source_id == Source.id, RunSource.estimation_id == (run.id if run else None))
    with_votes = and_(may_be_current(), EstimationRun.votes_total > 0)
    # Identifiers are in the order of creation.
    first_run = select(EstimationRun.id).order_by(EstimationRun.id).limit(1)
    first_run = first_run.where(EstimationRun.corpus_id == (run.corpus_id if run else None), with_votes)
    return select(
        Source.id.label("source_id"),
        Source.external_id,
        Source.name,
        Source.status,
        Source.created_at,
        *(getattr(RunSource, name).label(name) for name in _AS_STORED),
        _unless_empty(RunSource.periods).label("periods"),
        _unless_empty(RunSource.topics).label("topics"),
        RunSource.rating.label("rating_used"),
        (Source.id > first_run.scalar_subquery()).label("came_later"),
    ).outerjoin(RunSource, of_run)


def _unless_empty(column: InstrumentedAttribute[list[Json]]) -> ColumnElement[list[Json] | None]:
    """Null for an empty list: most are, and to parse them would take half of the time of a statement."""
    return func.nullif(column, literal([], JSONB))


async def put_rating(
    session: AsyncSession, source: Source, values: RatingInput, created_by: str
) -> tuple[Rating, LineStatus]:
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


async def delete_rating(session: AsyncSession, corpus: Corpus, source_id: UUID) -> None:
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


async def ratings_of(session: AsyncSession, source_ids: Sequence[UUID]) -> dict[UUID, Rating]:
    """The ratings of those of these sources that have one."""
    rows = await session.scalars(select(Rating).where(Rating.source_id.in_(source_ids)))
    return {rating.source_id: rating for rating in rows}
