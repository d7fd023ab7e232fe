"""What a caller may choose about a strategy, with the defaults of `answering.debates`."""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StrictBool

from answering import debates
from answering.debates import FirstReading, SourceLabels, Unaggregated
from answering.equivalence import ClassPolicy
from registry.inputs.fields import Number


class Strategy(StrEnum):
    """How the answer is made of the selected readings."""

    WMV = "wmv"
    MADAM = "madam"
    ASTUTE = "astute"
    DRAG = "drag"
    AUTO = "auto"
    CONCATENATED = "concatenated"
    SELF_CONSISTENCY = "self_consistency"
    NO_RAG = "no_rag"

    @property
    def debates(self) -> bool:
        """Whether the answer is always that of a language model."""
        return self not in {Strategy.WMV, Strategy.AUTO}


class Escalation(StrEnum):
    """What `auto` may hold where a vote is not safe."""

    MADAM = "madam"
    ASTUTE = "astute"
    DRAG = "drag"
    CONCATENATED = "concatenated"


class StrategyParameters(BaseModel):
    """Frozen, and strict about names, as all parameters are."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


_MADAM, _ASTUTE, _DRAG = debates.MadamSettings(), debates.AstuteSettings(), debates.DragSettings()
_CONCATENATED, _CONSISTENCY = debates.ConcatenatedSettings(), debates.ConsistencySettings()
_AUTO = debates.AutoSettings()


class MadamParameters(StrategyParameters):
    """MADAM-RAG: one agent a document, an aggregator, revision until no agent changes its answer."""

    rounds: Annotated[int, Field(ge=1, le=10), Number] = _MADAM.rounds
    """Rounds at most (the paper's T)."""
    aggregator: StrictBool = _MADAM.aggregator
    """Whether an aggregator writes the answers; without one `unaggregated` decides."""
    unaggregated: Unaggregated = _MADAM.unaggregated
    """What counts without an aggregator."""
    first: FirstReading = _MADAM.first
    """Who reads the documents in round 1: the language model as agents, or the configured reader, which costs less."""
    show_reliability: StrictBool = _MADAM.show_reliability
    """Whether the aggregator is told how far the source behind each agent was right."""


class AstuteParameters(StrategyParameters):
    """Astute RAG: what the model remembers beside what sources published, sorted by agreement."""

    passages: Annotated[int, Field(ge=0, le=10), Number] = _ASTUTE.passages
    """Passages the model writes from memory at most (the paper's m); 0 keeps to the documents."""
    consolidations: Annotated[int, Field(ge=1, le=10), Number] = _ASTUTE.consolidations
    """How often passages are consolidated (the paper's t)."""
    labels: SourceLabels = _ASTUTE.labels
    """What the model is told of where a passage is from."""


class DragParameters(StrategyParameters):
    """DRAG: a debate about what to search for, then one about the answer in which one side sees no documents."""

    retrieval_rounds: Annotated[int, Field(ge=0, le=10), Number] = _DRAG.retrieval_rounds
    """Rounds of the retrieval debate at most; 0 switches it off."""
    response_rounds: Annotated[int, Field(ge=0, le=10), Number] = _DRAG.response_rounds
    """Rounds of the response debate at most; 0 takes the first answer of the side with documents."""
    symmetric: StrictBool = _DRAG.symmetric
    """Whether both sides see the documents."""
    selected_only: StrictBool = _DRAG.selected_only
    """Whether its searches keep to the selected sources; otherwise all active sources are searched."""
    per_query: Annotated[int, Field(ge=1, le=20), Number] = _DRAG.per_query
    """Documents a search finds at most."""


class ConcatenatedParameters(StrategyParameters):
    """All documents in one prompt: the usual way, to compare with."""

    show_reliability: StrictBool = _CONCATENATED.show_reliability
    """Whether the model is told how far each document's source was right."""


class ConsistencyParameters(StrategyParameters):
    """The most consistent of several samples of the concatenated prompt, to compare with."""

    samples: Annotated[int, Field(ge=1, le=50), Number] = _CONSISTENCY.samples
    """Samples drawn."""
    temperature: Annotated[float, Field(ge=0, le=2), Number] = _CONSISTENCY.temperature
    """How warm."""
    share: Annotated[float, Field(gt=0, le=1), Number] = _CONSISTENCY.share
    """The share of the samples that an answer must be in."""
    show_reliability: StrictBool = _CONSISTENCY.show_reliability
    """Whether the model is told how far each document's source was right."""


class AutoParameters(StrategyParameters):
    """The vote where it is safe; where sources truly conflict all their answers side by side, or a debate."""

    debate: Escalation | None = None
    """The debate that is held where a vote is not safe, with the parameters given for it. Null holds none: all answers
    of the vote are given, each with the sources it is from, and no language model is asked."""
    unanswered: Escalation = Escalation.CONCATENATED
    """The debate where no reading answered, so that there is no vote yet: one prompt with all documents."""
    margin: Annotated[float, Field(ge=0, le=1), Number] = _AUTO.margin
    """Margin below which a disputed vote is not safe."""
    certificate: Annotated[int, Field(ge=0, le=1000), Number] = _AUTO.certificate
    """Corrupted sources that a disputed vote must withstand but one, to be safe."""
    confidence: Annotated[float, Field(ge=0, le=1), Number] = _AUTO.confidence
    """Confidence below which a disputed vote is not safe."""
    conflict: Annotated[float, Field(ge=0, le=1), Number] = _AUTO.conflict
    """Conflict score (CS-R) above which a vote is not safe, disputed or not."""
    floor: Annotated[float, Field(ge=0, le=1), Number] = _AUTO.floor
    """Confidence below which there is no answer at all where no debate is held."""


class StrategyChoice(StrategyParameters):
    """The strategy, its parameters, and what it may cost."""

    strategy: Strategy = Strategy.WMV
    """`wmv` is the vote of the selected sources, weighted by reliability. `madam`, `astute` and `drag` are debates of a
    language model over their documents; `auto` votes, and where no vote is safe gives all answers side by side, or
    debates. `concatenated`, `self_consistency` and `no_rag` (no documents at all) are there to compare with."""
    madam: MadamParameters | None = None
    """Choices of `madam`; null takes the defaults, as do the others below."""
    astute: AstuteParameters | None = None
    """Choices of `astute`."""
    drag: DragParameters | None = None
    """Choices of `drag`."""
    auto: AutoParameters | None = None
    """Choices of `auto`."""
    concatenated: ConcatenatedParameters | None = None
    """Choices of `concatenated`."""
    self_consistency: ConsistencyParameters | None = None
    """Choices of `self_consistency`."""
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

    def debate(self, *, answered: bool) -> Strategy:
        """The debate to hold, if one is held: that of `auto` is chosen by its parameters, and by whether any reading
        answered.
        """
        if self.strategy is not Strategy.AUTO:
            return self.strategy
        given = self.auto or AutoParameters()
        return Strategy((answered and given.debate) or given.unanswered)

    def choices(self, of: Strategy) -> dict[str, Any]:
        """What was chosen, or is the default, for a strategy."""
        kind = _KINDS.get(of)
        return (getattr(self, of) or kind()).model_dump() if kind else {}

    def debate_settings(self, policy: ClassPolicy) -> debates.DebateSettings:
        """The same as `answering.debates` takes it."""
        return debates.DebateSettings(
            madam=debates.MadamSettings(**self.choices(Strategy.MADAM), policy=policy),
            astute=debates.AstuteSettings(**self.choices(Strategy.ASTUTE), policy=policy),
            drag=debates.DragSettings(**self.choices(Strategy.DRAG), policy=policy),
            concatenated=debates.ConcatenatedSettings(**self.choices(Strategy.CONCATENATED), policy=policy),
            self_consistency=debates.ConsistencySettings(**self.choices(Strategy.SELF_CONSISTENCY), policy=policy),
        )

    def auto_settings(self) -> debates.AutoSettings:
        """Where a vote is safe, and whether there is a debate where it is not."""
        chosen = self.choices(Strategy.AUTO)
        limits = {name: value for name, value in chosen.items() if name not in {"debate", "unanswered"}}
        return debates.AutoSettings(debate=chosen["debate"] is not None, **limits)


_KINDS: dict[Strategy, type[StrategyParameters]] = {
    Strategy.MADAM: MadamParameters,
    Strategy.ASTUTE: AstuteParameters,
    Strategy.DRAG: DragParameters,
    Strategy.AUTO: AutoParameters,
    Strategy.CONCATENATED: ConcatenatedParameters,
    Strategy.SELF_CONSISTENCY: ConsistencyParameters,
}
