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

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import squareform
from scipy.special import betainc, betaln, ndtri, xlogy

from estimator.arrays.types import Flags, Floats, Integers
from estimator.copying.groups import group_votes
from estimator.copying.pairs import Pairs, label_agreement
from estimator.prior import CREDIBILITY
from estimator.result import START_RELIABILITY
from estimator.votes import VoteMatrix
from estimator.weights import log_odds

CERTAIN: Final = float(np.log(CREDIBILITY / (1 - CREDIBILITY)))
"""Log odds that a link needs, and the direction of copying: 9 to 1, as for all intervals."""
_MOST_ROUNDS: Final = 10
_TRUTH_ROUNDS: Final = 5
_MOST_IN_TREE: Final = 4_000
"""Sources in one dendrogram, to bound memory to 128 MB; more than that stay one cluster."""


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


def search(votes: VoteMatrix, pairs: Pairs, copied_share: float, allowance: float) -> Partition:
    """The copy groups found from both starts; of the second if its gain in log-likelihood is certain over queries
    (Vuong 1989, doi:10.2307/1912557). Reliabilities may be too low by the part `allowance` of `contested` votes.
    """
    by_labels, count = label_agreement(votes, pairs), votes.source_count

    def refined(groups: Integers) -> Partition:
        """What is right from groups, and groups from what is right, until groups repeat."""
        seen: set[bytes] = set()
        while True:
            seen.add(groups.tobytes())
            voices = group_votes(votes, groups)
            right, wrong_agreement = estimated_truth(votes, *voices)
            rate = _reliability(votes.source, right[votes.vote_class], count)
            evidence = compare(pairs, rate, wrong_agreement, by_labels, copied_share)
            raised = rate + allowance * contested(votes, right)
            doubted = compare(pairs, raised, wrong_agreement, by_labels, copied_share)
            evidence = evidence._replace(log_odds=doubted.log_odds)
            partition = Partition(groups, right, evidence, log_likelihood(votes, groups, *voices, right))
            groups = _linked_groups(pairs, evidence, copied_share**2, count)
            if groups.tobytes() in seen or len(seen) == _MOST_ROUNDS:
                return partition

    alone = refined(np.arange(count))
    alike = in_cluster(pairs, pairs.agreement, copied_share, count, "average")
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
    together = component[pairs.first] == component[pairs.second]
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


def estimated_truth(votes: VoteMatrix, vote_class: Integers, group: Integers) -> tuple[Floats, float]:
    """Probability (C,) that each class is right, given the votes (W,) of groups, and probability that two wrong ones on
    a query are the same: expectation maximisation that starts from the shares of the votes.

    A vote is right with the reliability A of its group, else one of n wrong answers, so it multiplies the odds of its
    class by `n A / (1 - A)` (Dong et al. 2009, section 4.2, doi:10.14778/1687627.1687690).
    """
    query, classes = votes.class_query, np.bincount(votes.class_query)
    support = np.bincount(vote_class, minlength=query.size).astype(np.float64)
    right, wrong_agreement = support / np.bincount(query, support)[query], 0.1
    for _ in range(_TRUTH_ROUNDS):
        wrong = support * (1 - right)
        same = float((wrong * (support - 1).clip(min=0.0)).sum())
        different = float((wrong * (np.bincount(query, wrong)[query] - wrong).clip(min=0.0)).sum())
        wrong_agreement = (same + 1) / (same + different + 10)  # a prior of one in ten, worth ten pairs
        weight = log_odds(_reliability(group, right[vote_class], int(group.max()) + 1)) - np.log(wrong_agreement)
        score = np.bincount(vote_class, weight[group], minlength=query.size)
        top = np.zeros(classes.size)
        np.maximum.at(top, query, score)
        odds = np.exp(score - top[query])
        nobody = np.maximum(1 / wrong_agreement + 1 - classes, 0.0) * np.exp(-top)
        right = odds / (np.bincount(query, odds) + nobody)[query]
    return right, wrong_agreement


def contested(votes: VoteMatrix, right: Floats) -> Floats:
    """(N,) what the reliability of each source would gain if the second likeliest answers were right in place of the
    likeliest, by its votes for them, given the probability (C,) that each class is right.
    """
    query, most, second = votes.class_query, np.zeros(votes.query_count), np.zeros(votes.query_count)
    np.maximum.at(most, query, right)
    others = np.where(right < most[query], right, 0.0)
    np.maximum.at(second, query, others)
    gain = np.where((others > 0) & (others >= second[query]), 1 - right, 0.0)[votes.vote_class]
    count = np.bincount(votes.source, minlength=votes.source_count)
    return np.asarray(np.bincount(votes.source, gain, count.size) / (count + 2))


def _reliability(source: NDArray[np.integer[Any]], right: Floats, count: int) -> Floats:
    """(N,) shares of right votes, given the probabilities (V,) that votes are; the start counts as two votes more."""
    right_votes, votes = np.bincount(source, right, minlength=count), np.bincount(source, minlength=count)
    return np.asarray((right_votes + 2 * START_RELIABILITY) / (votes + 2))


def compare(pairs: Pairs, reliability: Floats, wrong_agreement: float, by_labels: Floats, least: float) -> Evidence:
    """Evidence of every pair under reliabilities (N,).

    Independent sources agree where both are right, and where both are wrong with probability `wrong_agreement`; or,
    where labels are few, as often as their frequencies of labels make them, `by_labels` (P,). Those that are not
    independent agree with a probability of even density, and a copier copies a share above `least`. One copier is
    expected for each source, so that a pair has prior odds of 1 to N. Evidence from outside the votes speaks against
    independence; how much is copied only the votes tell.
    """
    first, second = reliability[pairs.first], reliability[pairs.second]
    both_wrong = (1 - first) * (1 - second) * wrong_agreement
    explained = np.maximum(first * second + both_wrong, by_labels)
    share = ((pairs.agreement - explained) / (1 - explained)).clip(0.0, 1.0)
    odds = np.full(share.size, -np.inf)
    possible = np.flatnonzero(share > least)
    expected, agreed = explained[possible], pairs.agreed[possible]
    different = pairs.overlap[possible] - agreed
    threshold = expected + (1 - expected) * least
    below = betainc(agreed + 1, different + 1, threshold)
    independent = xlogy(agreed, expected) + xlogy(different, 1 - expected) - betaln(agreed + 1, different + 1)
    independent += np.log((1 - threshold) * reliability.size) - pairs.prior_log_odds[possible]
    odds[possible] = np.log1p(-below) - np.logaddexp(independent, np.log(np.maximum(below, 1e-300)))
    return Evidence(explained, both_wrong, share, odds)


def log_likelihood(votes: VoteMatrix, groups: Integers, vote_class: Integers, group: Integers, right: Floats) -> Floats:
    """Lower bound (M,) of the log-likelihood of the votes on every query, given the votes of groups (W,) and the
    probability (C,) that each class is right.

    A group is right with a probability of its own. A member of a group of several repeats its group with a second
    probability, and where it does not is right with a third; all are fitted. A wrong vote is any other answer alike.
    Pairs cannot tell who copies where most sources err alike; this can: honest sources that leave a group scatter.
    """
    several, count = np.bincount(groups) > 1, groups.size
    member = several[groups][votes.source]
    source, answer = votes.source[member], votes.vote_class[member]
    own = ~np.isin(answer * count + groups[source], (vote_class * count + group)[several[group]])
    rate = np.concatenate((group, count + source, 2 * count + source[own]))
    success = np.concatenate((right[vote_class], ~own, right[answer[own]]))
    fitted = ((np.bincount(rate, success) + 1) / (np.bincount(rate) + 2))[rate]
    log_wrong = np.log1p(-fitted)
    log_wrong[rate // count != 1] -= np.log(max(int(np.bincount(votes.class_query).max()) - 1, 2))
    query = votes.class_query[np.concatenate((vote_class, answer, answer[own]))]
    of_votes = np.bincount(query, success * np.log(fitted) + (1 - success) * log_wrong, votes.query_count)
    return np.asarray(of_votes - np.bincount(votes.class_query, xlogy(right, right), votes.query_count))
