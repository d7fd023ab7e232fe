"""A question as callers send it: its parameters and its strategy."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import Field, StrictBool, model_validator

from answering.debates.schema import (
    SUMMARIES,
    AstuteParameters,
    AutoSettings,
    ConcatenatedParameters,
    ConsistencyParameters,
    DragParameters,
    MadamParameters,
)
from answering.enums import ClassPolicy
from answering.parameters import DEFAULT_KAPPA, Number, Parameters
from registry.passages.schemas import EvidenceFilter
from registry.platform.fields import Input, Moment, Name, PaperSwitch

if TYPE_CHECKING:
    from answering.debates.strategy import StrategyDefinition


class Strategy(StrEnum):
    """The way to combine the selected readings into an answer."""

    WMV = "wmv"
    MADAM = "madam"
    ASTUTE = "astute"
    DRAG = "drag"
    AUTO = "auto"
    CONCATENATED = "concatenated"
    SELF_CONSISTENCY = "self_consistency"
    NO_RAG = "no_rag"

    @property
    def definition(self) -> "StrategyDefinition[Any]":
        """The strategy of this name."""
        from answering.debates.strategies import STRATEGIES  # noqa: PLC0415  (a client only names strategies)

        return next(definition for definition in STRATEGIES if definition.name == self)

    @property
    def debates(self) -> bool:
        """Whether the answer is always that of a language model."""
        return self.definition.make_debate is not None


class Escalation(StrEnum):
    """The debates that `auto` may hold if a vote is not safe."""

    MADAM = "madam"
    ASTUTE = "astute"
    DRAG = "drag"
    CONCATENATED = "concatenated"


class AutoParameters(AutoSettings):
    """The vote if it is safe; otherwise the likely answers side by side, or a debate."""

    debate: Escalation | None = None
    """The debate to hold if the vote is not safe; null: none, the likely answers are returned with their sources."""
    unanswered: Escalation = Escalation.CONCATENATED
    """The debate to hold if no reading answered: by default one prompt with all documents."""


class StrategyChoice(Parameters):
    """The strategy, its parameters, and what it may cost."""

    strategy: Strategy = Field(
        Strategy.WMV, description="; ".join(f"`{name}`: {summary}" for name, summary in SUMMARIES.items()) + "."
    )
    madam: MadamParameters | None = None
    """Parameters of `madam`; null takes the defaults."""
    astute: AstuteParameters | None = None
    """Parameters of `astute`; null takes the defaults."""
    drag: DragParameters | None = None
    """Parameters of `drag`; null takes the defaults."""
    auto: AutoParameters | None = None
    """Parameters of `auto`; null takes the defaults."""
    concatenated: ConcatenatedParameters | None = None
    """Parameters of `concatenated`; null takes the defaults."""
    self_consistency: ConsistencyParameters | None = None
    """Parameters of `self_consistency`; null takes the defaults."""
    max_documents: Annotated[int, Field(ge=1, le=200), Number] = 12
    """Most documents in a debate: the best of each selected source, then the second best, and so on."""
    max_model_calls: Annotated[int, Field(ge=0, le=100_000), Number] | None = None
    """Most calls of the language model, in the debate and for the ConflictScore; null takes the limit of the service. A
    debate that reaches a limit returns what it has."""
    max_tokens: Annotated[int, Field(ge=0, le=1_000_000_000), Number] | None = None
    """Most tokens that these calls read and write; calls in progress may exceed it."""
    max_seconds: Annotated[float, Field(ge=0, le=86_400), Number] | None = None
    """Time limit of the debate, in seconds."""

    def debate_strategy(self, *, answered: bool) -> Strategy:
        """The debate to hold, if one is held: that of `auto` depends on whether any reading answered."""
        if self.strategy is not Strategy.AUTO:
            return self.strategy
        auto = self.auto_parameters()
        return Strategy((answered and auto.debate) or auto.unanswered)

    def parameters_of(self, strategy: Strategy) -> Parameters:
        """The parameters given for a strategy, or its defaults."""
        if strategy is Strategy.AUTO:
            return self.auto_parameters()
        parameters: Parameters | None = getattr(self, strategy, None)
        return parameters or strategy.definition.parameters()

    def auto_parameters(self) -> AutoParameters:
        """The parameters given for `auto`, or its defaults."""
        return self.auto or AutoParameters()


class RankBy(StrEnum):
    """The order in which sources are read."""

    PROMISE = "promise"
    """Reliability times relevance to the question, where a search over the corpus found the candidates."""
    RELIABILITY = "reliability"
    LOWER_BOUND = "lower_bound"
    """The lower end of the 90 % interval, which prefers estimates based on more votes."""


class KappaCounts(StrEnum):
    """The unit in which `kappa` counts."""

    SOURCES = "sources"
    """Sources that do not abstain, as in RA-RAG (arXiv:2410.22954)."""
    COPY_GROUPS = "copy_groups"
    """Copy groups and independent sources that do not abstain."""


class AnswerParameters(StrategyChoice, EvidenceFilter, PaperSwitch):
    """Parameters of an answer."""

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
        "class_policy": ClassPolicy.EXACT,
    }

    paper: StrictBool | None = None
    """Whether to use the rules of RA-RAG (arXiv:2410.22954) for parameters that are not given, without those for new
    sources and newer documents; null: if the estimation was started with `paper`."""

    kappa: Annotated[int, Field(ge=1, le=1000), Number] | None = None
    """Number of sources that must answer; null takes the setting of the service. Without either, sources are read until
    the others cannot change the answer, or `max_readings` is reached."""
    kappa_counts: KappaCounts = KappaCounts.SOURCES
    """The unit in which `kappa` counts: `sources`, or `copy_groups` (a copy group counts once)."""
    rank_by: RankBy | None = None
    """Order in which sources are read; null: `reliability` with a kappa, otherwise `promise`."""
    asked_at: Moment | None = None
    """Time of the question, from which `this week` or `last month` is counted; null: now. Documents of another time do
    not answer such a question, if there are documents of that time."""
    topic: Name | None = None
    """Topic of the question: a `topic` of queries, or the label of a topic of the estimation. Without one, or with an
    unknown name, it is inferred from the embedding of the question."""
    use_topic: StrictBool = True
    """Whether reliabilities on the topic of the question count, if it is given or certain enough; otherwise the overall
    ones count."""
    batch: Annotated[int, Field(ge=1, le=64), Number] = 4
    """Sources that are read at once."""
    max_readings: Annotated[int, Field(ge=1, le=100_000), Number] | None = None
    """Most sources to read; null: no limit with a kappa, otherwise the setting of the service."""
    stop_early: StrictBool = False
    """Whether to stop when the other sources cannot change the winner. Needs a kappa. Not with `rounded` classes; no
    effect if there are copy groups."""
    candidates_only: StrictBool | None = None
    """Whether to read only sources in which a search over the corpus finds a passage; null: if there are more than 200
    sources, or more than may be read."""
    min_margin: Annotated[float, Field(ge=0, le=1), Number] = 0.05
    """Margin below which the outcome is `conflicting`, with all answers this close to the first."""
    least_reliability: Annotated[float, Field(ge=0, le=1), Number] = 0.0
    """Reliability below which a source takes no part in debates, ConflictScores and answers side by side. A source
    whose vote weighs less than a tenth of the most reliable one's never does."""
    class_policy: ClassPolicy = ClassPolicy.VALUES
    """The rule by which two answers count as the same."""
    keep_as_query: StrictBool = True
    """Whether the question may become a query; see `asked_queries` of the corpus."""

    def parameters_of(self, strategy: Strategy) -> Parameters:
        """The parameters given for a strategy, or its defaults; with `paper` those of its paper."""
        given = super().parameters_of(strategy)
        if not self.paper:
            return given
        in_paper = strategy.definition.in_paper
        return type(given).model_validate({**in_paper, **given.model_dump(exclude_unset=True)})

    def as_estimated(self, *, by_paper: bool) -> Self:
        """These parameters with the rules of RA-RAG or without them, as the run was made, unless `paper` says."""
        if self.paper is not None:
            return self
        if not by_paper:
            return self.model_copy(update={"paper": False})
        given = self.model_dump(exclude_unset=True, exclude_none=True)
        return self.model_validate({**given, "paper": True})

    @model_validator(mode="after")
    def _refuse_early_stop_with_joined_classes(self) -> Self:
        # These classes depend on all answers together: a later answer may still merge two of them.
        if self.stop_early and self.class_policy.joins_keys:
            raise ValueError(
                f"stop_early needs class_policy exact or values: {self.class_policy} classes may still merge"
            )
        return self


MAX_DAYS = 365


class ShareInput(Input):
    """The lifetime of a link to an answer."""

    days: Annotated[int, Field(ge=1, le=MAX_DAYS), Number] = 30
    """Days until it ends by itself."""
