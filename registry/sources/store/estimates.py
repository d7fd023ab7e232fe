"""What is known of sources when a question is asked: the run that counts, what it, operators and outside lists say of
them, the topic of the question, how far the run holds for it, and how often evaluations found its answers right.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from pgvector import HalfVector
from sqlalchemy import ColumnElement, Select, and_, cast, func, literal, select, text
from sqlalchemy.dialects.postgresql import JSONB, JSONPATH
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from answering.embedders import Vector
from estimator.topics import NEAREST_PASSAGES, expanded, topic_probabilities
from registry.corpora.model import Corpus
from registry.documents.model import Document
from registry.estimations.model import (
    COUNTED_IN_ITS_PLACE,
    MAY_BE_CURRENT,
    EstimationRun,
    RunCentroid,
    RunQuery,
    RunSource,
    StoredEvaluation,
)
from registry.estimations.schemas import QuestionTopic, Topic
from registry.evaluations.schemas import Calibration
from registry.platform.database.base import Json
from registry.platform.database.rows import any_of
from registry.platform.enums import SourceStatus
from registry.queries.model import Query
from registry.sources.model import Override, Rating, Source
from registry.viewers.model import Viewer
from registry.viewers.store import visible_queries

LEAST_PROBABILITY = 0.6
"""Lowest probability of the topic of a question at which reliabilities by topic count; below it, those over all topics
do. Half of it is as good as none, with double no topic ever counts (benchmarks/notes/topics.md)."""
# Evaluations of a run, the newest; one more matters only where questions are asked with many parameters.
_EVALUATIONS = 10
# Newer documents that are counted at most.
_COUNTED = 10_000
_AS_STORED = (
    *("reliability", "lower", "upper", "systematic", "weight", "vote_count", "agreement_count", "conflict_count"),
    *("sensitivity", "specificity", "misread_count", "read_share", "copy_group", "turned_at"),
)

CONTEXT_OF_QUESTION = text(
    f"""
    SELECT CAST(avg(nearest.embedding) AS text)
    FROM (
        SELECT near.embedding
        FROM sources CROSS JOIN LATERAL (
            SELECT embedding, embedding <=> CAST(:vector AS halfvec) AS distance
            FROM passages WHERE source_id = sources.id ORDER BY distance LIMIT {NEAREST_PASSAGES}
        ) AS near
        WHERE sources.corpus_id = :corpus_id AND sources.status = 'active'
        ORDER BY near.distance LIMIT {NEAREST_PASSAGES}
    ) AS nearest
    """  # noqa: S608  (a constant of this module)
)


@dataclass(frozen=True, slots=True)
class StoredEstimates:
    """The current run, and of sources what it found, what operators set and what lists say."""

    run: EstimationRun | None
    sources: Sequence[dict[str, Any]]
    """Columns of each source and, null where the run has none, of its estimate."""
    overrides: Mapping[UUID, Override]
    ratings: Mapping[UUID, Rating]


class Totals(NamedTuple):
    """What counting the votes of some sources takes from all active ones of the corpus."""

    sources: int
    most_votes: int
    """In the current run, of any of them."""
    read_share: float | None
    """Mean of those that have votes; None where the run did not tell errors of the reader from those of sources."""


@dataclass(frozen=True, slots=True)
class MeasuredCalibration:
    """The calibration of confidence in an evaluation, and what it measured."""

    evaluation_id: UUID
    reader: str
    chat: str | None
    """The language model of debates."""
    parameters: Json
    """Parameters of the questions that it asked."""
    overrides: Mapping[UUID, float]
    """Reliabilities that an operator had set."""
    calibration: Calibration


async def current_run(session: AsyncSession, corpus: Corpus) -> EstimationRun | None:
    """The run whose reliabilities count: the newest that succeeded, or the one that was made current in its place.

    Runs by a method that uses the gold answers never do.
    """
    newest = select(COUNTED_IN_ITS_PLACE).where(EstimationRun.corpus_id == corpus.id, MAY_BE_CURRENT)
    newest = newest.order_by(EstimationRun.id.desc()).limit(1)
    run: EstimationRun | None = await session.scalar(
        select(EstimationRun).where(EstimationRun.id == newest.scalar_subquery())
    )
    return run


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
        meant &= Source.id == any_of(source_ids)
    connection = await session.connection()
    rows = await connection.execute(_joined(run).where(meant).order_by(Source.id))
    columns = tuple(rows.keys())
    found = [dict(zip(columns, row, strict=True)) for row in rows]
    # Few sources have one: as objects joined to all sources they would take a fifth of the time.
    overrides = {each.source_id: each for each in await session.scalars(select(Override).join(Source).where(meant))}
    ratings = {each.source_id: each for each in await session.scalars(select(Rating).join(Source).where(meant))}
    return StoredEstimates(run, found, overrides, ratings)


async def count_active(session: AsyncSession, corpus: Corpus, source_ids: Collection[UUID] | None = None) -> int:
    """The number of active sources of a corpus, or of those with these identifiers."""
    rows = select(func.count()).where(Source.corpus_id == corpus.id, Source.status == SourceStatus.ACTIVE)
    return await session.scalar(rows if source_ids is None else rows.where(Source.id.in_(source_ids))) or 0


async def totals(session: AsyncSession, corpus: Corpus, run: EstimationRun | None) -> Totals:
    """The totals of the active sources of a corpus by a run."""
    of_run = and_(RunSource.source_id == Source.id, RunSource.estimation_id == (run.id if run else None))
    read_share = func.avg(RunSource.read_share).filter(RunSource.vote_count > 0)
    rows = select(func.count(), func.coalesce(func.max(RunSource.vote_count), 0), read_share).select_from(Source)
    active = Source.corpus_id == corpus.id, Source.status == SourceStatus.ACTIVE
    return Totals(*(await session.execute(rows.outerjoin(RunSource, of_run).where(*active))).one())


def _joined(run: EstimationRun | None) -> Select[*tuple[Any, ...]]:
    """Columns, not objects: a question needs them of every source of its corpus."""
    of_run = and_(RunSource.source_id == Source.id, RunSource.estimation_id == (run.id if run else None))
    with_votes = and_(MAY_BE_CURRENT, EstimationRun.votes_total > 0)
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


async def count_newer(session: AsyncSession, corpus: Corpus, run: EstimationRun | None) -> int | None:
    """The number of documents of active sources stored after the run began, at most 10,000; None without a run."""
    if run is None:
        return None
    began = run.started_at or run.created_at
    newer = (
        select(Document.id)
        .join(Source, Source.id == Document.source_id)
        .where(Source.corpus_id == corpus.id, Source.status == SourceStatus.ACTIVE, Document.updated_at > began)
        .limit(_COUNTED)
    )
    return await session.scalar(select(func.count()).select_from(newer.subquery()))


async def turned_share(session: AsyncSession, run: EstimationRun | None, question: str, viewer: Viewer) -> float | None:
    """The share of the separate runs that answer a query otherwise; None where the viewer sees no query of the run that
    asks the question in these words, or no separate runs were made.
    """
    if run is None:
        return None
    rows = select(RunQuery.turned).join(Query, Query.id == RunQuery.query_id)
    rows = rows.where(RunQuery.estimation_id == run.id, Query.text == question, *visible_queries(viewer))
    return await session.scalar(rows.order_by(RunQuery.turned.desc().nulls_last()).limit(1))


async def calibrations_of(session: AsyncSession, corpus: Corpus, estimation_id: UUID) -> list[MeasuredCalibration]:
    """The calibrations that evaluations of a run found, newest first. Reads only this part of their large reports."""
    report = StoredEvaluation.report
    overridden = func.jsonb_path_query_array(report, cast("$.sources[*] ? (@.overridden == true)", JSONPATH))
    rows = select(
        StoredEvaluation.id,
        report["reader"].astext,
        report["chat"].astext,
        report["parameters"],
        overridden,
        report["calibration"],
    ).where(StoredEvaluation.corpus_id == corpus.id, StoredEvaluation.estimation_id == estimation_id)
    found = await session.execute(rows.order_by(StoredEvaluation.id.desc()).limit(_EVALUATIONS))
    return [
        MeasuredCalibration(
            evaluation_id,
            reader,
            chat,
            parameters or {},
            {UUID(source["source_id"]): source["estimated"] for source in sources},
            Calibration.model_validate(calibration),
        )
        for evaluation_id, reader, chat, parameters, sources, calibration in found
    ]


async def votes_of(
    session: AsyncSession, estimation_id: UUID | None, source_ids: Collection[UUID]
) -> dict[UUID, float]:
    """The number of votes of these sources in a run, with those that a rating stood for."""
    votes = RunSource.vote_count + func.coalesce(RunSource.rating_strength, 0.0)
    rows = select(RunSource.source_id, votes.label("votes")).where(
        RunSource.estimation_id == estimation_id, RunSource.source_id.in_(source_ids)
    )
    return {row.source_id: row.votes for row in await session.execute(rows)}


async def topic_of_question(
    session: AsyncSession, corpus: Corpus, run: EstimationRun | None, vector: Vector, name: str | None
) -> QuestionTopic | None:
    """The topic of a question among those of the run: the one of this name or label, else the most probable by the
    clusters of queries near it, which is used if it is probable enough; None where the run has no topics.
    """
    if run is None or not run.topics:
        return None
    topics = [Topic.model_validate(topic) for topic in run.topics]
    by_name = [
        index
        for index, topic in enumerate(topics)
        if name is not None and _folded(name) in map(_folded, (*topic.names, topic.label))
    ]
    if by_name:
        probabilities = np.eye(len(topics))[by_name[0]]
    else:
        clusters = await _similar_clusters(session, corpus, run, vector)
        if not clusters:
            return None
        similarity, size, share = map(np.array, zip(*clusters, strict=True))
        # A centroid of length 0 has no cosine.
        probabilities = topic_probabilities(np.nan_to_num(similarity)[None], share, size)[0]
    likeliest = int(np.argmax(probabilities))
    return QuestionTopic(
        **topics[likeliest].model_dump(),
        topic=likeliest,
        given=bool(by_name),
        used=bool(probabilities[likeliest] >= LEAST_PROBABILITY),
        probabilities=tuple(np.clip(probabilities, 0.0, 1.0).tolist()),
    )


async def _similar_clusters(
    session: AsyncSession, corpus: Corpus, run: EstimationRun, vector: Vector
) -> list[tuple[float, int, list[float]]]:
    """Every cluster of the run: cosine similarity to the question, number of queries, probabilities of topics."""
    parameters = {"corpus_id": corpus.id, "vector": HalfVector(vector).to_text()}
    context = await session.scalar(CONTEXT_OF_QUESTION, parameters)
    if context is not None:
        near = HalfVector.from_text(context).to_numpy().astype(np.float32)
        vector = expanded(vector[None], near[None])[0]
    similarity = 1 - RunCentroid.embedding.cosine_distance(HalfVector(vector))
    rows = (
        select(similarity, RunCentroid.query_count, RunCentroid.shares)
        # An embedder that was configured after the run may have another dimension.
        .where(RunCentroid.estimation_id == run.id, func.vector_dims(RunCentroid.embedding) == vector.size)
        .order_by(RunCentroid.number)
    )
    return [(float(near), count, shares) for near, count, shares in await session.execute(rows)]


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())
