"""Joint dissent: sources that agree with each other exactly where they leave the others, whatever they do elsewhere.

A copy group shows in how often two sources agree; liars who lie on a few queries only do not. What gives them away is
that the same sources are on one side each time. On a query on which m members of a group vote, two explanations are
compared, in both of which answers are right as the votes of all others say (one coin a source, wrong answers by the
Chinese restaurant process, as in `wrong_answers`): the members answer by themselves, or, with probability c, they have
a common answer, which is right with probability u and which each gives with probability f. The common answer differs
from the likeliest one of the others, else nothing tells the two apart. Group, c, u and f are fitted by expectation
maximisation, from the supporters of every answer that is the second best supported one of its query, or the best; each
member costs the logarithm of the number of sources, as does the group. The members have to be fewer than the others:
of two halves no votes tell which one leaves the other.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import expit, gammaln, logit

from estimator.arrays.types import Flags, Floats, Indices, Integers
from estimator.votes import VoteMatrix
from estimator.weights import log_odds

MOST_VOTES: Final = 300_000
"""More votes are not searched: it would take longer than the estimate."""
LEAST_FOLLOWED: Final = 0.75
"""Share of the votes of members that give the common answer. Sources that err on the same hard queries, some alike,
give it in 0.3 to 0.73; benchmarks/notes/poisoning.md says which data chose this, and what half and double do."""
LEAST_LOG_ODDS: Final = 1.5
"""With less, honest sources that are right about one topic alone look like a group where topics are found badly; of 73
groups found in drawn worlds with liars three have less, of which two hold honest sources. benchmarks/notes/poisoning.md
says what half and double do."""
_SEED_QUERIES: Final = 20
_ROUNDS: Final = 8
_GROWTHS: Final = 6
_MOST_GROUPS: Final = 5
_LEAST, _MOST = 0.02, 0.98


@dataclass(frozen=True, slots=True, eq=False)
class FoundDissent:
    members: Integers
    """Numbers of the sources, rising."""
    queries: Integers
    """The queries on which they more probably gave a common answer than answered by themselves, rising."""
    answers: Integers
    """Id of the answer that they gave on each of these queries."""
    log_odds: float
    """Log odds that they do not answer by themselves."""
    right: float | None = None
    """Share of these answers that is right by what others say, where that is known before the votes of the group."""


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    in_common: Floats
    """(M,) probability of it."""
    common_answer: Integers
    """(M,) class that most members vote for, -1 for none."""
    right: Floats
    """(C,) probability of each class if they did."""
    outside: Floats
    """(C,) votes of others."""
    followed: float
    log_likelihood: float


def find_dissent(
    votes: VoteMatrix, reliability: Floats, plausible: float, query_topic: Integers | Indices | None = None
) -> list[FoundDissent]:
    """The groups of N sources that dissent together, the likeliest first, given their reliabilities (N,), or (N, G) on
    each topic with the topics (M,) of the queries, and the number of plausible wrong answers.
    """
    by_topic = reliability[:, None] if reliability.ndim == 1 else reliability
    topic = np.zeros(votes.query_count, dtype=np.int64)
    if query_topic is not None:
        topic = query_topic.astype(np.int64)
    found: list[FoundDissent] = []
    while votes.vote_count <= MOST_VOTES and len(found) < _MOST_GROUPS:
        group = _Votes(votes, by_topic, topic, plausible).likeliest_group()
        if group is None:
            break
        found.append(group)
        votes = _without(votes, group)
    return found


def dissenting_votes(votes: VoteMatrix, members: Integers, group: FoundDissent) -> Flags:
    """(V,) the votes of these sources for the answers of the group."""
    answer = np.full(votes.query_count, -1)
    answer[group.queries] = group.answers
    given = votes.class_answer == answer[votes.class_query]
    flags: Flags = np.isin(votes.source, members) & given[votes.vote_class]
    return flags


def _without(votes: VoteMatrix, group: FoundDissent) -> VoteMatrix:
    kept = ~dissenting_votes(votes, group.members, group)
    query, source, answer = (column[kept] for column in votes.triples())
    return VoteMatrix.from_triples(
        query, source, answer, query_count=votes.query_count, source_count=votes.source_count
    )


class _Votes:
    """Votes laid out for the search."""

    def __init__(self, votes: VoteMatrix, by_topic: Floats, topic: Integers, plausible: float) -> None:
        self.votes, self.source, self.vote_class = votes, votes.source, votes.vote_class
        self.query, self.count = votes.class_query.astype(np.int64), votes.query_count
        of_votes = by_topic[self.source, topic[self.query[self.vote_class]]]
        self.reliability = np.clip(np.nan_to_num(of_votes, nan=0.5), _LEAST, _MOST)
        self.spread = max(plausible - 1.0, 0.5)
        classes = np.bincount(self.query, minlength=self.count)
        self.unseen = np.log(np.maximum(plausible + 1 - classes, 0.1))

    def likeliest_group(self) -> FoundDissent | None:
        """The group with the largest log odds, None where none has `LEAST_LOG_ODDS`."""
        cost = np.log(max(self.votes.source_count, 2))
        best: tuple[float, Flags, _Fit] | None = None
        tried: set[bytes] = set()
        for seed in self._seeds():
            members = np.zeros(self.votes.source_count, dtype=np.bool_)
            members[self.source[self.votes.class_start[seed] : self.votes.class_start[seed + 1]]] = True
            fit = self._fit(members)
            for _ in range(_GROWTHS):
                grown = self._membership(members, fit) > cost
                if not 2 <= np.count_nonzero(grown) < self.votes.source_count / 2 or grown.tobytes() in tried:
                    break
                members, fit = grown, self._fit(grown)
                tried.add(grown.tobytes())
                odds = fit.log_likelihood - cost * (1 + np.count_nonzero(members))
                if fit.followed >= LEAST_FOLLOWED and (best is None or odds > best[0]):
                    best = odds, members, fit
        if best is None or best[0] < LEAST_LOG_ODDS:
            return None
        log_odds_of_group, members, fit = best
        queries = np.flatnonzero(fit.in_common > 0.5)
        if not queries.size:
            return None
        answers = self.votes.class_answer[fit.common_answer[queries]]
        return FoundDissent(np.flatnonzero(members), queries, answers, float(log_odds_of_group))

    def _seeds(self) -> list[int]:
        """The best and the second best supported class of the queries whose second best has most support."""
        if not self.query.size:
            return []
        weight = np.maximum(log_odds(self.reliability) + np.log(self.spread + 1), 0.0)
        support = np.bincount(self.vote_class, weight, self.query.size)
        support[np.diff(self.votes.class_start) < 2] = 0.0
        order = np.lexsort((-support, self.query))
        first = self._starts(order)
        place = np.flatnonzero(np.concatenate(([False], first[:-1])) & ~first)
        place = place[support[order[place]] > 0]
        place = place[np.argsort(-support[order[place]], kind="stable")][:_SEED_QUERIES]
        return np.stack((order[place], order[place - 1]), axis=1).ravel().tolist()

    def _starts(self, order: Integers) -> Flags:
        """Whether each class in this order, which sorts them by query, is the first of its query."""
        query = self.query[order]
        return np.concatenate(([True], query[1:] != query[:-1]))

    def _best(self, score: Floats) -> Integers:
        """(M,) the class of the highest score (C,), -1 without classes."""
        order, best = np.lexsort((-score, self.query)), np.full(self.count, -1)
        first = order[self._starts(order)]
        best[self.query[first]] = first
        return best

    def _sum(self, score: Floats, none_correct: Floats) -> tuple[Floats, Floats]:
        """Log sums (M,) of scores (C,) and (M,), and the share of each class in them."""
        top = none_correct.copy()
        np.maximum.at(top, self.query, score)
        odds = np.exp(score - top[self.query])
        total = np.bincount(self.query, odds, self.count) + np.exp(none_correct - top)
        return top + np.log(total), odds / total[self.query]

    def _coins(self, cast: Flags) -> tuple[Floats, Floats]:
        """Log probabilities that these votes are right and wrong as they are if each class is right, and if none is."""
        reliability, classes = self.reliability[cast], self.vote_class[cast]
        none = np.asarray(np.bincount(self.query[classes], np.log1p(-reliability), self.count), dtype=np.float64)
        of_class = np.asarray(np.bincount(classes, log_odds(reliability), self.query.size), dtype=np.float64)
        return of_class + none[self.query], none

    def _partition(self, number: Floats) -> tuple[Floats, Floats]:
        """Log probabilities that wrong votes fall into classes as these numbers (C,) say, if each is right, or none."""
        of_class = np.where(number > 0, np.log(self.spread) + gammaln(np.maximum(number, 1)), 0.0)
        whole, votes = (np.asarray(np.bincount(self.query, values, self.count)) for values in (of_class, number))
        none = whole + gammaln(self.spread) - gammaln(self.spread + votes)
        others = votes[self.query] - number
        return whole[self.query] - of_class + gammaln(self.spread) - gammaln(self.spread + others), none

    def _fit(self, members: Flags) -> _Fit:
        inside = members[self.source]
        number, outside = (
            np.bincount(self.vote_class[cast], minlength=self.query.size).astype(np.float64)
            for cast in (inside, ~inside)
        )
        of_members, of_others = (np.bincount(self.query, values, self.count) for values in (number, outside))
        (coin, no_coin), (alone, no_alone) = self._coins(~inside), self._coins(inside)
        (split, no_split), (whole, no_whole) = self._partition(outside), self._partition(number + outside)
        others, no_others = coin + split, no_coin + no_split + self.unseen
        apart, _ = self._sum(coin + alone + whole, no_coin + no_alone + no_whole + self.unseen)
        common_answer, several = self._best(number), of_members > 1
        at = np.maximum(common_answer, 0)
        able = several & (number[at] > 1) & (of_others > 0) & (self._best(others) != common_answer)
        spoken = np.zeros(self.query.size, dtype=np.bool_)
        spoken[common_answer[able]] = True
        drawn = np.log(np.where(outside[at] > 0, outside[at], self.spread))
        wrong = drawn[self.query] - np.log(self.spread + of_others[self.query] - outside)
        no_wrong, left = drawn - np.log(self.spread + of_others), of_members - number[at]
        chance, followed, honest = 0.05, 0.95, float(self.reliability[inside].mean())
        gain = in_common = np.zeros(self.count)
        right = np.zeros(self.query.size)
        for _ in range(_ROUNDS):
            of_common = np.where(spoken, np.log(honest), np.log1p(-honest) + wrong)
            together, right = self._sum(others + of_common, no_others + np.log1p(-honest) + no_wrong)
            together += number[at] * np.log(followed) + left * (np.log1p(-followed) - np.log(self.spread + 1))
            gain = np.where(able, together - apart, -np.inf)
            in_common = np.where(able, expit(logit(chance) + gain), 0.0)
            total = in_common.sum()
            chance = float(np.clip((total + 0.5) / (several.sum() + 10), 1e-3, 0.9))
            followed = min(float((in_common @ number[at] + 4.75) / (in_common @ of_members + 5)), 0.995)
            honest = float(np.clip((in_common[able] @ right[at][able] + 1) / (total + 2), _LEAST, _MOST))
        explained = np.logaddexp(np.log1p(-chance), np.log(chance) + gain)[several].sum()
        return _Fit(in_common, common_answer, right, outside, followed, float(explained))

    def _membership(self, members: Flags, fit: _Fit) -> Floats:
        """(N,) by how much each source is better explained as one that gives the common answer."""
        query = self.query[self.vote_class]
        cast = np.flatnonzero(fit.in_common[query] > 1e-3)
        source, classes, query = self.source[cast], self.vote_class[cast], query[cast]
        own = ~members[source]
        others = np.bincount(self.query, fit.outside, self.count)[query] - own
        same, right = fit.outside[classes] - own, fit.right[classes]
        repeated = np.minimum(np.where(same > 0, same, self.spread) / (self.spread + np.maximum(others, 0.0)), 1.0)
        reliability = self.reliability[cast]
        alone = reliability * right + (1 - reliability) * (1 - right) * repeated
        following = np.where(classes == fit.common_answer[query], fit.followed, (1 - fit.followed) / (self.spread + 1))
        gain = fit.in_common[query] * (np.log(following) - np.log(np.maximum(alone, 1e-12)))
        return np.asarray(np.bincount(source, gain, members.size))
