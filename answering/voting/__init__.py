"""Selection of sources, the weighted vote on their readings, and how easily the vote flips.

`selection` is kappa-RRSS, `electorate` says what any votes of its voters count and how probable an answer is then,
`certificate` and `early_stopping` bound what corrupted or further votes can change, `outcome` names the result.
"""

from answering.enums import Outcome, ReadingStatus
from answering.voting.certificate import Certificate, certify
from answering.voting.electorate import Count, Electorate
from answering.voting.listed import ListedVote
from answering.voting.outcome import closest, outcome_of, vote_outcome
from answering.voting.readings import SourceReading, class_keys
from answering.voting.selection import (
    Candidate,
    RejectionReason,
    Selection,
    SelectionSettings,
    StopReason,
    rank,
    select,
    select_sources,
)
from answering.voting.vote import Ballot, TallyLine, VoteResult, weighted_vote
from answering.voting.voter import CastVote, Period, Voter

__all__ = [
    "Ballot",
    "Candidate",
    "CastVote",
    "Certificate",
    "Count",
    "Electorate",
    "ListedVote",
    "Outcome",
    "Period",
    "ReadingStatus",
    "RejectionReason",
    "Selection",
    "SelectionSettings",
    "SourceReading",
    "StopReason",
    "TallyLine",
    "VoteResult",
    "Voter",
    "certify",
    "class_keys",
    "closest",
    "outcome_of",
    "rank",
    "select",
    "select_sources",
    "vote_outcome",
    "weighted_vote",
]
