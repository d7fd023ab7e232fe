"""Queries of a run on which sources disagree, how often two sources are on the same side, and contradictions that
were found when documents came in.

Votes that look misread are none of their sources' statements, and so dispute nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, and_, delete, exists, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from registry.corpora.model import Corpus
from registry.disputes.model import DocumentContradiction
from registry.documents.model import Document
from registry.documents.schemas import Contradiction
from registry.estimations import store as estimations
from registry.estimations.model import EstimationRun, RunQuery, RunSource, Vote
from registry.platform.database.paging import Page, decode_cursor, encode_cursor
from registry.platform.database.rows import page_of_rows
from registry.queries.model import Query
from registry.readings.store.misreadings import SUSPECTED
from registry.sources.model import Source
from registry.viewers.model import ALL_SEEING, Viewer
from registry.viewers.store import visible_documents, visible_run_queries


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """The agreement of two sources on the disputed queries of a run."""

    first_id: UUID
    second_id: UUID
    shared: int
    """Disputed queries with votes of both."""
    agreed: int
    """The number of queries on which both gave the same answer class."""
    dated: int
    """The number of `agreed` queries for which both times of publication are known."""
    first_earlier: int
    """The number of `dated` queries on which the first source published before the second."""
    lag: timedelta | None
    """Median time from the publication of the first source to that of the second; None where nothing is dated."""

    @property
    def share(self) -> float:
        """Share of the shared queries on which they agree."""
        return self.agreed / self.shared


async def page(
    session: AsyncSession,
    run: EstimationRun,
    *,
    without_gold: bool = False,
    cursor: str | None,
    limit: int,
    viewer: Viewer = ALL_SEEING,
) -> Page[RunQuery]:
    """The queries of the run with votes for several answer classes, or those of them that are there, active and have no
    gold answer; least certain first.

    Raises `NotFound` for a cursor behind a query that the run did not read.
    """
    certainty = func.coalesce(RunQuery.lead, -1.0)
    rows = select(RunQuery).where(*_disputed(run, viewer, without_gold=without_gold))
    if cursor is not None:
        last = await estimations.query_of(session, run, decode_cursor(cursor))
        lead = -1.0 if last.lead is None else last.lead
        rows = rows.where(tuple_(certainty, RunQuery.query_id) > tuple_(lead, last.query_id))
    found = (await session.scalars(rows.order_by(certainty, RunQuery.query_id).limit(limit + 1))).all()
    items = await estimations.with_visible_answers(session, run, found[:limit], viewer)
    return Page(items, encode_cursor(items[-1].query_id) if len(found) > limit else None)


async def count(
    session: AsyncSession, run: EstimationRun, *, without_gold: bool = False, viewer: Viewer = ALL_SEEING
) -> int:
    """The number of queries of the run with votes for several answer classes; `without_gold` as of `page`."""
    rows = select(func.count()).select_from(RunQuery).where(*_disputed(run, viewer, without_gold=without_gold))
    return await session.scalar(rows) or 0


async def agreements(
    session: AsyncSession, run: EstimationRun, source_ids: Sequence[UUID], *, of_copy_groups: bool = False
) -> list[PairAgreement]:
    """The agreement of each two of these sources that share a disputed query; `of_copy_groups`: only pairs of one."""
    stated = Vote.answer_key.is_not(None), func.coalesce(Vote.misread, 0.0) < SUSPECTED
    disputed = and_(RunQuery.estimation_id == run.id, RunQuery.query_id == Vote.query_id, RunQuery.classes > 1)
    in_run = and_(RunSource.estimation_id == run.id, RunSource.source_id == Vote.source_id)
    votes = (
        select(
            Vote.query_id, Vote.source_id, Vote.answer_key, Vote.published_at, RunSource.copy_group.label("copy_group")
        )
        .join(RunSource, in_run)
        .join(RunQuery, disputed)
        .where(Vote.estimation_id == run.id, Vote.source_id.in_(source_ids), *stated)
        .cte()
    )
    first, second = votes.alias(), votes.alias()
    pair: list[ColumnElement[bool]] = [first.c.query_id == second.c.query_id, first.c.source_id < second.c.source_id]
    if of_copy_groups:
        pair.append(first.c.copy_group == second.c.copy_group)
    alike = first.c.answer_key == second.c.answer_key
    lag = second.c.published_at - first.c.published_at
    dated = and_(alike, lag.is_not(None))
    rows = (
        select(
            first.c.source_id,
            second.c.source_id,
            func.count(),
            func.count().filter(alike),
            func.count().filter(dated),
            func.count().filter(dated, lag > timedelta()),
            func.percentile_cont(0.5).within_group(lag).filter(dated),
        )
        .join(second, and_(*pair))
        .group_by(first.c.source_id, second.c.source_id)
    )
    return [PairAgreement(*row) for row in await session.execute(rows)]


def _disputed(run: EstimationRun, viewer: Viewer, *, without_gold: bool) -> tuple[ColumnElement[bool], ...]:
    """The condition on queries of the run on which sources disagree."""
    disputed = RunQuery.estimation_id == run.id, RunQuery.classes > 1, *visible_run_queries(viewer)
    unlabelled = Query.corpus_id == run.corpus_id, Query.active, Query.gold_answers.is_(None)
    return (*disputed, exists().where(Query.id == RunQuery.query_id, *unlabelled)) if without_gold else disputed


async def replace_contradictions(
    session: AsyncSession, corpus: Corpus, document_id: UUID, found: Sequence[Contradiction]
) -> list[Contradiction]:
    """Store the contradictions of a document instead of those of its former text; those with documents that are gone by
    now, and all where it is gone itself, are left out. Returns those that were stored.
    """
    wanted = {document_id, *(each.other_document_id for each in found)}
    rows = select(Document.id).where(Document.id.in_(wanted)).with_for_update(read=True, key_share=True)
    present = set(await session.scalars(rows))
    await session.execute(delete(DocumentContradiction).where(DocumentContradiction.document_id == document_id))
    stored = [each for each in found if {document_id, each.other_document_id} <= present]
    session.add_all(
        DocumentContradiction(corpus_id=corpus.id, document_id=document_id, **each.model_dump()) for each in stored
    )
    return stored


async def contradictions(
    session: AsyncSession, corpus: Corpus, *, cursor: str | None, limit: int, viewer: Viewer = ALL_SEEING
) -> Page[DocumentContradiction]:
    """The contradictions that were found when documents came in, of which the viewer sees both, the newest first."""
    found = DocumentContradiction
    seen = [
        exists().where(Document.id == document_id, *visible_documents(viewer))
        for document_id in (found.document_id, found.other_document_id)
    ]
    where = () if viewer.sees_all else seen
    return await page_of_rows(session, found, corpus.id, *where, cursor=cursor, limit=limit, newest_first=True)


async def publishers(session: AsyncSession, contradictions: Iterable[DocumentContradiction]) -> dict[UUID, Source]:
    """The sources of the documents that contradict each other, by document."""
    ids = {id_ for each in contradictions for id_ in (each.document_id, each.other_document_id)}
    rows = select(Document.id, Source).join(Source, Source.id == Document.source_id).where(Document.id.in_(ids))
    found: dict[UUID, Source] = dict((await session.execute(rows)).all())
    return found


async def contradiction_count(session: AsyncSession) -> int:
    return await session.scalar(select(func.count()).select_from(DocumentContradiction)) or 0
