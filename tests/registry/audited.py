"""An evaluation on right answers, as it is stored."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from registry.answers.question import in_force
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.estimations.store import estimates as stored_evaluations
from registry.evaluations.schemas import Calibration, CalibrationBin, Evaluation, Interval, SourceEvaluation
from registry.runtime import Runtime

READER = "scripted"


def audit(
    corpus: Corpus,
    estimation_id: UUID,
    *,
    reader: str = READER,
    chat: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    sources: tuple[SourceEvaluation, ...] = (),
) -> Evaluation:
    """A report by which nine of ten answers are right, whatever their confidence."""
    right = Interval(right=9, of=10, share=0.9, lower=0.6, upper=0.99)
    calibration = Calibration(
        bins=(CalibrationBin(lower=0, upper=1, confidence=0.9, accuracy=right),), expected_error=0, brier=0
    )
    return Evaluation(
        corpus=corpus.name,
        created_at=datetime.now(UTC),
        estimation_id=estimation_id,
        reader=reader,
        chat=chat,
        parameters=parameters or {},
        kappa=None,
        queries=10,
        methods=(),
        calibration=calibration,
        sources=sources,
        correlation=None,
        mean_difference=None,
        mistakes=(),
        notes=(),
    )


def overridden(source_id: UUID, reliability: float) -> SourceEvaluation:
    """A source whose reliability an operator had set."""
    nothing = Interval(right=0, of=0, share=None, lower=0, upper=1)
    return SourceEvaluation(
        source_id=source_id,
        external_id="herald",
        name="Herald",
        estimated=reliability,
        overridden=True,
        votes=0,
        gold=nothing,
        agrees=None,
    )


async def audited(runtime: Runtime, corpus: Corpus, estimation_id: UUID, **measured: Any) -> UUID:  # noqa: ANN401  (as `audit` takes them)
    """Store such a report, of questions asked by the settings of the runtime; returns its identifier."""
    parameters = AnswerParameters.model_validate(measured.pop("parameters", {}))
    measured["parameters"] = in_force(parameters).model_dump(mode="json")
    async with runtime.database.begin() as session:
        return (await stored_evaluations.save_evaluation(session, corpus, audit(corpus, estimation_id, **measured))).id
