"""Exports: what a corpus holds as flat rows, read in batches by key, so that the memory needed is that of a batch."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, case, func, null, or_, select, tuple_
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute, aliased
from sqlalchemy.types import TypeEngine

from registry.answers.model import AnswerRecord
from registry.corpora.model import Corpus
from registry.documents.model import Document
from registry.estimations import store as estimations
from registry.estimations.model import EstimationRun, RunQuery, RunSource, Vote
from registry.platform.database.engine import Database
from registry.platform.enums import ExportName, RunStatus
from registry.platform.fields import CONCEPT, ENTRY
from registry.readings.model import MisreadingVerdict
from registry.readings.store.misreadings import SUSPECTED
from registry.sources.model import Override, Source
from registry.sources.store.estimates import current_run
from registry.viewers.model import ALL_SEEING, Viewer
from registry.viewers.store import (
    visible_answers,
    visible_documents,
    visible_run_answer,
    visible_run_queries,
    visible_votes,
)

BATCH_ROWS = 500
_NOBODY = UUID(int=0)
# What a run found of a source beside its reliability.
_FOUND = (
    *(RunSource.lower, RunSource.upper, RunSource.sensitivity, RunSource.specificity, RunSource.weight),
    *(RunSource.vote_count, RunSource.misread_count, RunSource.abstention_count),
    *(RunSource.copy_group.label("copy_group"), RunSource.turned_at),
)

ExportedRow: TypeAlias = dict[str, Any]
Statement: TypeAlias = Select[*tuple[Any, ...]]


async def run_to_export(session: AsyncSession, corpus: Corpus, estimation_id: UUID | None) -> UUID | None:
    """The run with that id, which must be of the corpus, or without one the current run, if there is one."""
    if estimation_id is not None:
        return (await estimations.get(session, corpus, estimation_id)).id
    run = await current_run(session, corpus)
    return run.id if run else None


@dataclass(frozen=True, slots=True)
class Export:
    name: ExportName
    select_of: Callable[[UUID, UUID | None, Viewer], Statement]
    """Its rows that a viewer sees, given the identifiers of the corpus and of a run, if the corpus has one."""
    key: tuple[InstrumentedAttribute[UUID], ...]
    """The columns that identify and order the rows."""

    def columns(self) -> dict[str, type]:
        """The names of its columns, and of which type their values are; `object` for lists and objects."""
        of_table = self.select_of(_NOBODY, None, ALL_SEEING).selected_columns
        return {column.name: _python_type(column.type) for column in of_table}

    async def batches(
        self, database: Database, corpus_id: UUID, estimation_id: UUID | None, viewer: Viewer = ALL_SEEING
    ) -> AsyncIterator[Sequence[ExportedRow]]:
        """All rows; a transaction for each batch."""
        rows = self.select_of(corpus_id, estimation_id, viewer)
        rows = rows.add_columns(*(key.label(f"key_{key.key}") for key in self.key))
        last: tuple[UUID, ...] | None = None
        while True:
            after = rows if last is None else rows.where(tuple_(*self.key) > last)
            async with database.begin() as session:
                result = await session.execute(after.order_by(*self.key).limit(BATCH_ROWS))
                names, fetched = list(result.keys()), result.all()
            if fetched:
                yield [dict(list(zip(names, row, strict=True))[: -len(self.key)]) for row in fetched]
                last = tuple(fetched[-1][-len(self.key) :])
            if len(fetched) < BATCH_ROWS:
                return


def _python_type(column: TypeEngine[Any]) -> type:
    kind = column.python_type
    return object if kind in {list, dict} else kind


def _estimated() -> ColumnElement[float | None]:
    """A run gives a source without votes and rating the prior, which says nothing of this source."""
    return case((or_(RunSource.vote_count > 0, RunSource.rating.is_not(None)), RunSource.reliability))


def _sources(corpus_id: UUID, estimation_id: UUID | None, _viewer: Viewer) -> Statement:
    return (
        select(
            Source.id,
            Source.external_id,
            Source.name,
            Source.url,
            Source.description,
            Source.status,
            Source.attributes,
            Source.created_at,
            func.coalesce(Override.reliability, _estimated()).label("reliability"),
            Override.reliability.label("override"),
            *_FOUND,
        )
        .outerjoin(RunSource, and_(RunSource.source_id == Source.id, RunSource.estimation_id == estimation_id))
        .outerjoin(Override, Override.source_id == Source.id)
        .where(Source.corpus_id == corpus_id)
    )


def _reliabilities(corpus_id: UUID, _estimation_id: UUID | None, _viewer: Viewer) -> Statement:
    return (
        select(
            RunSource.estimation_id,
            EstimationRun.finished_at,
            EstimationRun.method,
            RunSource.source_id,
            RunSource.source_name,
            RunSource.reliability,
            *_FOUND,
        )
        .join(EstimationRun, EstimationRun.id == RunSource.estimation_id)
        .where(EstimationRun.corpus_id == corpus_id, EstimationRun.status == RunStatus.SUCCEEDED)
    )


def _votes(_corpus_id: UUID, estimation_id: UUID | None, viewer: Viewer) -> Statement:
    of_source = and_(RunSource.estimation_id == Vote.estimation_id, RunSource.source_id == Vote.source_id)
    return (
        select(
            Vote.query_id,
            RunQuery.query_text,
            Vote.source_id,
            RunSource.source_name,
            Vote.status,
            Vote.answer,
            # It may be named after the answer of another source.
            (Vote.answer_key if viewer.sees_all else null()).label("answer_key"),
            visible_run_answer(viewer).label("run_answer"),
            (Vote.answer_key == _run_answer_key()).label("agrees"),
            Vote.alignment,
            Vote.stated,
            Vote.imported,
            Vote.confidence,
            Vote.misread,
            Vote.document_ids,
            Vote.published_at,
        )
        .join(RunQuery, and_(RunQuery.estimation_id == Vote.estimation_id, RunQuery.query_id == Vote.query_id))
        .outerjoin(RunSource, of_source)
        .where(Vote.estimation_id == estimation_id, *visible_run_queries(viewer), *visible_votes(viewer))
    )


def _misreadings(_corpus_id: UUID, estimation_id: UUID | None, viewer: Viewer) -> Statement:
    of_source = and_(RunSource.estimation_id == Vote.estimation_id, RunSource.source_id == Vote.source_id)
    of_corpus = select(EstimationRun.corpus_id).where(EstimationRun.id == estimation_id).scalar_subquery()
    judged = and_(MisreadingVerdict.reading_id == Vote.reading_id, MisreadingVerdict.corpus_id == of_corpus)
    return (
        select(
            Vote.reading_id,
            Vote.query_id,
            RunQuery.query_text,
            Vote.source_id,
            RunSource.source_name,
            Vote.answer,
            visible_run_answer(viewer).label("run_answer"),
            Vote.misread,
            Vote.confidence,
            Vote.document_ids,
            MisreadingVerdict.verdict,
            MisreadingVerdict.created_by,
            MisreadingVerdict.created_at,
        )
        .join(RunQuery, and_(RunQuery.estimation_id == Vote.estimation_id, RunQuery.query_id == Vote.query_id))
        .outerjoin(RunSource, of_source)
        .outerjoin(MisreadingVerdict, judged)
        .where(Vote.estimation_id == estimation_id, *visible_run_queries(viewer), *visible_votes(viewer))
        .where(or_(Vote.misread >= SUSPECTED, MisreadingVerdict.reading_id.is_not(None)))
    )


def _run_answer_key() -> ColumnElement[str]:
    """The class of the answer that a run gave the query of the statement around."""
    winner = aliased(Vote)
    return (
        select(winner.answer_key)
        .where(
            winner.estimation_id == RunQuery.estimation_id,
            winner.query_id == RunQuery.query_id,
            winner.answer == RunQuery.answer,
        )
        .limit(1)
        .correlate(RunQuery)
        .scalar_subquery()
    )


def _answers(corpus_id: UUID, _estimation_id: UUID | None, viewer: Viewer) -> Statement:
    result = func.coalesce(AnswerRecord.result, func.jsonb_build_object(), type_=JSONB)
    return select(
        AnswerRecord.id,
        AnswerRecord.created_at,
        AnswerRecord.finished_at,
        AnswerRecord.question,
        AnswerRecord.parameters,
        AnswerRecord.status,
        AnswerRecord.outcome,
        AnswerRecord.estimation_id,
        result["answers"].label("answers"),
        result["confidence"].label("confidence"),
        AnswerRecord.result,
    ).where(AnswerRecord.corpus_id == corpus_id, *visible_answers(viewer))


def _credibility(corpus_id: UUID, estimation_id: UUID | None, viewer: Viewer) -> Statement:
    reliability = func.coalesce(Override.reliability, _estimated())
    return (
        select(
            Document.attributes[CONCEPT].as_string().label("concept"),
            Document.attributes[ENTRY].as_string().label("id"),
            Document.attributes["resource"].as_string().label("resource"),
            Source.id.label("source_id"),
            Source.name.label("source_name"),
            reliability.label("reliability"),
            RunSource.lower,
            RunSource.upper,
            RunSource.vote_count,
            RunSource.copy_group.label("copy_group"),
            RunSource.estimation_id,
        )
        .join(Source, Source.id == Document.source_id)
        .outerjoin(RunSource, and_(RunSource.source_id == Source.id, RunSource.estimation_id == estimation_id))
        .outerjoin(Override, Override.source_id == Source.id)
        .where(Source.corpus_id == corpus_id, Document.attributes.has_key(CONCEPT), *visible_documents(viewer))
    )


EXPORTS = (
    Export(ExportName.SOURCES, _sources, (Source.id,)),
    Export(ExportName.RELIABILITIES, _reliabilities, (RunSource.estimation_id, RunSource.source_id)),
    Export(ExportName.VOTES, _votes, (Vote.query_id, Vote.source_id)),
    Export(ExportName.MISREADINGS, _misreadings, (Vote.query_id, Vote.source_id)),
    Export(ExportName.ANSWERS, _answers, (AnswerRecord.id,)),
    Export(ExportName.CREDIBILITY, _credibility, (Document.id,)),
)


def export_named(name: str) -> Export:
    return next(export for export in EXPORTS if export.name == name)
