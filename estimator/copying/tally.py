"""How many independent groups stand behind the answers to one question."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from estimator.errors import EstimatorError
from estimator.votes import Integers, read_only


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """A different answers, by falling number of groups, then of votes, then by rising id. Read-only."""

    answer: Integers
    """(A,) id."""
    votes: Integers
    """(A,) sources that give it."""
    groups: Integers
    """(A,) independent groups that give it; a group whose members disagree stands behind several answers."""


def tally(answer: ArrayLike, group: ArrayLike) -> Tally:
    """Count the votes on one question, and the groups behind them: parallel answer ids and group labels of voters.

    Raises EstimatorError where the two do not match.
    """
    answers, groups = np.asarray(answer, dtype=np.int64), np.asarray(group, dtype=np.int64)
    if answers.shape != groups.shape or answers.ndim != 1:
        message = f"answer and group must be flat and parallel, not of shapes {answers.shape} and {groups.shape}"
        raise EstimatorError(message)
    ids, place, cast = np.unique(answers, return_inverse=True, return_counts=True)
    once = np.unique(np.stack((place, groups)), axis=1)[0]
    behind = np.bincount(once, minlength=ids.size)
    order = np.lexsort((ids, -cast, -behind))
    return Tally(read_only(ids[order]), read_only(cast[order]), read_only(behind[order]))
