"""What callers and results name of debates: the strategies' parameters, and enumerations.

It imports no debate, so that a client that only names them need not.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field, StrictBool

from answering.parameters import Number, Parameters

SUMMARIES: Final[Mapping[str, str]] = {
    "wmv": "the vote of the selected sources, weighted by reliability",
    "madam": "one agent per document and an aggregator; agents revise until none changes its answer (MADAM-RAG)",
    "astute": "groups passages of the sources and of the model's memory by agreement, and rates each group "
    "(Astute RAG)",
    "drag": "a debate about what else to search for, then one about the answer (DRAG)",
    "auto": "the vote if it is safe; otherwise the likely answers side by side, or a debate",
    "concatenated": "one prompt with all documents; a baseline",
    "self_consistency": "the most consistent of several samples of that prompt; a baseline",
    "no_rag": "the language model without documents; a baseline",
}
"""One line on each strategy, in the order in which they are documented."""


class ReplyStatus(StrEnum):
    """The outcome of a request."""

    ANSWERED = "answered"
    UNREADABLE = "unreadable"
    """The model replied twice, and neither reply could be parsed: an abstention."""
    FAILED = "failed"
    """No reply could be had."""
    OUT_OF_BUDGET = "out_of_budget"
    """The budget was spent before the reply: the debate closes with what it has."""


class StopReason(StrEnum):
    """The reason why a debate ended."""

    ANSWERED = "answered"
    """The strategy takes one answer and had it."""
    CONVERGED = "converged"
    """No agent changed its answer."""
    AGREED = "agreed"
    """The sides say the same, or only one of them has an answer."""
    JUDGED = "judged"
    """The judge chose a side."""
    NO_VERDICT = "no_verdict"
    """The judge chose none that could be read."""
    ROUNDS_SPENT = "rounds_spent"
    OUT_OF_BUDGET = "out_of_budget"
    NO_DOCUMENTS = "no_documents"


class TurnKind(StrEnum):
    """The kind of request of a turn."""

    ASK = "ask"
    READ = "read"
    SEARCH = "search"


class Action(StrEnum):
    """The action on a question."""

    VOTE = "vote"
    SIDE_BY_SIDE = "side_by_side"
    """The likely answers of the vote are given, each with the sources it is from; no language model is called."""
    DEBATE = "debate"
    ABSTAIN = "abstain"


class Reason(StrEnum):
    """A reason for the action."""

    NO_VOTES = "no_votes"
    """No reading answered; documents that were read may hold an answer all the same."""
    NO_DOCUMENTS = "no_documents"
    """No source has anything to read on the question."""
    UNDISPUTED = "undisputed"
    """All votes are for one answer."""
    SAFE = "safe"
    """Sources disagree, but margin, certificate and confidence are high enough, and the ConflictScore low enough."""
    NOBODY_RELIABLE = "nobody_reliable"
    """Sources answer, and none of them is reliable enough for its vote to count."""
    TIED = "tied"
    NARROW_MARGIN = "narrow_margin"
    FRAGILE = "fragile"
    """Too few corrupted sources would take the win from the answer."""
    LOW_CONFIDENCE = "low_confidence"
    CONFLICT_SCORE = "conflict_score"
    """Too many documents contradict the answer."""
    NO_MODEL = "no_model"
    """A debate would be due, and no language model is configured."""
    NO_BUDGET = "no_budget"
    """A debate would be due, and the budget does not allow for it."""


class SourceLabels(StrEnum):
    """The origin of a passage as told to the model."""

    NONE = "none"
    KIND = "kind"
    """Memory, or a publisher."""
    RELIABILITY = "reliability"
    """The kind, and the estimated reliability of the publisher."""


class FirstReading(StrEnum):
    """The reader of the documents in round 1."""

    AGENTS = "agents"
    """The language model, once for each document."""
    READER = "reader"
    """The configured reader: with the compact one and one round, only the aggregator calls a language model."""


class Seen(StrEnum):
    """What agents see of the previous round."""

    AGGREGATE = "aggregate"
    """The aggregator's answers and explanation, as in the paper; without an aggregator as `replies`."""
    REPLIES = "replies"
    """The replies of all other agents, as in the code that its authors released."""


class Unaggregated(StrEnum):
    """The rule that replaces the aggregator."""

    MAJORITY = "majority"
    """The answer of most agents; of several with as many, all."""
    EVERY = "every"
    """Every agent's answer, as in the paper (section 6.1): right where sources were selected by reliability and
    questions are ambiguous."""


class MadamParameters(Parameters):
    """MADAM-RAG: one agent a document, an aggregator, revision until no agent changes its answer."""

    rounds: Annotated[int, Field(ge=1, le=10), Number] = 3
    """Rounds at most (the paper's T)."""
    aggregator: StrictBool = True
    """Whether an aggregator writes the answers; without one `unaggregated` decides."""
    unaggregated: Unaggregated = Unaggregated.MAJORITY
    """Rule that replaces the aggregator."""
    first: FirstReading = FirstReading.AGENTS
    """Reader of the documents in round 1: the language model as agents, or the configured reader, which costs less."""
    seen: Seen = Seen.AGGREGATE
    """What agents see of the previous round: the aggregate, or the replies of the others."""
    show_reliability: StrictBool = False
    """Whether the aggregator is told how far the source behind each agent was right."""


class AstuteParameters(Parameters):
    """Astute RAG: what the model remembers beside what sources published, sorted by agreement."""

    passages: Annotated[int, Field(ge=0, le=10), Number] = 1
    """Passages the model writes from memory at most (the paper's m); 0 keeps to the documents."""
    consolidations: Annotated[int, Field(ge=1, le=10), Number] = 1
    """Number of consolidations of passages (the paper's t)."""
    labels: SourceLabels = SourceLabels.KIND
    """Origin of a passage as told to the model."""


class DragParameters(Parameters):
    """DRAG: a debate about what to search for, then one about the answer in which one side sees no documents."""

    retrieval_rounds: Annotated[int, Field(ge=0, le=10), Number] = 3
    """Rounds of the retrieval debate at most; 0 switches it off."""
    response_rounds: Annotated[int, Field(ge=0, le=10), Number] = 3
    """Rounds of the response debate at most; 0 takes the first answer of the side with documents."""
    searches_first: StrictBool = False
    """Whether it begins with a search for the question, as in the paper, instead of with the selected documents."""
    fixed_rounds: StrictBool = False
    """Whether the response debate holds all its rounds and ends with the judge, as in the paper, also if the sides
    agree or repeat themselves."""
    symmetric: StrictBool = False
    """Whether both sides see the documents."""
    informed_judge: StrictBool = False
    """Whether the judge of the answers sees the documents, as in the code that the authors released."""
    selected_only: StrictBool = True
    """Whether its searches keep to the selected sources; otherwise all active sources are searched."""
    per_query: Annotated[int, Field(ge=1, le=20), Number] = 3
    """Documents a search finds at most."""


class AutoSettings(Parameters):
    """The vote where it is safe; where sources truly conflict their likely answers side by side, or a debate."""

    debate: str | None = None
    """Name of the debate that is held where a vote is not safe; None holds none."""
    margin: Annotated[float, Field(ge=0, le=1), Number] = 0.5
    """Margin below which a disputed vote is not safe."""
    certificate: Annotated[int, Field(ge=0, le=1000), Number] = 2
    """Certificate size below which a disputed vote is not safe: the sources whose corruption flips the answer."""
    confidence: Annotated[float, Field(ge=0, le=1), Number] = 0.8
    """Confidence below which a disputed vote is not safe."""
    conflict: Annotated[float, Field(ge=0, le=1), Number] = 0.5
    """Conflict score (CS-R) above which a vote is not safe, disputed or not."""
    least_share: Annotated[float, Field(ge=0, le=1), Number] = 0.5
    """Share of the first answer's weight that another one needs to stand beside it where a vote is not safe."""
    floor: Annotated[float, Field(ge=0, le=1), Number] = 0.0
    """Confidence below which there is no answer at all where no debate is held."""


class ConcatenatedParameters(Parameters):
    """All documents in one prompt: the usual way, to compare with."""

    show_reliability: StrictBool = False
    """Whether the model is told how far each document's source was right."""


class Chosen(StrEnum):
    """The rule that chooses among the samples."""

    COUNTED = "counted"
    """The answers that stand in enough samples."""
    SELECTED = "selected"
    """All answers of the sample that the model selects as the most consistent with the others."""


class ConsistencyParameters(Parameters):
    """The most consistent of several samples of the concatenated prompt, to compare with."""

    samples: Annotated[int, Field(ge=1, le=50), Number] = 5
    """Samples drawn."""
    temperature: Annotated[float, Field(ge=0, le=2), Number] = 0.7
    """Sampling temperature."""
    share: Annotated[float, Field(gt=0, le=1), Number] = 0.5
    """The share of the samples that an answer must be in."""
    chosen: Chosen = Chosen.COUNTED
    """How answers are chosen: counted over the samples, or those of a sample that the model selects."""
    show_reliability: StrictBool = False
    """Whether the model is told how far each document's source was right."""
