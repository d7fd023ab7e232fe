"""Copy detection: groups of sources that republish each other, with the evidence for people."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from estimator.arrays.types import Floats, Integers, read_only
from estimator.copying.evidence import Evidence
from estimator.copying.pairs import Pairs, count_pairs, disputed_sample, incidence
from estimator.copying.prior_evidence import PriorEvidence, PublicationOrder, checked_prior_evidence, vote_times
from estimator.copying.search import CERTAIN, CopyRules, Partition, Search
from estimator.result import CopyGroup, CopyLink
from estimator.votes import VoteMatrix

MOST_LINKS: Final = 200
"""Links of a group that are kept for people to look at."""
_MOST_DATED: Final = 2_000
"""Pairs whose order of publication is compared, to bound the time."""


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
    """The groups of several members, each with the evidence of its strongest pair."""
    groups, pairs, evidence = best.groups, search.pairs, best.evidence
    inside = np.flatnonzero(groups[pairs.first] == groups[pairs.second])
    inside = inside[np.lexsort((-evidence.log_odds[inside], groups[pairs.first[inside]]))]
    several, begin = np.unique(groups[pairs.first[inside]], return_index=True)
    by_group = np.argsort(groups, kind="stable")
    members = np.split(by_group, np.cumsum(np.bincount(groups))[:-1])
    links = np.split(inside, begin[1:])
    strongest = inside[begin]
    shared_wrong, most_wrong = _wrong_answers(search.votes, best.truth.right, pairs.take(strongest))
    wrong = (1 - best.reliability[pairs.first[strongest]]) * (1 - best.reliability[pairs.second[strongest]])
    expected = np.minimum(pairs.overlap[strongest] * wrong * best.truth.wrong_agreement, most_wrong)
    return tuple(
        CopyGroup(
            members=tuple(members[group].tolist()),
            original=None if order is None else _original(pairs, links[index], order),
            log_odds=max(float(evidence.log_odds[pair]), 0.0),
            agreement=float(pairs.agreement[pair]),
            explained=float(evidence.explained[pair]),
            overlap=float(pairs.jaccard[pair]),
            shared_wrong=float(shared_wrong[index]),
            expected=float(expected[index]),
            copied_share=float(evidence.copied_share[pair]),
            links=_links(pairs, evidence, links[index], order),
        )
        for index, (group, pair) in enumerate(zip(several.tolist(), strongest.tolist(), strict=True))
    )


def _wrong_answers(votes: VoteMatrix, right: Floats, pairs: Pairs) -> tuple[Floats, Floats]:
    """(P,) expected wrong answers that both of each pair give, and that the one with more of them gives in all."""
    given = incidence(votes.source, votes.vote_class, votes.source_count)
    of_source = given @ (1 - right)
    shared = np.asarray(given[pairs.first].multiply(given[pairs.second]) @ (1 - right)).ravel()
    return shared, np.maximum(of_source[pairs.first], of_source[pairs.second])


def _links(pairs: Pairs, evidence: Evidence, ordered: Integers, order: PublicationOrder | None) -> tuple[CopyLink, ...]:
    """The certain links among pairs that are ordered by their evidence, the strongest first."""
    certain = ordered[:MOST_LINKS]
    return tuple(
        CopyLink(
            first=int(pairs.first[pair]),
            second=int(pairs.second[pair]),
            log_odds=float(evidence.log_odds[pair]),
            agreement=float(pairs.agreement[pair]),
            copied_share=float(evidence.copied_share[pair]),
            copier=None if order is None else _copier(int(pairs.first[pair]), int(pairs.second[pair]), order),
        )
        for pair in certain[evidence.log_odds[certain] > CERTAIN].tolist()
    )


def _copier(first: int, second: int, order: PublicationOrder) -> int | None:
    """The one of two that copied the other, where the order of publication is certain."""
    log_odds = order.log_odds(first, second)
    if abs(log_odds) > CERTAIN:
        return second if log_odds > 0 else first
    return None


def _original(pairs: Pairs, links: Integers, order: PublicationOrder) -> int | None:
    """The one member that every other one with a dated link to it copied, if there is one such."""
    least: dict[int, float] = {}
    for pair in links[:_MOST_DATED]:
        first, second = int(pairs.first[pair]), int(pairs.second[pair])
        log_odds = order.log_odds(first, second)
        if not np.isnan(log_odds):
            for member, value in ((first, log_odds), (second, -log_odds)):
                least[member] = min(least.get(member, np.inf), value)
    certain = [member for member, value in least.items() if value > CERTAIN]
    return certain[0] if len(certain) == 1 else None
