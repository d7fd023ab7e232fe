"""A question as callers send it: its parameters and its strategy, derived from `answering.debates.STRATEGIES`."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import Field, StrictBool, create_model, model_validator

from answering.debates import STRATEGIES, StrategyDefinition
from answering.debates.auto import AutoSettings
from answering.equivalence import ClassPolicy
from answering.parameters import Number, Parameters
from answering.voting.selection import DEFAULT_KAPPA
from registry.passages.schemas import EvidenceFilter
from registry.platform.fields import Name
from registry.platform.paper import PaperSwitch

_DEFINITIONS = {definition.name: definition for definition in STRATEGIES}


class Strategy(StrEnum):
    """How the answer is made of the selected readings."""

    if TYPE_CHECKING:  # the members that code names; mypy does not see those made of the list
        WMV = "wmv"
        AUTO = "auto"
    vars().update({name.upper(): name for name in _DEFINITIONS})

    @property
    def definition(self) -> StrategyDefinition[Any]:
        """The strategy of this name."""
        return _DEFINITIONS[self.value]

    @property
    def debates(self) -> bool:
        """Whether the answer is always that of a language model."""
        return self.definition.make_debate is not None


class Escalation(StrEnum):
    """What `auto` may hold where a vote is not safe."""

    if TYPE_CHECKING:
        CONCATENATED = "concatenated"
    vars().update({name.upper(): name for name, definition in _DEFINITIONS.items() if definition.escalation})


class AutoParameters(AutoSettings):
    """The vote where it is safe; where sources truly conflict their likely answers side by side, or a debate."""

    debate: Escalation | None = None
    """The debate that is held where a vote is not safe, with the parameters given for it. Null holds none: the
    likely answers of the vote are given, each with the sources it is from, and no language model is asked."""
    unanswered: Escalation = Escalation.CONCATENATED
    """The debate where no reading answered, so that there is no vote yet: by default one prompt with all documents."""


_PARAMETERS: dict[str, type[Parameters]] = {
    definition.name: AutoParameters if definition.parameters is AutoSettings else definition.parameters
    for definition in STRATEGIES
}


class _StrategyName(Parameters):
    strategy: Strategy = Field(
        Strategy.WMV, description="; ".join(f"`{strategy.name}`: {strategy.summary}" for strategy in STRATEGIES) + "."
    )


if TYPE_CHECKING:
    _ChoiceByName = _StrategyName
else:
    _ChoiceByName = create_model(
        "_ChoiceByName",
        __base__=_StrategyName,
        **{
            name: (kind | None, Field(None, description=f"Parameters of `{name}`; null takes the defaults."))
            for name, kind in _PARAMETERS.items()
            if kind.model_fields
        },
    )


class StrategyChoice(_ChoiceByName):
    """The strategy, its parameters, and what it may cost."""

    max_documents: Annotated[int, Field(ge=1, le=200), Number] = 12
    """Documents a debate begins with at most: the best of each selected source, then the second best, and so on."""
    max_model_calls: Annotated[int, Field(ge=0, le=100_000), Number] | None = None
    """Calls of the language model that a debate may make, and a language model that judges the conflict score,
    together; null takes the service's setting, as do the two below. A debate that is cut off by one of the three ends
    with what it has."""
    max_tokens: Annotated[int, Field(ge=0, le=1_000_000_000), Number] | None = None
    """Tokens the same may read and write; exceeded at most by the calls under way."""
    max_seconds: Annotated[float, Field(ge=0, le=86_400), Number] | None = None
    """Seconds a debate may take."""

    def debate_strategy(self, *, answered: bool) -> Strategy:
        """The debate to hold, if one is held: that of `auto` depends on whether any reading answered."""
        if self.strategy is not Strategy.AUTO:
            return self.strategy
        auto = self.auto_parameters()
        return Strategy((answered and auto.debate) or auto.unanswered)

    def parameters_of(self, strategy: Strategy) -> Parameters:
        """The parameters given for a strategy, or its defaults."""
        parameters: Parameters | None = getattr(self, strategy, None)
        return parameters or _PARAMETERS[strategy]()

    def auto_parameters(self) -> AutoParameters:
        """The parameters given for `auto`, or its defaults."""
        parameters: AutoParameters | None = getattr(self, "auto", None)
        return parameters or AutoParameters()


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
