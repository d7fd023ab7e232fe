"""The one condition on which a viewer sees a document, and what follows from it for all that was read in documents.

Each function gives conditions on the rows of a statement, none for a viewer who sees everything. A document is for its
own groups, else for those of its source, else for everybody. What was read in documents is seen by those who may see
all of these, also as they were when they were read; where one of them is deleted, nobody knows any more for whom it
was, and those alone see it who see everything.
"""

from collections.abc import Collection
from typing import Any, TypeAlias
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Text,
    Uuid,
    and_,
    bindparam,
    case,
    exists,
    false,
    func,
    literal,
    or_,
    select,
    true,
    union_all,
)
from sqlalchemy import cast as as_type
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.dialects.postgresql.base import PGDialect
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased
from sqlalchemy.sql.functions import FunctionElement

from registry.answers.model import AnswerRecord
from registry.corpora.model import Corpus
from registry.documents.model import Document, DocumentRevision, StatedValue
from registry.estimations.model import EstimationRun, RunQuery, Vote
from registry.platform.enums import QueryOrigin, RunStatus
from registry.queries.model import Query
from registry.sources.model import Source
from registry.viewers.model import Viewer

Conditions: TypeAlias = tuple[ColumnElement[bool], ...]
_Groups: TypeAlias = ColumnElement[Any]
"""An array of groups, or null."""
# Queries that somebody sent say nothing of documents.
_SENT = (QueryOrigin.GIVEN, QueryOrigin.VOTES)
# Of a document; each look-up finds its source by the primary key.
_OF_DOCUMENT = func.coalesce(
    Document.allowed_groups,
    select(Source.allowed_groups).where(Source.id == Document.source_id).correlate(Document).scalar_subquery(),
)


def _may_see(allowed: _Groups, groups: _Groups) -> ColumnElement[bool]:
    """Whether what is for some groups is for one of these; null is for everybody."""
    return func.coalesce(allowed.overlap(groups), true())


def _groups(viewer: Viewer) -> _Groups:
    return literal(viewer.stored, ARRAY(Text))


def visible_documents(viewer: Viewer) -> Conditions:
    """The condition on rows of `documents`."""
    return () if viewer.sees_all else (_may_see(_OF_DOCUMENT, _groups(viewer)),)


def visible_revisions(viewer: Viewer) -> Conditions:
    """The condition on rows of `document_revisions`, of a document that the viewer sees."""
    if viewer.sees_all:
        return ()
    of_document = select(Source.allowed_groups).join(Document, Document.source_id == Source.id)
    of_source = of_document.where(Document.id == DocumentRevision.document_id).scalar_subquery()
    return (_may_see(func.coalesce(DocumentRevision.allowed_groups, of_source), _groups(viewer)),)


def visible_sources(viewer: Viewer) -> Conditions:
    """The condition on rows of `sources`, for what a source says without documents."""
    return () if viewer.sees_all else (_may_see(Source.allowed_groups.expression, _groups(viewer)),)


def _all_visible(viewer: Viewer, ids: FunctionElement[object], since: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether these, the elements of an array, are documents that are there and may be seen, as they are and as they
    were since a time, or likewise sources.
    """
    used = ids.column_valued("used_id")
    seen = (*visible_documents(viewer), _seen_since(viewer, since))
    document = exists().where(Document.id == as_type(used, Uuid), *seen)
    source = exists().where(Source.id == as_type(used, Uuid), *visible_sources(viewer))
    return ~exists(select(used).where(~or_(document, source)))


def _seen_since(viewer: Viewer, since: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether the viewer may see what a document was since a time: nobody knows for whom it was where that revision is
    no longer kept.
    """
    former = and_(DocumentRevision.document_id == Document.id, DocumentRevision.replaced_at > since)
    kept = exists().where(former, DocumentRevision.stored_at <= since).correlate_except(DocumentRevision)
    hidden = exists().where(former, ~and_(*visible_revisions(viewer))).correlate_except(DocumentRevision)
    return or_(Document.updated_at <= since, Document.revision == 1, and_(kept, ~hidden))


def visible_votes(viewer: Viewer, vote: type[Vote] = Vote) -> Conditions:
    """The condition on votes of a run. One that was read in no document is its source's, as an imported one."""
    if viewer.sees_all:
        return ()
    read = func.jsonb_array_length(vote.document_ids) > 0
    of_source = exists().where(Source.id == vote.source_id, *visible_sources(viewer)).correlate(vote)
    of_run = select(EstimationRun.created_at).where(EstimationRun.id == vote.estimation_id)
    began = of_run.correlate(vote).scalar_subquery()
    return or_(read, of_source), _all_visible(viewer, func.jsonb_array_elements_text(vote.document_ids), began)


def visible_answers(viewer: Viewer) -> Conditions:
    """The condition on answers: those made of documents that the viewer sees; before they are made, those of questions
    that were asked for somebody who sees no more.
    """
    if viewer.sees_all:
        return ()
    is_answered = AnswerRecord.status == RunStatus.SUCCEEDED
    # Older answers, of which it is not known what they are made of, are for those who see everything.
    documents = func.unnest(AnswerRecord.made_of)
    made_of = and_(
        AnswerRecord.made_of.is_not(None), _all_visible(viewer, documents, AnswerRecord.created_at.expression)
    )
    asked_for = func.coalesce(AnswerRecord.viewer_groups.contained_by(_groups(viewer)), false())
    return (case((is_answered, made_of), else_=asked_for),)


def visible_queries(viewer: Viewer) -> Conditions:
    """The condition on queries: those sent, and those made of a visible document, stated value or answer."""
    if viewer.sees_all:
        return ()
    written_from = exists().where(
        Document.id == as_type(Query.provenance["document_id"].astext, Uuid), *visible_documents(viewer)
    )
    answered = exists().where(
        AnswerRecord.id == as_type(Query.provenance["answer_id"].astext, Uuid), *visible_answers(viewer)
    )
    stated = exists().where(
        StatedValue.corpus_id == Query.corpus_id,
        StatedValue.subject_key == Query.subject_key,
        StatedValue.relation == Query.relation,
        Document.id == StatedValue.document_id,
        *visible_documents(viewer),
    )
    made_of = {QueryOrigin.GENERATED: written_from, QueryOrigin.ASKED: answered, QueryOrigin.STATED: stated}
    is_visible = ((Query.origin == origin, condition) for origin, condition in made_of.items())
    return (case((Query.origin.in_(_SENT), true()), *is_visible, else_=false()),)


def visible_run_queries(viewer: Viewer) -> Conditions:
    return () if viewer.sees_all else (exists().where(Query.id == RunQuery.query_id, *visible_queries(viewer)),)


def visible_run_answer(viewer: Viewer) -> ColumnElement[str | None]:
    """The answer of a query of a run; null unless a vote that the viewer sees gives it."""
    if viewer.sees_all:
        return RunQuery.answer.expression
    vote = aliased(Vote)
    given = exists().where(
        vote.estimation_id == RunQuery.estimation_id,
        vote.query_id == RunQuery.query_id,
        vote.answer == RunQuery.answer,
        *visible_votes(viewer, vote),
    )
    return case((given, RunQuery.answer))


async def names_of(session: AsyncSession, ids: Collection[UUID], viewer: Viewer) -> dict[UUID, str]:
    """The names of the corpora, sources, documents, queries, runs and answers with these identifiers that are seen."""
    run = func.concat("run ", EstimationRun.number)
    named = (
        select(Corpus.id, Corpus.name),
        select(Source.id, Source.name).where(*visible_sources(viewer)),
        select(Document.id, Document.title).where(*visible_documents(viewer)),
        select(Query.id, Query.text).where(*visible_queries(viewer)),
        select(EstimationRun.id, run),
        select(AnswerRecord.id, AnswerRecord.question).where(*visible_answers(viewer)),
    )
    rows = union_all(*(each.where(each.selected_columns.id.in_(ids)) for each in named))
    return {id_: name for id_, name in await session.execute(rows) if name}


async def searching_viewer(session: AsyncSession, corpus: Corpus, viewer: Viewer) -> Viewer:
    """The viewer for a search of what is stored now: in a corpus where nothing is for groups, one who sees everything,
    so that its searches are those of anybody.
    """
    if viewer.sees_all:
        return viewer
    restricted = exists().where(Document.source_id == Source.id, Document.allowed_groups.is_not(None))
    has_groups = exists().where(Source.corpus_id == corpus.id, or_(Source.allowed_groups.is_not(None), restricted))
    return viewer if await session.scalar(select(has_groups)) else Viewer()


def _as_text() -> str:
    """The documents of `{source_id}` that a viewer sees, for statements in SQL, with its groups as `groups`."""
    groups = as_type(bindparam("groups"), ARRAY(Text))
    # Joined, so that the groups of a source are looked up once for all its documents.
    rows = select(Document.id).join(Source, Source.id == Document.source_id)
    rows = rows.where(_may_see(func.coalesce(Document.allowed_groups, Source.allowed_groups), groups))
    dialect = PGDialect(paramstyle="named")  # type: ignore[no-untyped-call]  # (its keyword arguments)
    compiled = rows.compile(dialect=dialect)
    return f"{compiled} AND documents.source_id = {{source_id}}"


VISIBLE_DOCUMENTS = _as_text()
SEEN_BY_ALL = func.coalesce(*visible_queries(Viewer(frozenset())), false())
"""Whether everybody who reads its corpus sees a query; not one that is no longer there."""
