"""Selection of sources, the weighted vote on their readings, and how easily the vote flips.

`selection` is kappa-RRSS, `weights` turns reliabilities into weights, `vote` counts the ballots, `certificate` and
`early_stopping` bound what further or corrupted votes can change, `outcome` names the result.
"""

from answering.voting.certificate import Certificate, certify
from answering.voting.drivers import select_from, select_sources
from answering.voting.outcome import Outcome, vote_outcome
from answering.voting.readings import ReadingStatus, SourceReading, class_keys
from answering.voting.selection import (
    Candidate,
    RejectionReason,
    Selection,
    SelectionSettings,
    StopReason,
    rank,
    select,
)
from answering.voting.vote import Ballot, TallyLine, VoteResult, confidence, posterior, weighted_vote
from answering.voting.weights import Voter, VoteWeights

__all__ = [
    "Ballot",
    "Candidate",
    "Certificate",
    "Outcome",
    "ReadingStatus",
    "RejectionReason",
    "Selection",
    "SelectionSettings",
    "SourceReading",
    "StopReason",
    "TallyLine",
    "VoteResult",
    "VoteWeights",
    "Voter",
    "certify",
    "class_keys",
    "confidence",
    "posterior",
    "rank",
    "select",
    "select_from",
    "select_sources",
    "vote_outcome",
    "weighted_vote",
]
