"""Parameters of an answer, which are stored with it."""

from enum import StrEnum
from typing import Annotated, ClassVar, Self

from pydantic import Field, StrictBool, model_validator

from answering.equivalence import ClassPolicy
from answering.parameters import Number
from answering.voting.selection import DEFAULT_KAPPA
from registry.inputs.fields import Name
from registry.inputs.filters import EvidenceFilter
from registry.inputs.paper import PaperSwitch
from registry.inputs.strategies import Strategy, StrategyChoice


class RankBy(StrEnum):
    """The order in which sources are read."""

    PROMISE = "promise"
    """Reliability times relevance to the question, where a search over the corpus found the candidates."""
    RELIABILITY = "reliability"
    LOWER_BOUND = "lower_bound"
    """The lower end of the 90 % interval, which prefers estimates based on more votes."""


class KappaCounts(StrEnum):
    """What `kappa` counts."""

    SOURCES = "sources"
    """Sources that do not abstain, as in RA-RAG (arXiv:2410.22954)."""
    VOICES = "voices"
    """Copy groups and independent sources that do not abstain."""


class AnswerParameters(StrategyChoice, EvidenceFilter, PaperSwitch):
    """Parameters of an answer."""

    # Debates have the numbers of rounds of their papers by default.
    as_in_paper: ClassVar = {
        "strategy": Strategy.WMV,
        "kappa": DEFAULT_KAPPA,
        "kappa_counts": KappaCounts.SOURCES,
        "rank_by": RankBy.RELIABILITY,
        "max_readings": None,
        "stop_early": False,
        "candidates_only": False,
        "min_margin": 0.0,
        "use_topic": False,
        "class_policy": ClassPolicy.VALUES,
    }

    kappa: Annotated[int, Field(ge=1, le=1000), Number] | None = None
    """Number of selected sources; null takes the service's setting, and where there is none, sources are asked until
    those left cannot change the answer or the readings are spent."""
    kappa_counts: KappaCounts = KappaCounts.SOURCES
    """Whether `kappa` counts the sources of a copy group one by one (`sources`) or as one (`voices`)."""
    rank_by: RankBy | None = None
    """The order in which sources are read; null: `reliability` with a kappa, `promise` without."""
    topic: Name | None = None
    """Topic of the question, by a name that queries were given or the label of a topic of the estimation; without one,
    and for an unknown name, it is inferred from the embedding of the question."""
    use_topic: StrictBool = True
    """Whether reliabilities on the topic of the question count, where it is given or sure enough; otherwise those over
    all topics do."""
    batch: Annotated[int, Field(ge=1, le=64), Number] = 4
    """Sources that are read concurrently."""
    max_readings: Annotated[int, Field(ge=1, le=100_000), Number] | None = None
    """Most sources to read; null is no limit with a kappa, and the service's setting without."""
    stop_early: StrictBool = False
    """Whether to stop when the sources left cannot change the winner, as without a kappa; not with `rounded`
    classes, and without effect if there are copy groups."""
    candidates_only: StrictBool | None = None
    """Whether to read only sources in which one search over the corpus finds a passage; null: above 200 sources, or
    above as many as are read without a kappa."""
    min_margin: Annotated[float, Field(ge=0, le=1), Number] = 0.05
    """Margin below which the outcome of the vote is `conflicting`, with all answers that are so near to the first."""
    least_reliability: Annotated[float, Field(ge=0, le=1), Number] = 0.0
    """Reliability below which a source takes part in no debate, ConflictScore or answers side by side. Sources whose
    vote has no positive weight never do."""
    class_policy: ClassPolicy = ClassPolicy.VALUES
    """When two answers are in the same class."""
    keep_as_query: StrictBool = True
    """Whether the question may become a query, by which reliabilities are estimated; see `asked_queries` of the corpus.
    """

    @model_validator(mode="after")
    def _refuse_early_stop_with_joined_classes(self) -> Self:
        # These classes depend on all answers together: a later answer may still merge two of them.
        if self.stop_early and self.class_policy.joins_keys:
            raise ValueError(
                f"stop_early needs class_policy exact or values: {self.class_policy} classes may still merge"
            )
        return self
