"""A source that votes, and one vote of it."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from datetime import datetime
from math import hypot
from typing import Final, Generic, NamedTuple, TypeVar

from scipy.special import ndtri

Source = TypeVar("Source", bound=Hashable)
END_DEVIATE: Final = float(ndtri(0.95))
"""The normal deviate of the ends of a 90 % interval."""


class Period(NamedTuple):
    """A time in which a source that turned had one reliability, and the 90 % interval of that.

    >>> Period(datetime(2026, 1, 1), 0.4, lower=0.3, upper=0.5).reliability
    0.4
    """

    start: datetime
    reliability: float
    lower: float | None = None
    upper: float | None = None


@dataclass(frozen=True, slots=True)
class Voter(Generic[Source]):
    """The reliability of a source as far as it is known, and its copy group.

    >>> Voter("herald", 0.9, lower=0.8, upper=0.95, copy_group=2).copy_group
    2
    """

    id: Source
    reliability: float | None
    """An operator's override, else the estimate, in [0, 1]; None if there is neither."""
    lower: float | None = None
    """Lower end of the 90 % interval of an estimate."""
    upper: float | None = None
    systematic: float = 0.0
    """Standard deviation of errors that sources share, which the interval leaves out."""
    overridden: bool = False
    copy_group: Hashable | None = None
    """None for an independent source."""
    is_new: bool = False
    """Whether it came after the estimate: it was no source of the run."""
    periods: tuple[Period, ...] = ()
    """Periods of a source that turned, in the order of time."""
    read_share: float | None = None
    """The share of its votes that are what it says; None where `reliability` is that of its votes, whoever errs."""

    @property
    def band(self) -> tuple[float | None, float | None]:
        """The ends of the interval with the systematic band: the distances of the two add up in squares.

        >>> [round(end or 0.0, 3) for end in Voter("herald", 0.8, 0.74, 0.86, 0.08 / END_DEVIATE).band]
        [0.7, 0.9]
        """
        if self.reliability is None or self.lower is None or self.upper is None:
            return self.lower, self.upper
        shared = END_DEVIATE * self.systematic
        below, above = hypot(self.reliability - self.lower, shared), hypot(self.upper - self.reliability, shared)
        return self.reliability - below, self.reliability + above

    def read(self, confidence: float | None) -> "Voter[Source]":
        """The source with the probability that the reader gives to one vote of it.

        >>> Voter("herald", 0.8, read_share=0.75).read(0.5).read_share
        0.5
        """
        return self if confidence is None or self.read_share is None else replace(self, read_share=confidence)

    def at(self, date: datetime | None) -> "Voter[Source]":
        """The source with its reliability of this date; with the present one if the date is unknown.

        An override stands for all times.
        """
        if date is None or self.overridden or not self.periods or date >= self.periods[-1].start:
            return self
        started = [period for period in self.periods if period.start <= date]
        _, reliability, lower, upper = started[-1] if started else self.periods[0]
        return replace(self, reliability=reliability, lower=lower, upper=upper)


# Half of the words around two answers, and so many.
_FEWEST_SHARED_WORDS = 2


@dataclass(frozen=True, slots=True)
class CastVote(Generic[Source]):
    """The vote of one source on one question.

    >>> CastVote("herald", "text:oslo", "Oslo").is_newer
    False
    """

    source_id: Source
    answer_key: str
    """The answer class it is for, see `answering.equivalence`."""
    answer: str
    """The answer as the reader gave it."""
    published_at: datetime | None = None
    """None counts as the present."""
    reading_confidence: float | None = None
    """The reader's, in [0, 1]; None if it gives none."""
    is_newer: bool = False
    """Whether it stands in documents newer than the estimate alone."""
    last_published_at: datetime | None = None
    """When its source published it last; None if that is unknown."""
    outdated_by: Source | None = None
    """The source of a newer statement that contradicts it so that it does not count, if there is one
    (`answering.voting.newer_statements`)."""
    around: frozenset[str] = frozenset()
    """The words that stand around its answer in the passage, but for those of the question."""
    search_odds: float = 1.0
    """The factor of the odds that it was read right, below 1 where a search over many sources found the passage
    (`answering.voting.certainty`)."""

    @property
    def is_outdated(self) -> bool:
        return self.outdated_by is not None

    @property
    def certainty_of_reading(self) -> float:
        """The confidence of the reader; 1 where it gives none."""
        return 1.0 if self.reading_confidence is None else self.reading_confidence

    def shares_sentence(self, other: "CastVote[Source]") -> bool:
        """Whether both were read from what is as good as one sentence.

        >>> vote = CastVote("herald", "3", "3", around=frozenset({"hours", "behind", "capital"}))
        >>> vote.shares_sentence(CastVote("post", "3", "3", around=frozenset({"hours", "behind", "winter"})))
        True
        """
        shared, fewest = len(self.around & other.around), min(len(self.around), len(other.around))
        return shared >= _FEWEST_SHARED_WORDS and 2 * shared >= fewest
