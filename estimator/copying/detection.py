"""Copy detection: groups of sources that republish each other, with the evidence for people."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from estimator.arrays.types import Floats, Integers, read_only
from estimator.copying.pairs import Pairs, count_pairs, disputed_sample, incidence
from estimator.copying.prior_evidence import PriorEvidence, checked_prior_evidence
from estimator.copying.publication import PublicationOrder, vote_times
from estimator.copying.search import CopyRules, Partition, Search
from estimator.result import CopyGroup
from estimator.votes import VoteMatrix

_CERTAIN: Final = 3.0
"""Log odds (20 to 1) from which a source is named as the one that the others copied."""
_MOST_DATED: Final = 2_000
"""Pairs whose order of publication is compared."""


@dataclass(frozen=True, slots=True, eq=False)
class CopyDetection:
    """Which of N sources copy each other; see `find_copies` for an example.

    >>> from estimator import VoteMatrix
    >>> votes = VoteMatrix.from_triples([0, 0], [0, 1], [4, 9], query_count=1, source_count=2)
    >>> find_copies(votes).groups.tolist()
    [0, 1]
    """

    groups: Integers
    """(N,) label of the source's copy group, from 0, numbered by the first member; read-only. Most are alone."""
    group_count: int
    """G."""
    copies: tuple[CopyGroup, ...]
    """The groups of several members, by their first member."""
    pairs_compared: int
    rounds: int


def find_copies(
    votes: VoteMatrix,
    *,
    time: ArrayLike | None = None,
    prior_evidence: PriorEvidence | None = None,
    rules: CopyRules | None = None,
) -> CopyDetection:
    """Find the sources that copy each other: they agree more than their reliabilities explain, and cover the same.

    `time` (V,) is when each vote was published, in the order of `votes.triples()`, NaN if unknown; it is evidence of
    copying and gives it a direction. `prior_evidence` is about pairs suspected for other reasons, such as
    near-duplicate passages. Raises EstimatorError where they do not fit the votes.

    Compares sources on queries to which different answers were given, of very many on a part of them.

    >>> from estimator.synthetic import CopyScenario, draw_copies
    >>> scenario = CopyScenario((0.75,) * 5 + (0.35,) * 3, (1.0,) * 8, copies=(-1,) * 6 + (5, 5))
    >>> find_copies(draw_copies(scenario, np.random.default_rng(0)).votes).groups.tolist()
    [0, 1, 2, 3, 4, 5, 5, 5]
    """
    times = None if time is None else vote_times(votes, time)
    suspected = checked_prior_evidence(prior_evidence, votes.source_count)
    sample, kept = disputed_sample(votes)
    if not sample.vote_count:
        return _no_copies(votes)
    search = Search.of(sample, count_pairs(sample, *suspected), rules or CopyRules())
    order = None if times is None else PublicationOrder(sample, times[kept[votes.vote_class]])
    if order is not None:
        search = replace(search, pairs=_dated(search.pairs, order))
    if not search.pairs.first.size:
        return _no_copies(votes)
    best = search.run()
    return CopyDetection(
        groups=read_only(best.groups),
        group_count=int(best.groups.max()) + 1,
        copies=_copy_groups(search, best, order),
        pairs_compared=search.pairs.first.size,
        rounds=best.rounds,
    )


def _no_copies(votes: VoteMatrix) -> CopyDetection:
    return CopyDetection(read_only(np.arange(votes.source_count)), votes.source_count, (), 0, 0)


def _dated(pairs: Pairs, order: PublicationOrder) -> Pairs:
    """The pairs, with the order of publication of those that agree most as evidence."""
    most = np.argsort(-pairs.agreement, kind="stable")[:_MOST_DATED]
    log_odds = pairs.prior_log_odds.copy()
    log_odds[most] += [order.copying_log_odds(int(pairs.first[pair]), int(pairs.second[pair])) for pair in most]
    return replace(pairs, prior_log_odds=log_odds)


def _copy_groups(search: Search, best: Partition, order: PublicationOrder | None) -> tuple[CopyGroup, ...]:
    groups, pairs = best.groups, search.pairs
    by_group = np.argsort(groups, kind="stable")
    start = np.concatenate(([0], np.cumsum(np.bincount(groups))))
    inside = np.flatnonzero(groups[pairs.first] == groups[pairs.second])
    inside = inside[np.argsort(-best.evidence.log_odds[inside], kind="stable")]
    links: dict[int, list[int]] = {}
    for pair in inside.tolist():
        links.setdefault(int(groups[pairs.first[pair]]), []).append(pair)
    several = np.flatnonzero(np.diff(start) > 1).tolist()
    strongest = np.array([links[group][0] for group in several], dtype=np.int64)
    wrong = _wrong_answers(search.votes, best.truth.right, pairs.take(strongest))
    return tuple(
        _group(search, best, by_group[start[group] : start[group + 1]], links[group], of_link, order)
        for group, of_link in zip(several, wrong, strict=True)
    )


def _group(
    search: Search,
    best: Partition,
    members: Integers,
    links: list[int],
    wrong_answers: tuple[float, float],
    order: PublicationOrder | None,
) -> CopyGroup:
    """A group of these members, with the evidence of its strongest link."""
    pairs, strongest = search.pairs, links[0]
    wrong = 1 - best.reliability[[pairs.first[strongest], pairs.second[strongest]]]
    return CopyGroup(
        members=tuple(members.tolist()),
        original=None if order is None else _original(pairs, members, links[:_MOST_DATED], order),
        log_odds=max(float(best.evidence.log_odds[strongest]), 0.0),
        agreement=float(pairs.agreement[strongest]),
        explained=float(best.evidence.explained[strongest]),
        overlap=float(pairs.jaccard[strongest]),
        shared_wrong=wrong_answers[0],
        expected=min(float(pairs.overlap[strongest] * wrong.prod() * best.truth.wrong_agreement), wrong_answers[1]),
        copied_share=float(best.evidence.copied_share[strongest]),
    )


def _wrong_answers(votes: VoteMatrix, right: Floats, pairs: Pairs) -> list[tuple[float, float]]:
    """Expected wrong answers that both of each pair give, and that the one with more of them gives on all queries."""
    given = incidence(votes.source, votes.vote_class, votes.source_count)
    of_source = given @ (1 - right)
    shared = given[pairs.first].multiply(given[pairs.second]) @ (1 - right)
    either = np.maximum(of_source[pairs.first], of_source[pairs.second])
    return list(zip(np.asarray(shared).ravel().tolist(), either.tolist(), strict=True))


def _original(pairs: Pairs, members: Integers, links: list[int], order: PublicationOrder) -> int | None:
    """The one member that every other one with a dated link to it copied, if there is one such."""
    least = dict.fromkeys(members.tolist(), np.inf)
    for pair in links:
        first, second = int(pairs.first[pair]), int(pairs.second[pair])
        log_odds = order.log_odds(first, second)
        if not np.isnan(log_odds):
            least[first], least[second] = min(least[first], log_odds), min(least[second], -log_odds)
    certain = [member for member, value in least.items() if _CERTAIN < value < np.inf]
    return certain[0] if len(certain) == 1 else None
