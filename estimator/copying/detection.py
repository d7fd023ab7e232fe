"""`find_copies`: copy groups with the evidence for people; how they are found is in `search`."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from estimator.arrays.types import Floats, Integers, read_only
from estimator.copying.pairs import Pairs, PriorEvidence, count_pairs, disputed_sample, incidence, publication_order
from estimator.copying.search import CERTAIN, Partition, search
from estimator.errors import EstimatorError
from estimator.result import CopyGroup, CopyLink
from estimator.votes import VoteMatrix

MOST_LINKS: Final = 200
"""Links of a group that are kept for people to look at."""
_MOST_DATED: Final = 2_000
"""Pairs whose order of publication is compared, those that agree most, to bound the time."""


class CopyDetection(NamedTuple):
    """Which of N sources copy each other; see `find_copies`.

    >>> CopyDetection(np.array([0, 1, 1]), ()).groups.tolist()
    [0, 1, 1]
    """

    groups: Integers
    """(N,) label of the source's copy group, from 0, numbered by the first member; read-only. Most are alone."""
    copies: tuple[CopyGroup, ...]
    """The groups of several members, by their first member."""


def find_copies(
    votes: VoteMatrix,
    *,
    time: ArrayLike | None = None,
    prior_evidence: PriorEvidence | None = None,
    overlap: float = 0.3,
    copied_share: float = 0.5,
    allowance: float = 0.4,
) -> CopyDetection:
    """Find the sources that copy each other: they agree more than their reliabilities explain, and cover the same.

    `time` (V,) is when each vote was published, in the order of `votes.triples()`, NaN if unknown; it is evidence of
    copying and gives it a direction. `prior_evidence` is about pairs suspected for other reasons, such as
    near-duplicate passages. `overlap` is the Jaccard index of what two sources vote on below which neither can be the
    other's copy, `copied_share` the share of its answers that a copier takes over (more than half is possible from one
    source only), and `allowance` the part of the votes of a source for second likeliest answers by which its
    reliability may be higher than estimated; what half and double of each do is in docs/results/copies.md. Raises
    EstimatorError for what does not fit the votes.

    Compares sources on queries to which different answers were given, of very many on a part of them.

    >>> random = np.random.default_rng(0)
    >>> answer = np.where(random.random((400, 6)) < 0.75, 0, random.integers(1, 10, (400, 6)))
    >>> answer[:, 5] = answer[:, 4]
    >>> query, source = np.divmod(np.arange(answer.size), 6)
    >>> votes = VoteMatrix.from_triples(query, source, answer.ravel(), query_count=400, source_count=6)
    >>> find_copies(votes).groups.tolist()
    [0, 1, 2, 3, 4, 4]
    """
    if not (0 < overlap < 1 and 0 < copied_share < 1 and 0 <= allowance < 1):
        raise EstimatorError("overlap, copied_share and allowance are shares between 0 and 1")
    suspected = (prior_evidence or PriorEvidence([], [], [])).matrix(votes.source_count)
    sample, kept = disputed_sample(votes)
    pairs = count_pairs(sample, suspected)
    covered = (pairs.jaccard >= overlap) | (pairs.prior_log_odds > 0)
    pairs = pairs.take(covered & (pairs.agreed > 0))
    if not pairs.first.size:
        return CopyDetection(read_only(np.arange(votes.source_count)), ())
    direction = np.full(pairs.first.size, np.nan)
    if time is not None:
        most, times = np.argsort(-pairs.agreement, kind="stable")[:_MOST_DATED], votes.times(time)
        direction[most], log_odds = publication_order(sample, times[kept[votes.vote_class]], pairs.take(most))
        pairs.prior_log_odds[most] += log_odds
    best = search(sample, pairs, copied_share, allowance)
    return CopyDetection(read_only(best.groups), _copy_groups(sample, pairs, best, direction))


def _copy_groups(votes: VoteMatrix, pairs: Pairs, best: Partition, direction: Floats) -> tuple[CopyGroup, ...]:
    """The groups of several members, each with the evidence of its strongest pair."""
    label, evidence = best.groups[pairs.first], best.evidence
    inside = np.flatnonzero(label == best.groups[pairs.second])
    inside = inside[np.lexsort((-evidence.log_odds[inside], label[inside]))]
    several, begin = np.unique(label[inside], return_index=True)
    given = incidence(votes.source, votes.vote_class, votes.source_count)
    shared = given[pairs.first[inside[begin]]].multiply(given[pairs.second[inside[begin]]]) @ (1 - best.right)
    of_link = pairs.first, pairs.second, evidence.log_odds, pairs.agreement, evidence.copied_share, direction
    groups = []
    for group, ordered, shared_wrong in zip(several, np.split(inside, begin)[1:], shared, strict=True):
        pair, certain = ordered[0], ordered[:MOST_LINKS][evidence.log_odds[ordered[:MOST_LINKS]] > CERTAIN]
        rows = zip(*(column[certain].tolist() for column in of_link), strict=True)
        links = tuple(CopyLink(*row[:5], copier=row[row[5] > 0] if abs(row[5]) > CERTAIN else None) for row in rows)
        copied = {link.first + link.second - link.copier for link in links if link.copier is not None}
        originals = copied - {link.copier for link in links}
        groups.append(
            CopyGroup(
                members=tuple(np.flatnonzero(best.groups == group).tolist()),
                original=originals.pop() if len(originals) == 1 else None,
                log_odds=max(float(evidence.log_odds[pair]), 0.0),
                agreement=float(pairs.agreement[pair]),
                explained=float(evidence.explained[pair]),
                overlap=float(pairs.jaccard[pair]),
                shared_wrong=float(shared_wrong),
                expected=float(pairs.overlap[pair] * evidence.both_wrong[pair]),
                copied_share=float(evidence.copied_share[pair]),
                links=links,
            )
        )
    return tuple(groups)
