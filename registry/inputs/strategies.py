"""The choice of a strategy and its parameters, derived from the list `answering.debates.STRATEGIES`."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, create_model

from answering.debates import STRATEGIES, StrategyDefinition
from answering.debates.auto import AutoSettings
from answering.parameters import Number, Parameters

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
