"""The outcome of a question: whether it has an answer, and whether the sources agree on it."""

from collections.abc import Hashable
from enum import StrEnum
from typing import TypeVar

from answering.errors import BadParameter
from answering.voting.vote import VoteResult

Source = TypeVar("Source", bound=Hashable)


class Outcome(StrEnum):
    """The outcome of a question."""

    ANSWERED = "answered"
    CONFLICTING = "conflicting"
    """Sources answer, but differently, and none of the answers is far enough ahead."""
    UNSUPPORTED = "unsupported"
    """There are passages, but no source gave an answer that stands in them, or none that is reliable."""
    NO_EVIDENCE = "no_evidence"
    """No source has anything to read on the question."""


def vote_outcome(vote: VoteResult[Source], *, retrieved: bool, min_margin: float = 0.0) -> Outcome:
    """The outcome of a vote; `retrieved` says whether any source had a passage, see `Selection.retrieved`.

    Sources conflict where answers tie, or where there are several and the margin is below `min_margin` (in
    [0, 1]). A single answer is no conflict, whatever its weight.

    >>> from answering.voting.vote import weighted_vote
    >>> vote_outcome(weighted_vote([]), retrieved=False)
    <Outcome.NO_EVIDENCE: 'no_evidence'>
    """
    if not 0.0 <= min_margin <= 1.0:
        raise BadParameter(f"the least margin is a share of the votes: 0 to 1, not {min_margin}")
    if not vote.tally:
        return Outcome.UNSUPPORTED if retrieved else Outcome.NO_EVIDENCE
    if vote.winner is None:
        return Outcome.UNSUPPORTED
    disputed = len(vote.tally) > 1
    if vote.tied or (disputed and vote.margin < min_margin):
        return Outcome.CONFLICTING
    return Outcome.ANSWERED
