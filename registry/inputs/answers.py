"""What a caller may choose about an answer; stored with it."""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, StrictBool, model_validator

from answering.equivalence import ClassPolicy
from answering.parameters import Number
from registry.inputs.strategies import StrategyChoice


class RankBy(StrEnum):
    """What decides which source is asked first."""

    RELIABILITY = "reliability"
    LOWER_BOUND = "lower_bound"
    """The lower end of its 90 % interval: of two alike, the one that more votes speak for."""


class KappaCounts(StrEnum):
    """What kappa is a number of."""

    SOURCES = "sources"
    """Sources that answer, as RA-RAG has it."""
    VOICES = "voices"
    """Sources of which none copies another: those that do are all heard, and fill one place together."""


class AnswerParameters(StrategyChoice):
    """Choices of one answer."""

    kappa: Annotated[int, Field(ge=1, le=1000), Number] | None = None
    """Sources the answer is made of; null takes the service's setting."""
    kappa_counts: KappaCounts = KappaCounts.SOURCES
    """Whether sources that copy each other fill one place of the kappa each, or one together."""
    rank_by: RankBy = RankBy.RELIABILITY
    """Whether sources are asked by their reliability or by the lower end of its interval."""
    batch: Annotated[int, Field(ge=1, le=64), Number] = 4
    """Sources read at once while the walk goes down the ranking."""
    max_readings: Annotated[int, Field(ge=1, le=100_000), Number] | None = None
    """Readings the walk may spend; null is no limit."""
    stop_early: StrictBool = False
    """Whether to stop when the sources not yet read cannot change the winner; not with `fuzzy` classes, and without
    effect where sources copy and share their weight."""
    candidates_only: StrictBool | None = None
    """Whether to walk only sources in which one search over the corpus finds a passage; null: above 200 sources."""
    min_margin: Annotated[float, Field(ge=0, le=1), Number] = 0.0
    """Margin of the vote below which the outcome is `conflicting`."""
    class_policy: ClassPolicy = ClassPolicy.VALUES
    """When two answers count as the same."""

    @model_validator(mode="after")
    def _stops_only_where_classes_are_certain(self) -> Self:
        # Fuzzy classes depend on all answers together, so that no lead is safe before the last one.
        if self.stop_early and self.class_policy is ClassPolicy.FUZZY:
            raise ValueError("stop_early needs class_policy exact or values: fuzzy classes may still merge")
        return self
