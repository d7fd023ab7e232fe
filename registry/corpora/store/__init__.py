"""Corpora in the database."""

from uuid import UUID

from sqlalchemy import and_, func, select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusInput, CorpusPatch
from registry.estimations.model import COUNTED_IN_ITS_PLACE, MAY_BE_CURRENT, EstimationRun, RunSource
from registry.events import audit
from registry.events import store as events
from registry.keys.schemas import QuotaInput
from registry.platform.database.paging import Page, paginate
from registry.platform.database.rows import parse_id
from registry.platform.enums import AuditAction, SourceStatus
from registry.platform.errors import Conflict, NotFound
from registry.platform.fields import is_storable
from registry.sources import store as sources
from registry.sources.model import Override, Source

DEFAULT = "default"
AUDITED = (
    "name",
    "description",
    "text_search",
    "use_gold",
    "generate_queries",
    "answers",
    "asked_queries",
    *QuotaInput.model_fields,
)


async def create(session: AsyncSession, values: CorpusInput) -> Corpus:
    """A new corpus; raises `Conflict` if there is one of that name."""
    corpus = Corpus(**values.model_dump(mode="json"))
    try:
        async with session.begin_nested():
            session.add(corpus)
    except IntegrityError as error:
        raise _already_there(values.name) from error
    audit.record(session, AuditAction.CORPUS_CREATED, corpus.id, corpus.id, after=audit.values_of(corpus, AUDITED))
    return corpus


async def get(session: AsyncSession, reference: str) -> Corpus:
    """The corpus of that name, else with that id; raises `NotFound`."""
    corpus = await session.scalar(select(Corpus).where(Corpus.name == reference)) if is_storable(reference) else None
    if corpus is None and (corpus_id := parse_id(reference)) is not None:
        corpus = await session.get(Corpus, corpus_id)
    if corpus is None:
        raise NotFound("corpus", reference)
    return corpus


async def get_by_id(session: AsyncSession, corpus_id: UUID) -> Corpus:
    """The corpus with that identifier; raises `NotFound`."""
    corpus = await session.get(Corpus, corpus_id)
    if corpus is None:
        raise NotFound("corpus", corpus_id)
    return corpus


async def page(session: AsyncSession, *, cursor: str | None, limit: int) -> Page[Corpus]:
    """All corpora, oldest first."""
    return await paginate(session, select(Corpus), Corpus.id, cursor=cursor, limit=limit)


async def update(session: AsyncSession, corpus: Corpus, patch: CorpusPatch) -> Corpus:
    """Change a corpus; raises `Conflict` for the name of another one or of the default corpus."""
    corpus = await get_by_id(session, corpus.id)
    if patch.name not in {None, corpus.name} and corpus.name == DEFAULT:
        raise Conflict("The default corpus keeps its name; make another one instead.")
    before = audit.values_of(corpus, AUDITED)
    try:
        async with session.begin_nested():
            corpus.name = patch.name or corpus.name
            for setting in ("description", "use_gold", "generate_queries", "answers", "asked_queries"):
                value = getattr(patch, setting)
                setattr(corpus, setting, getattr(corpus, setting) if value is None else value)
            for quota, value in patch.model_dump(include=set(QuotaInput.model_fields), exclude_unset=True).items():
                setattr(corpus, quota, value)
    except IntegrityError as error:
        raise _already_there(str(patch.name)) from error
    await session.refresh(corpus)
    after = audit.values_of(corpus, AUDITED)
    audit.record(session, AuditAction.CORPUS_CHANGED, corpus.id, corpus.id, before=before, after=after)
    return corpus


def _already_there(name: str) -> Conflict:
    return Conflict(f"There already is a corpus named {name!r}.", location=f"/v1/corpora/{name}")


async def delete(session: AsyncSession, corpus: Corpus) -> None:
    """Delete a corpus with everything in it; raises `Conflict` for the default corpus and while it is estimated."""
    if corpus.name == DEFAULT:
        raise Conflict("The default corpus always exists; delete its sources instead.")
    locked = await session.get(Corpus, corpus.id, with_for_update=True)
    if locked is None:
        raise NotFound("corpus", corpus.name)
    await sources.delete_passages(session, corpus)
    await events.delete_events(session, corpus.id)
    await session.delete(locked)
    audit.record(session, AuditAction.CORPUS_DELETED, corpus.id, corpus.id, before={"name": corpus.name})
    await session.flush()


async def alarms(session: AsyncSession) -> dict[str, int]:
    """The number of active sources of each corpus that have turned by its current run and have no override."""
    run = EstimationRun
    current = (
        select(COUNTED_IN_ITS_PLACE.label("id"), run.corpus_id).where(MAY_BE_CURRENT).ext(distinct_on(run.corpus_id))
    )
    runs = current.order_by(run.corpus_id, run.id.desc()).subquery()
    without_override = (
        select(Source.id)
        .outerjoin(Override)
        .where(Source.status == SourceStatus.ACTIVE, Override.reliability.is_(None))
    )
    turned = and_(
        RunSource.estimation_id == runs.c.id,
        RunSource.turned_at.is_not(None),
        RunSource.source_id.in_(without_override),
    )
    rows = (
        select(Corpus.name, func.count(RunSource.source_id))
        .outerjoin(runs, runs.c.corpus_id == Corpus.id)
        .outerjoin(RunSource, turned)
        .group_by(Corpus.name)
    )
    return dict((await session.execute(rows)).all())
