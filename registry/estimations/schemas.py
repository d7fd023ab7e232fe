"""Parameters of an estimation, which are stored with its run."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Final, Self
from uuid import UUID

from pydantic import BeforeValidator, Field, StrictBool

from answering.enums import ClassPolicy
from answering.parameters import Number
from estimator.policies import Drift, LabelCount, NegativeWeights, TiePolicy
from registry.platform.enums import QueryOrigin
from registry.platform.fields import Input, Name, PaperSwitch, Result, Score, Time

FILE_PARAMETERS: Final = frozenset({"method", "labels", "ties", "negative_weights", "max_rounds"})
"""Names of the parameters that estimates by files of votes know."""
FORMER_NAMES: Final[Mapping[object, str]] = {"bayes": "one_coin", "confusion": "dawid_skene"}


class Method(StrEnum):
    """The estimator of reliabilities and weights."""

    AUTO = "auto"
    ONE_COIN = "one_coin"
    DAWID_SKENE = "dawid_skene"
    IWMV = "iwmv"
    MAJORITY = "majority"
    WAWA = "wawa"
    ORACLE = "oracle"

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        """Accept the former names, which stored parameters and callers may still have."""
        return cls(FORMER_NAMES[value]) if value in FORMER_NAMES else None


def _as_text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _labels_as_text(value: object) -> object:
    """Runs of former versions have stored a number or null."""
    return LabelCount.SOURCES if value is None else _as_text(value)


class EstimationParameters(Input, PaperSwitch):
    """Parameters of an estimation run."""

    as_in_paper: ClassVar = {
        "method": Method.IWMV,
        "labels": "sources",
        "negative_weights": NegativeWeights.KEEP,
        "drift": Drift.NONE,
        "topics": "none",
        "candidates_only": False,
        "use_gold": False,
        "class_policy": ClassPolicy.EXACT,
    }

    method: Method = Method.AUTO
    """The estimator. `auto`: finds copy groups, then chooses `one_coin` or `dawid_skene` by model evidence; `one_coin`:
    one-coin Dawid-Skene model for open answers, with credible intervals; `dawid_skene`: Dawid-Skene model with
    confusion matrices, for queries that share a few labels; `iwmv`: iterative weighted majority vote (Li & Yu 2014,
    arXiv:1411.4086), as in RA-RAG; `majority`: every source has weight 1; `wawa`: sources weighted by their agreement
    with the majority; `oracle`: weights from true reliabilities (gold answers); for audits only."""
    labels: Annotated[
        str, Field(pattern=r"^(sources|estimated|[2-9]|[1-9][0-9]{1,6})$"), BeforeValidator(_labels_as_text)
    ] = LabelCount.SOURCES
    """Number of labels L in the weight L*w - 1 of `iwmv`: that of the sources, as in RA-RAG (`sources`), one estimated
    from how often losing votes agree (`estimated`), or a number from 2 on."""
    ties: TiePolicy = TiePolicy.SUPPORTERS
    """The rule that breaks ties."""
    negative_weights: NegativeWeights = NegativeWeights.KEEP
    """The treatment of negative weights (of sources below chance) by `iwmv`: keep them, or set them to zero."""
    max_rounds: Annotated[int, Field(ge=1, le=1000), Number] = 100
    """Most rounds of the iteration."""
    drift: Drift = Drift.AUTO
    """Whether to look for changes of reliability over time, so that a source that turned counts with its present
    reliability (`auto`), or not (`none`)."""
    topics: Annotated[str, Field(pattern=r"^(auto|none|[1-9][0-9]?)$"), BeforeValidator(_as_text)] = "auto"
    """Number of topics with reliabilities of their own: as many as the votes support (`auto`), a number up to 99, or
    one for all queries (`none`)."""
    candidates_only: StrictBool | None = None
    """Whether to read only sources in which a search over the corpus finds a relevant passage; null: if there are more
    than 200 sources."""
    use_gold: StrictBool | None = None
    """Whether votes on queries with gold answers are judged by them; null: as `use_gold` of the corpus says. Audits of
    the run leave these queries out; make some inactive to keep them for audits."""
    class_policy: ClassPolicy = ClassPolicy.VALUES
    """The rule by which two answers count as the same."""
    origin: QueryOrigin | None = None
    """Use only active queries of this origin; null: all."""
    full: StrictBool = False
    """Whether to search and read everything again, instead of copying votes that cannot have changed."""
    paper: StrictBool = False
    """Whether to use the defaults of RA-RAG (arXiv:2410.22954) for parameters that are not given, here and in questions
    on the run."""

    @property
    def topic_count(self) -> int | None:
        """The number of topics; None for as many as the votes support."""
        return int(self.topics) if self.topics.isdigit() else None

    @property
    def label_count(self) -> int | LabelCount:
        """L in the weight, as the estimator takes it."""
        return int(self.labels) if self.labels.isdigit() else LabelCount(self.labels)


class RunPatch(Input):
    """A new name of a run."""

    name: Name | None
    """The name; null takes it away."""


class CurrentRunInput(Input):
    """The run that the caller expects to replace."""

    instead_of: UUID
    """The run that is current now. Where another one is by then, nothing is changed."""


class ComparedRun(Result):
    """One of two estimations that are compared."""

    id: UUID
    """Identifier."""
    number: int
    """Its number in the corpus."""
    name: str | None
    """Its name, if it was given one."""
    method: str | None
    """The method by which votes became reliabilities."""
    finished_at: Time | None
    """When it ended."""


PARAMETER = "parameter "
_IN_WORDS = {
    "labels": "number of labels",
    "ties": "rule for ties",
    "negative_weights": "use of negative weights",
    "max_rounds": "limit of rounds",
    "drift": "search for sources that turned",
    "topics": "number of topics",
    "candidates_only": "choice of the sources that are read",
    "use_gold": "use of right answers",
    "class_policy": "rule for equal answers",
    "origin": "choice of queries",
    "paper": "choice of the defaults of RA-RAG",
}


class SettingDifference(Result):
    """The method, the reader or a parameter that is not the same in two estimations."""

    name: str
    """Its name."""
    before: Any
    """In the first."""
    after: Any
    """In the second."""

    @property
    def in_words(self) -> str:
        """What it is, for a person."""
        name = self.name.removeprefix(PARAMETER)
        return _IN_WORDS.get(name, name)


class SourceEstimate(Result):
    """The estimate of a source that has votes in an estimation."""

    reliability: Score
    """Its reliability."""
    lower: Score | None
    """Lower end of the 90 % interval; null in old runs."""
    upper: Score | None
    """Upper end of it."""
    vote_count: int
    """Votes it cast."""
    copies: list[UUID]
    """The other sources of its copy group."""


class SourceDifference(Result):
    """A source in two estimations."""

    source_id: UUID
    """The source, which may have been deleted since."""
    source_name: str
    """Its name at the time of the newer of them."""
    before: SourceEstimate | None
    """Estimate in the first; null if it has no votes of the source."""
    after: SourceEstimate | None
    """Estimate in the second; null likewise."""
    change: float | None
    """Change of its reliability, from -1 to 1; null if either has no votes of it."""
    was_regrouped: bool
    """Whether it has other sources in its copy group."""


class Alert(Result):
    """A source that turned or fell by a run."""

    source_id: UUID
    source_name: str
    change: str
    """`turned` or `fell`."""
    turned_at: Time | None
    """Start of its present period; null for one that fell."""
    reliability_before: float
    reliability: float


class RunDifference(Result):
    """The difference between two estimations."""

    before: ComparedRun
    """The first."""
    after: ComparedRun
    """The second."""
    note: str | None
    """Effect of different settings; null if they are the same."""
    settings: list[SettingDifference]
    """Those that differ."""
    sources: list[SourceDifference]
    """All that have votes in either: first those with votes in one only, then the most changed."""


class Topic(Result):
    """Queries on which each source has one reliability, which differs from that on other topics."""

    label: str
    """The topics given to most of its queries, up to three; without any, up to three words that set its queries
    apart from those of the other topics."""
    names: tuple[str, ...]
    """All topics given to its queries, the most frequent first; given topics on which reliabilities do not differ are
    one."""
    query_count: Annotated[int, Field(ge=0)]
    """Queries of the run on it."""


class TopicReliability(Result):
    """The reliability of a source on one topic."""

    topic: Annotated[int, Field(ge=0)]
    """Place in the estimation's list of topics."""
    reliability: Score
    """Estimated share of its votes on the topic that are right, drawn towards its reliability on all topics."""
    lower: Score
    """Lower end of its 90 % interval."""
    upper: Score
    """Upper end of it."""
    weight: float
    """Weight of its votes on the topic."""
    vote_count: Annotated[int, Field(ge=0)]
    """Its votes on the topic."""


class QuestionTopic(Topic):
    """The most probable topic of a question. Where it is used, the reliabilities that counted are expectations over all
    topics, weighted by their probabilities; else those over all queries did."""

    topic: Annotated[int, Field(ge=0)]
    """Place in the estimation's list of topics."""
    given: bool
    """Whether the caller named it; otherwise it was inferred from the embeddings of the question and of the passages
    nearest to it."""
    used: bool = True
    """Whether reliabilities by topic counted: the caller named it, or it is probable enough."""
    probabilities: tuple[Score, ...]
    """The probability of every topic of the estimation, in the order of its list."""
