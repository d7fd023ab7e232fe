"""Answers: debates, conflict scores, and what is read of which sources."""

from enum import StrEnum

from pydantic import BaseModel, Field

from answering.judges import JUDGES
from answering.providers import enum_members, summaries


class JudgeKind(StrEnum):
    """Who says what documents say about claims."""

    vars().update(enum_members(JUDGES))


class AnswerJudge(StrEnum):
    """The judges of the conflict score of an answer by name."""

    vars().update(enum_members(JUDGES))
    NONE = "none"


class AnswerSettings(BaseModel):
    """How a question is answered, unless it says."""

    debate_max_seconds: float = Field(
        default=100.0, ge=0, description="Seconds a debate may take, unless a question says; never more than an answer."
    )

    conflict_judge: AnswerJudge = Field(
        default=AnswerJudge("compact"),
        description=f"Who judges the conflict score of every answer: {summaries(JUDGES)}; `none` leaves it out.",
    )
    conflict_timeout_seconds: float = Field(
        default=20.0, gt=0, description="The longest the conflict score of an answer may take; then there is none."
    )

    passages_per_source: int = Field(default=3, ge=1, le=20, description="Passages a reading sees (the paper's k).")
    alignment_threshold: float = Field(
        default=0.9, ge=0, le=1, description="ROUGE-1 precision below which an answer counts as IDK."
    )
    kappa: int | None = Field(
        default=None,
        ge=1,
        le=1000,
        description="Sources that an answer is made of, unless a question says. Unset: as many as can change it, and"
        " 4, as in RA-RAG, where a debate answers.",
    )
    answer_readings: int = Field(
        default=30, ge=1, description="The most sources that are read for an answer without a kappa."
    )
