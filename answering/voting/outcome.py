"""The outcome of a question: whether it has an answer, and whether the sources agree on it."""

from collections.abc import Hashable
from typing import TypeVar

from answering.enums import Outcome
from answering.errors import BadParameter
from answering.voting.vote import TallyLine, VoteResult, share_ahead

Source = TypeVar("Source", bound=Hashable)
# Answers that are ahead by less are tied.
_TIED = 1e-9


def vote_outcome(vote: VoteResult[Source], *, retrieved: bool, min_margin: float = 0.0) -> Outcome:
    """The outcome of a vote; `retrieved` says whether any source had a passage, see `Selection.retrieved`.

    Sources conflict where several answers are too close to tell, see `closest`.

    >>> from answering.voting.vote import weighted_vote
    >>> vote_outcome(weighted_vote([]), retrieved=False)
    <Outcome.NO_EVIDENCE: 'no_evidence'>
    """
    return outcome_of(len(closest(vote, min_margin)), found=retrieved or bool(vote.tally))


def outcome_of(answers: int, *, found: bool) -> Outcome:
    """The outcome with so many answers that are too close to tell apart; `found`: there was something to read.

    >>> outcome_of(2, found=True)
    <Outcome.CONFLICTING: 'conflicting'>
    """
    if answers == 0:
        return Outcome.UNSUPPORTED if found else Outcome.NO_EVIDENCE
    return Outcome.CONFLICTING if answers > 1 else Outcome.ANSWERED


def closest(vote: VoteResult[Source], min_margin: float) -> tuple[TallyLine[Source], ...]:
    """The winner, and the answers that tie with it or over which it is ahead by less than `min_margin` (in [0, 1]) of
    the weight of both: how many others there are does not matter. None without a winner.

    >>> from answering.voting.vote import Ballot, weighted_vote
    >>> weights = {"1963": 2.0, "1956": 1.9, "1971": 1.0, "1970": 1.0}
    >>> vote = weighted_vote([Ballot(answer, answer, answer, weight) for answer, weight in weights.items()])
    >>> [line.answer for line in closest(vote, min_margin=0.05)]
    ['1963', '1956']
    """
    if not 0.0 <= min_margin <= 1.0:
        raise BadParameter(f"the least margin is a share of the votes: 0 to 1, not {min_margin}")
    if vote.winner is None:
        return ()
    first, *others = vote.tally
    least = max(min_margin, _TIED)
    return (first, *(line for line in others if share_ahead(first.weight, line.weight) < least))
