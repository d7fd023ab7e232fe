"""Named policies of an estimate, and the reasons for which it stops."""

from enum import StrEnum


class Doubt(StrEnum):
    """The reason why the votes cannot tell how reliable sources are, so that no interval is narrow."""

    ONE_ANSWER = "one_answer"
    """Nearly all votes name one answer, whatever the query."""
    AT_RANDOM = "at_random"
    """Answers at random explain the votes as well."""
    SEVERAL_FITS = "several_fits"
    """The votes fit several interpretations, and samples do not agree on one."""
    SEPARATE_RUNS = "separate_runs"
    """Many answers change if two thirds of the queries are left out."""

    @property
    def is_of_order(self) -> bool:
        """Whether what the votes leave open is only which sources are better than others.

        Estimates are means over what is possible then and hold on average, so that they are taken for known where
        answers are told how probable they are: by the wide intervals, all sources would be wrong at once as probably as
        not, which the estimate rules out.
        """
        return self is Doubt.AT_RANDOM


class Drift(StrEnum):
    """Whether sources have a reliability for all times."""

    AUTO = "auto"
    """A source that turned, by the evidence of its dated votes, has one in each of its periods."""
    NONE = "none"
    """Every source has one reliability."""


class LabelCount(StrEnum):
    """L in the weight `L * w - 1`, unless it is given as a number."""

    SOURCES = "sources"
    """The number of sources, as in the paper."""
    ESTIMATED = "estimated"
    """1 more than the number of plausible wrong answers, estimated from how often losing votes agree."""


class TiePolicy(StrEnum):
    """The rule for answers of a query that weigh the same, up to rounding."""

    SUPPORTERS = "supporters"
    """The one with more supporters, then the one with the smallest id."""
    SMALLEST_ID = "smallest_id"
    """The one with the smallest id."""
    NO_ANSWER = "no_answer"
    """Nobody: the query has no answer, and its votes count neither for nor against their sources."""


class NegativeWeights(StrEnum):
    """The rule for sources below chance, whose weight `L * w - 1` is negative."""

    KEEP = "keep"
    """The vote speaks against an answer, as in the paper."""
    ZERO = "zero"
    """Nothing, so that a liar cannot push its own opposite."""


class SilentSources(StrEnum):
    """The reliability of a source without judged votes, in the methods that count votes."""

    MEAN = "mean"
    """The mean over the sources with judged votes; chance (1 / L) where there is none."""
    CHANCE = "chance"
    """1 / L, which makes its weight 0."""
    UNKNOWN = "unknown"
    """NaN, and a weight of 0."""


class StopReason(StrEnum):
    """The reason why an estimate stopped."""

    CONVERGED = "converged"
    """The weights stopped moving."""
    OSCILLATING = "oscillating"
    """The weights came back to those of an earlier round: a cycle."""
    ROUND_LIMIT = "round_limit"
    """`max_rounds` rounds were made and the weights still moved."""
    ONE_ROUND = "one_round"
    """The method does not repeat."""
    SAMPLED = "sampled"
    """The posterior was drawn from as often as planned."""
    NO_VOTES = "no_votes"
    """There were no votes."""
