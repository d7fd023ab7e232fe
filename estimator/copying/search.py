"""The search for copies: which sources republish each other, so that they count once.

A wrong answer that ten sites copy should count once (Dong, Berti-Equille & Srivastava 2009, section 4,
doi:10.14778/1687627.1687690). What is right and who copies are estimated from each other, in turn:
1. Given groups that count once, expectation maximisation says how probably each answer is right (`estimated_truth`).
2. Given that, a pair has an agreement that its reliabilities explain, and copies a share beyond it (`compare`). A link
   needs odds of 9 to 1 that this is more than half, even if both reliabilities are higher than estimated by a part of
   their votes for the second likeliest answers: where most err alike, those may be the right ones (`contested`).
3. Sources that links connect are a group, if each two of them copy more than a quarter (complete linkage), as two
   copiers of half of one original do. A chain a-b-c in which a and c copy nothing is not one group of two families.
Where this ends depends on where it starts: with all sources alone, or with those joined that agree on half on average.
The second end is taken where it certainly explains the votes better. What was measured: docs/results/copies.md.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.special import betainc, betaln, ndtri, xlogy

from estimator.arrays.sorting import starts
from estimator.arrays.types import Flags, Floats, Indices, Integers, read_only
from estimator.copying.pairs import (
    Pairs,
    PriorEvidence,
    count_pairs,
    disputed_sample,
    incidence,
    label_agreement,
    publication_order,
)
from estimator.group_votes import group_votes
from estimator.prior import CREDIBILITY
from estimator.result import START_RELIABILITY, CopyGroup, CopyLink
from estimator.votes import VoteMatrix
from estimator.weights import log_odds

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
_MOST_ROUNDS: Final = 10
_ROUNDS_OF_TRUTH: Final = 5
_MOST_IN_TREE: Final = 4_000
"""Sources in one dendrogram, to bound memory to 128 MB; more than that stay one cluster."""


def find_copies(
    votes: VoteMatrix, *, time: ArrayLike | None = None, prior_evidence: PriorEvidence | None = None
) -> tuple[Integers, tuple[CopyGroup, ...]]:
    """Find the sources that copy each other: they agree more than their reliabilities explain, and cover the same.

    Returns (N,) the label of each source's copy group, from 0, numbered by the first member, read-only, most being
    alone; and the groups of several, by their first member. `time` (V,) is when each vote was published, in the order
    of `votes.triples()`, NaN if unknown; it says who copied. `prior_evidence` is about pairs suspected for other
    reasons, such as near-duplicate passages. Raises EstimatorError for what does not fit the votes.

    Compares sources on queries to which different answers were given, of very many on a part of them.

    >>> random = np.random.default_rng(0)
    >>> answer = np.where(random.random((400, 6)) < 0.75, 0, random.integers(1, 10, (400, 6)))
    >>> answer[:, 5] = answer[:, 4]
    >>> query, source = np.divmod(np.arange(answer.size), 6)
    >>> votes = VoteMatrix.from_triples(query, source, answer.ravel(), query_count=400, source_count=6)
    >>> find_copies(votes)[0].tolist()
    [0, 1, 2, 3, 4, 4]
    """
    suspected = (prior_evidence or PriorEvidence([], [], [])).matrix(votes.source_count)
    sample, kept = disputed_sample(votes)
    times = None if time is None else votes.times(time)[kept[votes.vote_class]]
    pairs = count_pairs(sample, suspected)
    covered = (pairs.jaccard >= OVERLAP) | (pairs.prior_log_odds > 0)
    pairs = pairs.take(covered & (pairs.agreed > 0))
    if not pairs.first.size:
        return read_only(np.arange(votes.source_count)), ()
    groups, evidence, right = search(sample, pairs)
    return read_only(groups), _copy_groups(sample, pairs, groups, evidence, right, times)


class Evidence(NamedTuple):
    """The agreement of P pairs beyond that of independent sources; all arrays are (P,).

    `explained` is the agreement expected of independent sources, `both_wrong` the part of it for wrong answers,
    `copied_share` such that `agreement = copied + (1 - copied) * explained`, and `log_odds` are those that one of the
    pair copies more than the threshold.
    """

    explained: Floats
    both_wrong: Floats
    copied_share: Floats
    log_odds: Floats


def search(votes: VoteMatrix, pairs: Pairs) -> tuple[Integers, Evidence, Floats]:
    """Copy groups (N,), their evidence and the probability (C,) that each class is right, from both starts; of the
    second if its gain in log-likelihood is certain over queries (Vuong 1989, doi:10.2307/1912557).
    """
    by_labels, count = label_agreement(votes, pairs), votes.source_count

    def refined(groups: Integers) -> tuple[tuple[Integers, Evidence, Floats], Floats]:
        """Alternate between right answers and groups until the groups repeat."""
        seen: set[bytes] = set()
        while True:
            seen.add(groups.tobytes())
            counted = group_votes(votes, groups)
            right, wrong_agreement = estimated_truth(votes, *counted)
            rate = shares_right(votes.source, right[votes.vote_class], count)
            doubted = compare(pairs, rate + ALLOWANCE * contested(votes, right), wrong_agreement, by_labels)
            evidence = compare(pairs, rate, wrong_agreement, by_labels)._replace(log_odds=doubted.log_odds)
            end = (groups, evidence, right), log_likelihood(votes, groups, *counted, right)
            sure = evidence.log_odds > CERTAIN
            linked = np.bincount(np.concatenate((pairs.first[sure], pairs.second[sure])), minlength=count) > 0
            share = np.where(linked[pairs.first] & linked[pairs.second], evidence.copied_share, 0.0)
            groups = linked_groups(pairs, sure, share, COPIED_SHARE**2, count, "complete")
            if groups.tobytes() in seen or len(seen) == _MOST_ROUNDS:
                return end

    alone, of_alone = refined(np.arange(count))
    joined, of_joined = refined(linked_groups(pairs, pairs.agreed > 0, pairs.agreement, COPIED_SHARE, count, "average"))
    gain = of_joined - of_alone
    return joined if gain.sum() > ndtri(CREDIBILITY) * np.sqrt(gain.size) * gain.std() else alone


def estimated_truth(votes: VoteMatrix, vote_class: Integers, group: Integers) -> tuple[Floats, float]:
    """Probability (C,) that each class is right, given the votes (W,) of groups, and probability that two wrong ones on
    a query are the same: expectation maximisation that starts from the shares of the votes.

    A vote is right with the reliability A of its group, else one of n wrong answers, so it multiplies the odds of its
    class by `n A / (1 - A)` (Dong et al. 2009, section 4.2, doi:10.14778/1687627.1687690).
    """
    query, support = votes.class_query, np.bincount(vote_class, minlength=votes.class_count).astype(np.float64)
    right, wrong_agreement = support / np.bincount(query, support)[query], 0.1
    for _ in range(_ROUNDS_OF_TRUTH):
        wrong = support * (1 - right)
        same = float((wrong * (support - 1).clip(min=0.0)).sum())
        different = float((wrong * (np.bincount(query, wrong)[query] - wrong).clip(min=0.0)).sum())
        wrong_agreement = (same + 1) / (same + different + 10)  # a prior of one in ten, worth ten pairs
        weight = log_odds(shares_right(group, right[vote_class], int(group.max()) + 1)) - np.log(wrong_agreement)
        score = np.bincount(vote_class, weight[group], minlength=query.size)
        top = _largest(query, score)
        odds = np.exp(score - top)
        none_correct = np.maximum(1 / wrong_agreement + 1 - np.bincount(query)[query], 0.0) * np.exp(-top)
        right = odds / (np.bincount(query, odds)[query] + none_correct)
    return right, wrong_agreement


def contested(votes: VoteMatrix, right: Floats) -> Floats:
    """(N,) what the reliability of each source would gain if the second likeliest answers were right in place of the
    likeliest, by its votes for them, given the probability (C,) that each class is right.
    """
    others = np.where(right < _largest(votes.class_query, right), right, 0.0)
    gain = np.where((others > 0) & (others >= _largest(votes.class_query, others)), 1 - right, 0.0)
    count = np.bincount(votes.source, minlength=votes.source_count)
    return np.asarray(np.bincount(votes.source, gain[votes.vote_class], count.size) / (count + 2))


def _largest(query: Indices, values: ArrayLike) -> Floats:
    """(C,) the largest of the values (C,) of the classes of each one's query, 0 where all are below."""
    largest = np.zeros(int(query.max(initial=-1)) + 1)
    np.maximum.at(largest, query, values)
    return largest[query]


def shares_right(source: NDArray[np.integer[Any]], right: Floats, count: int) -> Floats:
    """(N,) shares of right votes, given the probabilities (V,) that votes are; the start counts as two votes more."""
    right_votes, votes = np.bincount(source, right, minlength=count), np.bincount(source, minlength=count)
    return np.asarray((right_votes + 2 * START_RELIABILITY) / (votes + 2))


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


def linked_groups(pairs: Pairs, linked: Flags, similarity: Floats, bar: float, count: int, kind: str) -> Integers:
    """(N,) labels, by first members, of what the linked pairs connect inside agglomerative clusters, which merge while
    their similarity, by this kind of linkage, is at least `bar`, given that (P,) of pairs; 0 of those not listed.
    """
    from scipy.cluster.hierarchy import fcluster, linkage  # noqa: PLC0415  (takes 0.1 s, and few processes estimate)
    from scipy.spatial.distance import squareform  # noqa: PLC0415

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
    return _connected(pairs, linked & together, count)


def _connected(pairs: Pairs, linked: Flags, count: int) -> Integers:
    graph = sparse.coo_array((linked[linked], (pairs.first[linked], pairs.second[linked])), shape=(count, count))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)


def _copy_groups(
    votes: VoteMatrix, pairs: Pairs, groups: Integers, evidence: Evidence, right: Floats, time: Floats | None
) -> tuple[CopyGroup, ...]:
    """The groups of several members, each with its strongest links: those that are certain, and the first."""
    label = groups[pairs.first]
    inside = np.flatnonzero(label == groups[pairs.second])
    inside = inside[np.lexsort((-evidence.log_odds[inside], label[inside]))]
    first = np.flatnonzero(starts(label[inside]))
    rank = np.arange(inside.size) - np.repeat(first, np.diff(first, append=inside.size))
    kept = inside[(rank == 0) | ((rank < MOST_LINKS) & (evidence.log_odds[inside] > CERTAIN))]
    pairs, evidence = pairs.take(kept), Evidence(*(column[kept] for column in evidence))
    given = incidence(votes.source, votes.vote_class, votes.source_count)
    shared_wrong = given[pairs.first].multiply(given[pairs.second]) @ (1 - right)
    direction = np.zeros(kept.size) if time is None else publication_order(votes, time, pairs)
    later = np.where(direction > 0, pairs.second, pairs.first).astype(object)
    later[np.abs(direction) <= CERTAIN] = None
    columns = [pairs.first, pairs.second, np.maximum(evidence.log_odds, 0.0), pairs.agreement, evidence.explained]
    columns += [pairs.jaccard, shared_wrong, pairs.overlap * evidence.both_wrong, evidence.copied_share, later]
    links: dict[int, list[CopyLink]] = {}
    for group, *row in zip(label[kept].tolist(), *(column.tolist() for column in columns), strict=True):
        links.setdefault(group, []).append(CopyLink(*row))
    return tuple(CopyGroup(tuple(np.flatnonzero(groups == at).tolist()), tuple(of)) for at, of in links.items())
