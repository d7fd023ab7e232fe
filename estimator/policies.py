"""The choices an estimate is made with, each under a name, and the reasons for which it stops."""

from enum import StrEnum


class Method(StrEnum):
    """Where the reliabilities and the weights come from."""

    AUTO = "auto"
    """Sources that copy are heard once, then `bayes` or `confusion`, whichever the votes are better evidence for; the
    result says which and why."""
    BAYES = "bayes"
    """A one-coin model: a source is right with its reliability, else it gives one of the plausible wrong answers."""
    CONFUSION = "confusion"
    """A class-conditional model, for queries that share a small set of labels: what a source says for each truth."""
    IWMV = "iwmv"
    """Iterative weighted majority vote: Li & Yu 2014, RA-RAG section 3.3."""
    MAJORITY = "majority"
    """Every source counts 1; its reliability is its share of votes for the majority's answers."""
    WAWA = "wawa"
    """Majority vote, then one vote weighted by the agreement with it (worker agreement with aggregate)."""
    ORACLE = "oracle"
    """The true reliabilities are given: the upper end in experiments."""


class LabelCount(StrEnum):
    """What L is in the weight `L * w - 1`, where it is not given as a number."""

    SOURCES = "sources"
    """The number of sources, as in the paper."""
    ESTIMATED = "estimated"
    """1 more than the number of plausible wrong answers, as told by how often losing votes agree."""


class TiePolicy(StrEnum):
    """Who wins when the heaviest answers of a query weigh the same, up to rounding."""

    SUPPORTERS = "supporters"
    """The one with more supporters, then the one with the smallest id."""
    SMALLEST_ID = "smallest_id"
    """The one with the smallest id."""
    NO_ANSWER = "no_answer"
    """Nobody: the query has no answer, and its votes count neither for nor against their sources."""


class NegativeWeights(StrEnum):
    """What a source below chance counts: its weight `L * w - 1` is negative."""

    KEEP = "keep"
    """As in the paper: its vote speaks against an answer."""
    ZERO = "zero"
    """Nothing, so that a liar cannot push its own opposite."""


class SilentSources(StrEnum):
    """The reliability of a source that no vote tells anything about, in the methods that count votes."""

    MEAN = "mean"
    """The mean over the sources that votes do tell about; chance (1 / L) where there is none."""
    CHANCE = "chance"
    """1 / L, which makes its weight 0."""
    UNKNOWN = "unknown"
    """NaN, and a weight of 0."""


class StopReason(StrEnum):
    """Why an estimate stopped."""

    CONVERGED = "converged"
    """The weights stopped moving."""
    OSCILLATING = "oscillating"
    """The weights came back to those of an earlier round: they would go round for ever."""
    ROUND_LIMIT = "round_limit"
    """`max_rounds` rounds were made and the weights still moved."""
    ONE_ROUND = "one_round"
    """The method does not repeat."""
    SAMPLED = "sampled"
    """The posterior was drawn from as often as planned."""
    NO_VOTES = "no_votes"
    """There was nothing to count."""
