"""Sources that copy each other count once.

found = find_copies(votes)
found.groups[source], found.evidence.shared_wrong
result = estimate(collapse(votes, found.groups))
result.answer[query], agreement(votes, result.answer)[source]
"""

from estimator.dependence.collapse import agreement, collapse, vote_shares
from estimator.dependence.find import Dependence, PairEvidence, find_copies
from estimator.dependence.groups import CopyGroup, copy_groups
from estimator.dependence.search import CopyRules
from estimator.dependence.tally import Tally, tally
from estimator.dependence.witness import Witness

__all__ = [
    "CopyGroup",
    "CopyRules",
    "Dependence",
    "PairEvidence",
    "Tally",
    "Witness",
    "agreement",
    "collapse",
    "copy_groups",
    "find_copies",
    "tally",
    "vote_shares",
]
