"""Sources that copy each other count once.

found = find_copies(votes)
found.groups[source], found.evidence.shared_wrong
result = estimate(collapse(votes, found.groups))
result.answer[query], agreement(votes, result.answer)[source]
"""

from estimator.copying.collapse import agreement, collapse, vote_shares
from estimator.copying.find import Dependence, PairEvidence, find_copies
from estimator.copying.groups import CopyGroup, copy_groups
from estimator.copying.search import CopyRules
from estimator.copying.tally import Tally, tally
from estimator.copying.witness import Witness

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
