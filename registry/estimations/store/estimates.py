"""The estimates of runs, to be compared with those of other runs, and evaluations of runs on gold answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Row, cast, func, select
from sqlalchemy.dialects.postgresql import JSONPATH
from sqlalchemy.ext.asyncio import AsyncSession

from registry.corpora.model import Corpus
from registry.estimations.model import EstimationRun, RunQuery, RunSource, StoredEvaluation
from registry.evaluations.schemas import Calibration, Evaluation
from registry.platform.database.base import Json
from registry.queries.model import Query
from registry.viewers.model import Viewer
from registry.viewers.store import visible_queries

# Of a run, the newest; one more matters only where questions are asked with many parameters.
_EVALUATIONS = 10


async def estimates_of(
    session: AsyncSession, run: EstimationRun
) -> Sequence[Row[UUID, str, float, float | None, float | None, int]]:
    """The sources with votes in the run: id, name, reliability, ends of its interval, votes."""
    columns = (RunSource.reliability, RunSource.lower, RunSource.upper, RunSource.vote_count)
    rows = select(RunSource.source_id, RunSource.source_name, *columns)
    return (await session.execute(rows.where(RunSource.estimation_id == run.id, RunSource.vote_count > 0))).all()


async def changes_between(
    session: AsyncSession, run: EstimationRun, previous: EstimationRun, source_ids: Sequence[UUID] | None = None
) -> dict[UUID, float]:
    """The estimate of each source in a run minus that in the previous one, if both have votes of it; all by default."""
    now, before = [await _with_votes(session, which, source_ids) for which in (run, previous)]
    return {source_id: now[source_id] - before[source_id] for source_id in now.keys() & before.keys()}


async def _with_votes(
    session: AsyncSession, run: EstimationRun, source_ids: Sequence[UUID] | None
) -> dict[UUID, float]:
    # A join of two runs takes ten seconds for 10,000 sources until Postgres has analysed the rows of the newer run.
    rows = select(RunSource.source_id, RunSource.reliability)
    rows = rows.where(RunSource.estimation_id == run.id, RunSource.vote_count > 0)
    if source_ids is not None:
        rows = rows.where(RunSource.source_id.in_(source_ids))
    return dict((await session.execute(rows)).all())


async def turned_share(session: AsyncSession, run: EstimationRun | None, question: str, viewer: Viewer) -> float | None:
    """The share of the separate runs that answer a query otherwise; None where the viewer sees no query of the run that
    asks the question in these words, or no separate runs were made.
    """
    if run is None:
        return None
    rows = select(RunQuery.turned).join(Query, Query.id == RunQuery.query_id)
    rows = rows.where(RunQuery.estimation_id == run.id, Query.text == question, *visible_queries(viewer))
    return await session.scalar(rows.order_by(RunQuery.turned.desc().nulls_last()).limit(1))


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


async def save_evaluation(session: AsyncSession, corpus: Corpus, evaluation: Evaluation) -> StoredEvaluation:
    """Keep the report of an evaluation of the corpus."""
    row = StoredEvaluation(
        corpus_id=corpus.id, estimation_id=evaluation.estimation_id, report=evaluation.model_dump(mode="json")
    )
    session.add(row)
    await session.flush()
    return row


async def newest_evaluation(session: AsyncSession, corpus: Corpus) -> StoredEvaluation | None:
    """The evaluation of the corpus that was made last, if there is one."""
    rows = select(StoredEvaluation).where(StoredEvaluation.corpus_id == corpus.id)
    return (await session.scalars(rows.order_by(StoredEvaluation.id.desc()).limit(1))).first()


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
