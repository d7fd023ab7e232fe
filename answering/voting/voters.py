"""The sources that may vote on a question: how reliable each is, what its vote weighs, and whose copy it is."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Final, Generic, Self

from answering.voting.selection import Candidate
from answering.voting.voter import Source, Voter

# The copy group of all new sources.
_NEW_SOURCES = "new sources"
# Least weight in debates and conflict scores, as a share of that of the most reliable one; benchmarks/notes/debates.md.
LEAST_WEIGHT: Final = 0.1
# A reliability of exactly chance weighs up to so much more than nothing.
_ROUNDING: Final = 1e-9


class Voters(Generic[Source]):
    """Reliabilities, with defaults for sources that no estimate knows, and the rule by which votes are weighed; see
    `electorate.Electorate`.
    """

    def __init__(  # noqa: PLR0913  (the rule of one run, which `Reliabilities.electorate` names in full)
        self,
        voters: Iterable[Voter[Source]],
        *,
        prior: float,
        prior_lower: float,
        prior_upper: float | None = None,
        prior_read_share: float | None = None,
        labels: int,
        weigh: Callable[[float, int], float],
        queries: int | None = None,
        least_reliability: float = 0.0,
        latecomers: Collection[Source] = (),
    ) -> None:
        self.prior = prior
        self.labels = labels
        self.vote_weight = weigh
        # By the rule of succession: what was right on n queries goes wrong next with a probability of 1 in n + 2.
        self.surest = 1.0 if queries is None else (queries + 1) / (queries + 2)
        self._prior_lower = prior_lower
        self._prior_upper = prior_upper
        self._least_reliability = least_reliability
        self.latecomers = frozenset(latecomers)
        self._prior_read_share = prior_read_share
        # Without the luck of misreadings: with it nine lies of new sites win on web results, and four without.
        self._new_reliability = prior_lower * (1.0 if prior_read_share is None else prior_read_share)
        self._known = {voter.id: self._with_read_share(voter) for voter in voters}
        self._voters: Mapping[Source, Voter[Source]] = self._known

    def _with_read_share(self, voter: Voter[Source]) -> Voter[Source]:
        """The source, read as others are if no estimate knows it."""
        unknown = voter.reliability is None and not voter.is_new
        return replace(voter, read_share=self._prior_read_share) if unknown else voter

    def with_labels(self, labels: int) -> Self:
        """The electorate on questions of so many possible answers, 2 for yes or no."""
        electorate = copy(self)
        electorate.labels = labels
        return electorate

    def weigh(self, reliability: float) -> float:
        """The weight of a vote that is right with this probability."""
        return self.vote_weight(reliability, self.labels)

    @property
    def _luck(self) -> float:
        return 1 / self.labels

    def reliability(self, source_id: Source) -> float:
        """The probability that its vote is right: its reliability, the prior, or for a new source the lower end."""
        voter = self._voters[source_id]
        if voter.reliability is None and voter.is_new:
            return self._new_reliability
        return self._of_readings(voter, self._estimated(voter))

    def _estimated(self, voter: Voter[Source]) -> float:
        return self.prior if voter.reliability is None else voter.reliability

    def _of_readings(self, voter: Voter[Source], reliability: float) -> float:
        if voter.read_share is None:
            return reliability
        return reliability * voter.read_share + self._luck * (1 - voter.read_share)

    def is_new(self, source_id: Source) -> bool:
        """Whether it came after the estimate, and nothing is known of it."""
        voter = self._voters[source_id]
        return voter.is_new and voter.reliability is None

    def is_overridden(self, source_id: Source) -> bool:
        """Whether an operator set its reliability."""
        return self._voters[source_id].overridden

    @property
    def new_weight(self) -> float:
        """The weight of the vote of a new source."""
        return self.weigh(self._new_reliability)

    def lower(self, source_id: Source) -> float:
        """Lower end of the interval of its reliability; an override stands for itself."""
        voter = self._voters[source_id]
        if voter.reliability is None:
            return self._prior_lower
        return voter.reliability if voter.overridden or voter.lower is None else voter.lower

    def weight(self, source_id: Source) -> float:
        """The weight of its vote if no other member of its copy group votes for the same answer."""
        return self.weigh(self.reliability(source_id))

    def greatest_weight(self, source_id: Source) -> float:
        """The weight of its vote if it was certainly read rightly: it weighs no more, whatever the confidence."""
        voter = self._voters[source_id]
        if voter.read_share is None or self.is_new(source_id):
            return self.weight(source_id)
        return self.weigh(self._of_readings(voter.read(1.0), self._estimated(voter)))

    def takes_part(self, source_id: Source) -> bool:
        """Whether its documents may be debated and judged by: its vote has a positive weight, not too small beside that
        of the most reliable source, and its reliability is not below the least one asked for.
        """
        least = max(LEAST_WEIGHT * self.weigh(self._greatest_reliability), _ROUNDING)
        return self.weight(source_id) > least and self.reliability(source_id) >= self._least_reliability

    @cached_property
    def _greatest_reliability(self) -> float:
        known = (voter.reliability for voter in self._known.values() if voter.reliability is not None)
        return max(known, default=self.prior)

    def participants(self, answers: Mapping[Source, str | None]) -> dict[Source, tuple[Source, ...]]:
        """Sources that take part in debates, with their answers; of copies that agree the first, with the others."""
        alike: defaultdict[tuple[Hashable, str | None], list[Source]] = defaultdict(list)
        for source_id, key in answers.items():
            if self.takes_part(source_id):
                alike[self.copy_group(source_id), key].append(source_id)
        return {first: tuple(others) for first, *others in alike.values()}

    def copy_group(self, source_id: Source) -> Hashable:
        """Its copy group, that of all new sources, or itself."""
        if self.is_new(source_id):
            return _NEW_SOURCES
        group = self._voters[source_id].copy_group
        return source_id if group is None else group

    def shares(self, answers: Mapping[Source, str]) -> dict[Source, float]:
        """The share of its weight that each vote counts: members of a group that vote alike count once together."""
        votes = {source_id: (self.copy_group(source_id), key) for source_id, key in answers.items()}
        sizes = Counter(votes.values())
        return {source_id: 1 / sizes[vote] for source_id, vote in votes.items()}

    def group_count(self, source_ids: Iterable[Source]) -> int:
        """The number of independent groups of these sources."""
        return len({self.copy_group(source_id) for source_id in source_ids})

    @property
    def depends_on_readings(self) -> bool:
        """Whether the weight of a vote depends on the readings, as for copies, new sources, and those that turned."""
        return any(
            voter.copy_group is not None or voter.periods or (voter.is_new and voter.reliability is None)
            for voter in self._voters.values()
        )

    def candidate(
        self,
        source_id: Source,
        relevance: float | None = None,
        *,
        by_lower: bool = False,
        by_relevance: bool = False,
    ) -> Candidate[Source]:
        """The source as a selection takes it, by its reliability or lower end, times its relevance if asked."""
        rank = self.lower(source_id) if by_lower else self.reliability(source_id)
        if by_relevance and relevance is not None:
            rank *= relevance
        return Candidate(source_id, rank, relevance, self._voters[source_id].copy_group)
