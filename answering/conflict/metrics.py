"""ConflictScore's two metrics: CS-C and CS-R from the weights of the documents on both sides of every claim."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from answering.enums import Uncovered
from answering.errors import BadParameter


@dataclass(frozen=True, slots=True)
class ClaimWeights:
    """The weights, in [0, 1], of the documents that support a claim (D+) and of those that contradict it (D-).

    >>> ClaimWeights(supporting=(0.9, 0.6), contradicting=(0.5,)).ratio
    0.25
    """

    supporting: tuple[float, ...] = ()
    contradicting: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        for weight in (*self.supporting, *self.contradicting):
            if not 0.0 <= weight <= 1.0:
                raise BadParameter(f"the weight of a document is a share: 0 to 1, not {weight}")

    @property
    def conflict(self) -> float:
        """The largest weight of the lighter side divided by that of the heavier one, in [0, 1]; 0 if a side is empty.

        With equal weights 1 where both sides are non-empty, as the paper has it. A document of weight 0 is on no side.
        """
        largest = max(self.supporting, default=0.0), max(self.contradicting, default=0.0)
        return min(largest) / max(largest) if min(largest) > 0 else 0.0

    @property
    def ratio(self) -> float | None:
        """`|D-| / (|D+| + |D-|)`, of weights; None where no document of any weight speaks of the claim."""
        total = math.fsum((*self.supporting, *self.contradicting))
        return math.fsum(self.contradicting) / total if total > 0 else None


@dataclass(frozen=True, slots=True)
class Scores:
    """CS-C and CS-R, in [0, 1], the lower the better; None where there is no claim to take the mean over."""

    cs_c: float | None
    cs_r: float | None


def conflict_scores(claims: Sequence[ClaimWeights], uncovered: Uncovered = Uncovered.ZERO) -> Scores:
    """CS-C, the mean of `conflict` over all claims, and CS-R, the mean of `ratio` (ConflictScore, section 3).

    >>> conflict_scores([ClaimWeights((1.0,), (1.0,)), ClaimWeights((1.0, 1.0))])
    Scores(cs_c=0.5, cs_r=0.25)
    """
    ratios = [claim.ratio for claim in claims]
    defined = [ratio for ratio in ratios if ratio is not None]
    count = len(defined) if uncovered is Uncovered.OMIT else len(ratios)
    return Scores(_mean([claim.conflict for claim in claims], len(claims)), _mean(defined, count))


def _mean(values: Sequence[float], count: int) -> float | None:
    return math.fsum(values) / count if count else None
