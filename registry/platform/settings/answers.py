"""Answers: debates, conflict scores, and how sources are read."""

from enum import StrEnum

from pydantic import BaseModel, Field

from answering.judges import JUDGES
from answering.providers import summaries


class AnswerJudge(StrEnum):
    """Names of the judges, and none."""

    COMPACT = "compact"
    LANGUAGE_MODEL = "language_model"
    NONE = "none"


class AnswerSettings(BaseModel):
    """Defaults of answers."""

    conflict_judge: AnswerJudge = Field(
        default=AnswerJudge.COMPACT,
        description=f"Judge of the ConflictScore of answers. {summaries(JUDGES)}; `none`: no ConflictScore.",
    )
    conflict_timeout_seconds: float = Field(
        default=20.0,
        gt=0,
        description="Time limit of the ConflictScore of an answer. An answer that exceeds it has none.",
    )

    passages_per_source: int = Field(default=3, ge=1, le=20, description="Passages in a reading (k in RA-RAG).")
    alignment_threshold: float = Field(
        default=0.9, ge=0, le=1, description="ROUGE-1 precision below which a reading counts as an abstention."
    )
    kappa: int | None = Field(
        default=None,
        ge=1,
        le=1000,
        description="Default number of sources that must answer. Unset: all that can change it; 4 for debates.",
    )
    answer_readings: int = Field(
        default=30, ge=1, description="Most sources that are read for an answer if no kappa is set."
    )
