"""The certificate of a vote: how many sources must be corrupted to overturn its winner.

Counting again is what makes this hard: when votes change, so do the shares of copy groups, and new sources that agreed
no longer do. The gap between the winner and one challenger is still a sum over copy groups, once two things are fixed:
whether votes that rest on older documents support the winner, and whether they support the challenger. So each group
is looked at by itself, for every number of its members that are corrupted, and a knapsack over the groups finds the
fewest members that close the gap.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntFlag
from heapq import nsmallest
from itertools import combinations, product
from typing import Generic, Literal, NamedTuple, TypeAlias

from answering.voting.electorate import Electorate
from answering.voting.vote import slack
from answering.voting.voter import CastVote, Source

# Members of a copy group for which every way to corrupt them is tried, in 4^n steps; a bound stands for larger ones.
MOST_MEMBERS = 5
# Votes, some of them on newer documents, for which the ways in which they depend on each other are looked through.
MOST_DEPENDENT_VOTES = 64


@dataclass(frozen=True, slots=True)
class Certificate(Generic[Source]):
    """The smallest set of sources whose corruption makes another answer win or tie, or leaves none that is reliable.

    A corrupted source says something else, at the time of its vote and so plainly that nobody misreads it; it may also
    give an answer that nobody gave. Corrupting fewer than `size` sources, whichever and however, and counting again
    leaves the answer the only winner.

    >>> from answering.voting.voter import Voter
    >>> voters = [Voter("a", 0.9), Voter("b", 0.9)]
    >>> electorate = Electorate(voters, prior=0.6, prior_lower=0.5, labels=10, weigh=lambda w, _: w)
    >>> certify(electorate, [CastVote("a", "text:oslo", "Oslo"), CastVote("b", "text:oslo", "Oslo")]).size
    1
    """

    sources: tuple[Source, ...]
    """The sources to corrupt, the most effective first. Empty where `size` is only a bound."""
    size: int | None
    """0 where the vote is tied as it stands; None where no corruption changes anything: nobody won."""
    challenger: str | None
    """The key of the answer that would win; None for one that nobody gave."""
    is_bound: bool = False
    """Whether more sources than `size` may be needed: a large copy group was not looked through."""


class _Support(IntFlag):
    """The votes that support an answer besides those of the groups themselves."""

    SETTLED_WINNER = 1
    """One that rests on older documents supports the winner."""
    SETTLED_CHALLENGER = 2
    NEW_WINNER = 4
    """A new source supports the winner."""
    NEW_CHALLENGER = 8


_BOTH_SETTLED = _Support.SETTLED_WINNER | _Support.SETTLED_CHALLENGER
_Place: TypeAlias = Literal["winner", "challenger", "other"]
_PLACES: Sequence[_Place] = ("winner", "challenger", "other")
_SUPPORTS: Mapping[_Place, tuple[int, int]] = {
    "winner": (_Support.SETTLED_WINNER.value, _Support.NEW_WINNER.value),
    "challenger": (_Support.SETTLED_CHALLENGER.value, _Support.NEW_CHALLENGER.value),
}


class _Way(NamedTuple, Generic[Source]):
    """A way to corrupt some sources: what it leaves of the gap, whom it needs, and whether it is only a bound."""

    gap: float
    corrupted: tuple[Source, ...]
    is_bound: bool


# By the number of corrupted sources and what supports the answers besides (`_Support`).
_Ways: TypeAlias = dict[tuple[int, int], _Way[Source]]


def certify(electorate: Electorate[Source], votes: Sequence[CastVote[Source]]) -> Certificate[Source]:
    """The certificate of the winner of `electorate.count(votes)`.

    >>> from answering.voting.voter import Voter
    >>> voters = [Voter(name, 0.8) for name in "abc"]
    >>> electorate = Electorate(voters, prior=0.6, prior_lower=0.5, labels=10, weigh=lambda w, _: w)
    >>> certify(electorate, [CastVote(name, "text:oslo", "Oslo") for name in "abc"]).sources
    ('a', 'b')
    """
    count = electorate.count(votes)
    winner = count.vote.winner
    if winner is None:
        return Certificate((), 0 if count.vote.tied else None, count.vote.tally[0].key if count.vote.tied else None)
    electors = _Electors(electorate, votes)
    if electors.newer and len(votes) > MOST_DEPENDENT_VOTES:
        return Certificate((), 1, None, is_bound=True)
    tolerance = slack(count.ballots)
    challengers = (*(line.key for line in count.vote.tally[1:]), None)
    most = 1
    while True:
        found = [
            certificate
            for challenger in challengers
            for settled in electors.ways_to_be_settled
            for certificate in _Gap(electors, winner, challenger, settled, most).closed(tolerance)
        ]
        if found:
            # Of challengers that need as few the one with the most weight, which is the first.
            return min(found, key=lambda certificate: (certificate.size or 0, certificate.is_bound))
        most *= 2


class _Electors(Generic[Source]):
    """The votes by copy group, and what each weighs as it is and corrupted."""

    def __init__(self, electorate: Electorate[Source], votes: Sequence[CastVote[Source]]) -> None:
        as_known = [replace(vote, is_newer=False) for vote in votes]
        cast = electorate.casting(as_known)
        corrupted = electorate.casting([replace(vote, reading_confidence=1.0) for vote in as_known])
        self.new_weight = electorate.new_weight
        self.weight = {vote.source_id: cast.weight(vote.source_id) for vote in votes}
        self.corrupted_weight = {vote.source_id: corrupted.weight(vote.source_id) for vote in votes}
        self.new = {vote.source_id for vote in votes if cast.is_new(vote.source_id)}
        old = {vote.source_id for vote in votes if not vote.is_newer} - self.new
        newer = {vote.source_id for vote in votes if vote.is_newer and not electorate.is_overridden(vote.source_id)}
        # Whether a newer vote counts as new depends on the older ones, if there are any.
        self.newer = newer if old else set[Source]()
        self.old = old if self.newer else set[Source]()
        members: defaultdict[Hashable, list[CastVote[Source]]] = defaultdict(list)
        for vote in votes:
            # New sources that agree count once whoever they are, which `_Support` says.
            is_new = vote.source_id in self.new
            members[("new", vote.source_id) if is_new else cast.copy_group(vote.source_id)].append(vote)
        self.groups = list(members.values())

    @property
    def ways_to_be_settled(self) -> Sequence[int]:
        """Whether older documents may support winner or challenger; both if nothing depends on it."""
        if not self.newer:
            return (_BOTH_SETTLED.value,)
        return (_BOTH_SETTLED.value, _Support.SETTLED_WINNER.value, _Support.SETTLED_CHALLENGER.value, 0)


class _Gap(Generic[Source]):
    """The gap between the winner and one challenger, with at most `most` corrupted sources, where older documents
    support those of the two that `settled` says.
    """

    def __init__(
        self, electors: _Electors[Source], winner: str, challenger: str | None, settled: int, most: int
    ) -> None:
        self._electors = electors
        self._keys: Mapping[str | None, _Place] = {challenger: "challenger", winner: "winner"}
        self._settled = settled
        self._most = most

    def closed(self, tolerance: float) -> Iterator[Certificate[Source]]:
        """The smallest set of sources that closes it, if there is one."""
        if not self._is_possible:
            return
        challenger = next((key for key, place in self._keys.items() if place == "challenger"), None)
        ways = self._combined()
        for corrupted, support in sorted(ways):
            way = ways[corrupted, support]
            if self._electors.old and support & _BOTH_SETTLED.value != self._settled:
                continue
            new_winner, new_challenger = bool(support & _Support.NEW_WINNER), bool(support & _Support.NEW_CHALLENGER)
            if way.gap + self._electors.new_weight * (new_winner - new_challenger) <= tolerance:
                yield Certificate(() if way.is_bound else way.corrupted, corrupted, challenger, way.is_bound)
                return

    @property
    def _is_possible(self) -> bool:
        """Whether corrupting so few sources can leave an answer without the support of older documents."""
        supporters = Counter(
            self._keys.get(vote.answer_key, "other")
            for group in self._electors.groups
            for vote in group
            if vote.source_id in self._electors.old
        )
        return all(
            self._settled & settled or supporters[place] <= self._most for place, (settled, _) in _SUPPORTS.items()
        )

    def _combined(self) -> _Ways[Source]:
        """The best ways to corrupt members of all groups."""
        plain = [vote for group in self._electors.groups for vote in group if self._is_plain(group)]
        total = self._ways_of_plain(plain)
        for group in self._electors.groups:
            if not self._is_plain(group):
                total = self._joined(total, self._ways_of_group(group))
        return total

    def _joined(self, total: _Ways[Source], ways: _Ways[Source]) -> _Ways[Source]:
        joined: _Ways[Source] = {}
        for (corrupted, support), way in total.items():
            for (more, of_group), other in ways.items():
                state = corrupted + more, support | of_group
                if state[0] > self._most:
                    continue
                gap = way.gap + other.gap
                if state not in joined or gap < joined[state].gap:
                    joined[state] = _Way(gap, way.corrupted + other.corrupted, way.is_bound or other.is_bound)
        return joined

    def _is_plain(self, group: Sequence[CastVote[Source]]) -> bool:
        """Whether it is one source on whose vote no other depends."""
        return len(group) == 1 and not self._electors.newer and group[0].source_id not in self._electors.new

    def _ways_of_plain(self, votes: Sequence[CastVote[Source]]) -> _Ways[Source]:
        """Each corrupted source narrows the gap by what it puts into it and by as much as it weighs, for the
        challenger, or for the winner if its weight is negative. The gains add up, so that the largest are the best.
        """
        gains = []
        gap = 0.0
        for position, vote in enumerate(votes):
            put = self._put(vote)
            gap += put
            gains.append((-put - abs(self._electors.corrupted_weight[vote.source_id]), position))
        ways: _Ways[Source] = {(0, 0): _Way(gap, (), is_bound=False)}
        chosen: tuple[Source, ...] = ()
        for gain, position in nsmallest(self._most, gains):
            gap, chosen = gap + gain, (*chosen, votes[position].source_id)
            ways[len(chosen), 0] = _Way(gap, chosen, is_bound=False)
        return ways

    def _put(self, vote: CastVote[Source]) -> float:
        sign = {"winner": 1.0, "challenger": -1.0}.get(self._keys.get(vote.answer_key, "other"), 0.0)
        return sign * self._electors.weight[vote.source_id]

    def _ways_of_group(self, group: Sequence[CastVote[Source]]) -> _Ways[Source]:
        if len(group) > MOST_MEMBERS:
            return self._bounds(group)
        best: _Ways[Source] = {}
        for size in range(min(self._most, len(group)) + 1):
            for members in combinations(group, size):
                corrupted = tuple(vote.source_id for vote in members)
                for places in product(_PLACES, repeat=size):
                    gap, support = self._standing(group, dict(zip(corrupted, places, strict=True)))
                    # What is settled stays so, whatever happens to other sources.
                    possible = not support & _BOTH_SETTLED.value & ~self._settled
                    if possible and ((size, support) not in best or gap < best[size, support].gap):
                        best[size, support] = _Way(gap, corrupted, is_bound=False)
        return best

    def _standing(self, group: Sequence[CastVote[Source]], chosen: Mapping[Source, _Place]) -> tuple[float, int]:
        """The contribution of a group to the gap with corrupted members at the chosen places, and its other support."""
        support = 0
        weights: dict[_Place, list[float]] = {"winner": [], "challenger": []}
        for vote in group:
            place = chosen.get(vote.source_id) or self._keys.get(vote.answer_key, "other")
            if place == "other":
                continue
            settled, new = _SUPPORTS[place]
            if vote.source_id in self._electors.old:
                support |= settled
            if self._counts_as_new(vote.source_id, settled):
                support |= new
            else:
                is_corrupted = vote.source_id in chosen
                known = self._electors.corrupted_weight if is_corrupted else self._electors.weight
                weights[place].append(known[vote.source_id])
        return _mean(weights["winner"]) - _mean(weights["challenger"]), support

    def _counts_as_new(self, source_id: Source, settled: int) -> bool:
        is_unsettled = source_id in self._electors.newer and not settled & self._settled
        return is_unsettled or source_id in self._electors.new

    def _bounds(self, group: Sequence[CastVote[Source]]) -> _Ways[Source]:
        """Bounds for a group with too many members to try all ways: no way leaves a smaller gap."""
        gap, support = self._standing(group, {})
        ways: _Ways[Source] = {}
        if not support & _BOTH_SETTLED.value & ~self._settled:
            ways[0, support] = _Way(gap, (), is_bound=False)
        weights = (self._electors.weight, self._electors.corrupted_weight)
        every = [known[vote.source_id] for vote in group for known in weights]
        at_winner = sum(self._keys.get(vote.answer_key) == "winner" for vote in group)
        for corrupted in range(1, min(self._most, len(group)) + 1):
            some_stay = corrupted < at_winner and not self._electors.newer
            least = min(every) if some_stay else min(0.0, *every)
            way: _Way[Source] = _Way(least - max(0.0, *every), (), is_bound=True)
            ways |= {(corrupted, other): way for other in (range(16) if self._electors.newer else (0,))}
        return ways


def _mean(weights: Sequence[float]) -> float:
    return sum(weights) / len(weights) if weights else 0.0
