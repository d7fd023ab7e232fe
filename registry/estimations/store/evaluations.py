"""Stored evaluations of runs on gold answers, and what they found of confidence."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import cast, func, select
from sqlalchemy.dialects.postgresql import JSONPATH
from sqlalchemy.ext.asyncio import AsyncSession

from registry.corpora.model import Corpus
from registry.estimations.model import StoredEvaluation
from registry.evaluations.schemas import Calibration, Evaluation
from registry.platform.database.base import Json

# Of a run, the newest; one more matters only where questions are asked with many parameters.
_EVALUATIONS = 10


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
