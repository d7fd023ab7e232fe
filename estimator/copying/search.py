"""The search for copies: which sources republish each other, so that they count once.

A wrong answer that ten sites copy should count once (Dong, Berti-Equille & Srivastava 2009, section 4,
doi:10.14778/1687627.1687690). What is right and who copies are estimated from each other, in turn:
1. Given groups that count once, expectation maximisation says how probably each answer is right (`estimated_truth`).
2. Given that, a pair has an agreement that its reliabilities explain, and copies a share beyond it (`compare`). A link
   needs odds of 9 to 1 that this is more than half, even if both reliabilities are higher than estimated by a part of
   their votes for the second likeliest answers: where most err alike, those may be the right ones (`contested`).
3. Sources that links connect are a group, if each two of them copy more than a quarter (complete linkage), as two
   copiers of half of one original do. A chain a-b-c in which a and c copy nothing is not one voice of two families.
Where this ends depends on where it starts: with all sources alone, or with those joined that agree on half on average.
The second end is taken where it certainly explains the votes better. What was measured: docs/results/copies.md.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import squareform
from scipy.special import betainc, betaln, ndtri, xlogy

from estimator.arrays.types import Flags, Floats, Integers, read_only
from estimator.copying.groups import contested, estimated_truth, log_likelihood, shares_right
from estimator.copying.pairs import (
    Pairs,
    count_pairs,
    disputed_sample,
    incidence,
    label_agreement,
    publication_order,
)
from estimator.group_votes import group_votes
from estimator.prior import CREDIBILITY
from estimator.prior_evidence import PriorEvidence
from estimator.result import CopyGroup, CopyLink
from estimator.votes import VoteMatrix

CERTAIN: Final = float(np.log(CREDIBILITY / (1 - CREDIBILITY)))
"""Log odds that a link needs, and the direction of copying: 9 to 1, as for all intervals."""
MOST_LINKS: Final = 200
"""Links of a group that are kept for people to look at."""
OVERLAP: Final = 0.3
"""Jaccard index of what two sources vote on below which neither can be the other's copy; benchmarks/notes/copies.md
has half and double of this and the next two."""
COPIED_SHARE: Final = 0.5
"""The share of its answers that a copier takes over; more than half is possible from one source only."""
ALLOWANCE: Final = 0.4
"""The part of a source's votes for second likeliest answers by which its reliability may be higher than estimated."""
_MOST_DATED: Final = 2_000
"""Pairs whose order of publication is compared, those that agree most, to bound the time."""
_MOST_ROUNDS: Final = 10
_MOST_IN_TREE: Final = 4_000
"""Sources in one dendrogram, to bound memory to 128 MB; more than that stay one cluster."""


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
) -> CopyDetection:
    """Find the sources that copy each other: they agree more than their reliabilities explain, and cover the same.

    `time` (V,) is when each vote was published, in the order of `votes.triples()`, NaN if unknown; it is evidence of
    copying and gives it a direction. `prior_evidence` is about pairs suspected for other reasons, such as
    near-duplicate passages. Raises EstimatorError for what does not fit the votes.

    Compares sources on queries to which different answers were given, of very many on a part of them.

    >>> random = np.random.default_rng(0)
    >>> answer = np.where(random.random((400, 6)) < 0.75, 0, random.integers(1, 10, (400, 6)))
    >>> answer[:, 5] = answer[:, 4]
    >>> query, source = np.divmod(np.arange(answer.size), 6)
    >>> votes = VoteMatrix.from_triples(query, source, answer.ravel(), query_count=400, source_count=6)
    >>> find_copies(votes).groups.tolist()
    [0, 1, 2, 3, 4, 4]
    """
    suspected = (prior_evidence or PriorEvidence([], [], [])).matrix(votes.source_count)
    sample, kept = disputed_sample(votes)
    pairs = count_pairs(sample, suspected)
    covered = (pairs.jaccard >= OVERLAP) | (pairs.prior_log_odds > 0)
    pairs = pairs.take(covered & (pairs.agreed > 0))
    if not pairs.first.size:
        return CopyDetection(read_only(np.arange(votes.source_count)), ())
    direction = np.full(pairs.first.size, np.nan)
    if time is not None:
        most, times = np.argsort(-pairs.agreement, kind="stable")[:_MOST_DATED], votes.times(time)
        direction[most], log_odds = publication_order(sample, times[kept[votes.vote_class]], pairs.take(most))
        pairs.prior_log_odds[most] += log_odds
    best = search(sample, pairs)
    return CopyDetection(read_only(best.groups), _copy_groups(sample, pairs, best, direction))


class Evidence(NamedTuple):
    """What P pairs share beyond what they would if they were independent; all arrays are (P,).

    `explained` is the agreement expected of independent sources, `both_wrong` the part of it for wrong answers,
    `copied_share` such that `agreement = copied + (1 - copied) * explained`, and `log_odds` are those that one of the
    pair copies more than the threshold.
    """

    explained: Floats
    both_wrong: Floats
    copied_share: Floats
    log_odds: Floats


class Partition(NamedTuple):
    """Copy groups (N,), the probability (C,) that each class is right, and log-likelihood (M,) of queries."""

    groups: Integers
    right: Floats
    evidence: Evidence
    log_likelihood: Floats


def search(votes: VoteMatrix, pairs: Pairs) -> Partition:
    """The copy groups found from both starts; of the second if its gain in log-likelihood is certain over queries
    (Vuong 1989, doi:10.2307/1912557). Reliabilities may be too low by a part of the `contested` votes.
    """
    by_labels, count = label_agreement(votes, pairs), votes.source_count

    def refined(groups: Integers) -> Partition:
        """What is right from groups, and groups from what is right, until groups repeat."""
        seen: set[bytes] = set()
        while True:
            seen.add(groups.tobytes())
            voices = group_votes(votes, groups)
            right, wrong_agreement = estimated_truth(votes, *voices)
            rate = shares_right(votes.source, right[votes.vote_class], count)
            evidence = compare(pairs, rate, wrong_agreement, by_labels)
            raised = rate + ALLOWANCE * contested(votes, right)
            doubted = compare(pairs, raised, wrong_agreement, by_labels)
            evidence = evidence._replace(log_odds=doubted.log_odds)
            partition = Partition(groups, right, evidence, log_likelihood(votes, groups, *voices, right))
            groups = _linked_groups(pairs, evidence, COPIED_SHARE**2, count)
            if groups.tobytes() in seen or len(seen) == _MOST_ROUNDS:
                return partition

    alone = refined(np.arange(count))
    alike = in_cluster(pairs, pairs.agreement, COPIED_SHARE, count, "average")
    joined = refined(_connected(pairs, alike, count))
    gain = joined.log_likelihood - alone.log_likelihood
    return joined if gain.sum() > ndtri(CREDIBILITY) * np.sqrt(gain.size) * gain.std() else alone


def _linked_groups(pairs: Pairs, evidence: Evidence, bar: float, count: int) -> Integers:
    """(N,) labels of what certain links connect within the clusters of linked sources that copy alike."""
    sure, linked = evidence.log_odds > CERTAIN, np.zeros(count, dtype=np.bool_)
    linked[pairs.first[sure]] = linked[pairs.second[sure]] = True
    share = np.where(linked[pairs.first] & linked[pairs.second], evidence.copied_share, 0.0)
    return _connected(pairs, sure & in_cluster(pairs, share, bar, count, "complete"), count)


def in_cluster(pairs: Pairs, similarity: Floats, bar: float, count: int, kind: str) -> Flags:
    """(P,) which pairs are in one of the agglomerative clusters that merge while their similarity, by this kind of
    linkage, is at least `bar`, given that (P,) of pairs; that of pairs that are not listed is 0.
    """
    component = _connected(pairs, similarity >= bar, count)
    together: Flags = component[pairs.first] == component[pairs.second]
    inside = np.flatnonzero(together)
    inside = inside[np.argsort(component[pairs.first[inside]], kind="stable")]
    for part in np.split(inside, np.flatnonzero(np.diff(component[pairs.first[inside]])) + 1):
        sources, place = np.unique((pairs.first[part], pairs.second[part]), return_inverse=True)
        if 2 < sources.size <= _MOST_IN_TREE:
            first, second = place.reshape(2, -1)
            distance = 1 - np.eye(sources.size)
            distance[first, second] = distance[second, first] = 1 - similarity[part]
            cluster = fcluster(linkage(squareform(distance, checks=False), kind), 1 - bar, "distance")
            together[part] = cluster[first] == cluster[second]
    return together


def _connected(pairs: Pairs, linked: Flags, count: int) -> Integers:
    """(N,) labels of the sources that the linked pairs connect, numbered from 0 by their first member."""
    graph = sparse.coo_array((linked[linked], (pairs.first[linked], pairs.second[linked])), shape=(count, count))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)


def compare(pairs: Pairs, reliability: Floats, wrong_agreement: float, by_labels: Floats) -> Evidence:
    """Evidence of every pair under reliabilities (N,).

    Independent sources agree where both are right, and where both are wrong with probability `wrong_agreement`; or,
    where labels are few, as often as their frequencies of labels make them, `by_labels` (P,). Those that are not
    independent agree with a probability of even density, and a copier copies more than `COPIED_SHARE`. One copier is
    expected for each source, so that a pair has prior odds of 1 to N. Evidence from outside the votes speaks against
    independence; how much is copied only the votes tell.
    """
    first, second = reliability[pairs.first], reliability[pairs.second]
    both_wrong = (1 - first) * (1 - second) * wrong_agreement
    explained = np.maximum(first * second + both_wrong, by_labels)
    share = ((pairs.agreement - explained) / (1 - explained)).clip(0.0, 1.0)
    odds = np.full(share.size, -np.inf)
    possible = np.flatnonzero(share > COPIED_SHARE)
    expected, agreed = explained[possible], pairs.agreed[possible]
    different = pairs.overlap[possible] - agreed
    threshold = expected + (1 - expected) * COPIED_SHARE
    below = betainc(agreed + 1, different + 1, threshold)
    independent = xlogy(agreed, expected) + xlogy(different, 1 - expected) - betaln(agreed + 1, different + 1)
    independent += np.log((1 - threshold) * reliability.size) - pairs.prior_log_odds[possible]
    odds[possible] = np.log1p(-below) - np.logaddexp(independent, np.log(np.maximum(below, 1e-300)))
    return Evidence(explained, both_wrong, share, odds)


def _copy_groups(votes: VoteMatrix, pairs: Pairs, best: Partition, direction: Floats) -> tuple[CopyGroup, ...]:
    """The groups of several members, each with the evidence of its strongest pair."""
    label, evidence = best.groups[pairs.first], best.evidence
    inside = np.flatnonzero(label == best.groups[pairs.second])
    inside = inside[np.lexsort((-evidence.log_odds[inside], label[inside]))]
    several, begin = np.unique(label[inside], return_index=True)
    given = incidence(votes.source, votes.vote_class, votes.source_count)
    shared = given[pairs.first[inside[begin]]].multiply(given[pairs.second[inside[begin]]]) @ (1 - best.right)
    copier, dated = np.where(direction > 0, pairs.second, pairs.first), np.abs(direction) > CERTAIN
    of_link = pairs.first, pairs.second, evidence.log_odds, pairs.agreement, evidence.copied_share, copier, dated
    groups = []
    for group, ordered, shared_wrong in zip(several, np.split(inside, begin)[1:], shared, strict=True):
        pair, certain = ordered[0], ordered[:MOST_LINKS][evidence.log_odds[ordered[:MOST_LINKS]] > CERTAIN]
        rows = zip(*(column[certain].tolist() for column in of_link), strict=True)
        links = tuple(
            CopyLink(first, second, odds, agreement, share, copier if dated else None)
            for first, second, odds, agreement, share, copier, dated in rows
        )
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
