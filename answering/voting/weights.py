"""The weight of each source's vote, from its reliability and its copy group."""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Generic, TypeVar

from answering.voting.selection import Candidate
from answering.voting.vote import Ballot, confidence

Source = TypeVar("Source", bound=Hashable)

# The copy group of all new sources.
_NEW_SOURCES = "new sources"


@dataclass(frozen=True, slots=True)
class Voter(Generic[Source]):
    """A source that votes: what is known of its reliability, and its copy group.

    >>> Voter("herald", 0.9, lower=0.8, copy_group=2).copy_group
    2
    """

    id: Source
    reliability: float | None
    """An operator's override, else the estimate, in [0, 1]; None if there is neither."""
    lower: float | None = None
    """Lower end of the interval of an estimate."""
    overridden: bool = False
    copy_group: Hashable | None = None
    """None for an independent source."""
    is_new: bool = False
    """Whether it came after the estimate: it was no source of the run."""
    periods: tuple[tuple[datetime, float], ...] = ()
    """Of a source that turned, the start and the reliability of each of its periods, in the order of time."""
    read_share: float | None = None
    """The share of its votes that are what it says; None where `reliability` is that of its votes, whoever errs."""

    def read(self, confidence: float | None) -> "Voter[Source]":
        """The source with the probability that the reader gives to one vote of it.

        >>> Voter("herald", 0.8, read_share=0.75).read(0.5).read_share
        0.5
        """
        return self if confidence is None or self.read_share is None else replace(self, read_share=confidence)

    def at(self, date: datetime | None) -> "Voter[Source]":
        """The source with its reliability of this date; with the present one if the date is unknown.

        An override stands for all times.
        """
        if date is None or self.overridden or not self.periods or date >= self.periods[-1][0]:
            return self
        started = [reliability for start, reliability in self.periods if start <= date]
        reliability = started[-1] if started else self.periods[0][1]
        return replace(self, reliability=reliability, lower=None)


class VoteWeights(Generic[Source]):
    """Reliabilities with defaults for sources that no estimate knows, and what their votes count.

    `prior` and `prior_lower` stand in for the reliability of an unknown source and for the lower end of its interval.
    A new source has `prior_lower` as its reliability, and new sources that agree count as one copy group: they may be
    made for one purpose, which only the next estimate shows.
    `weigh` turns a reliability into the weight of a vote, e.g. `L * w - 1` (RA-RAG section 3.3, arXiv:2410.22954).
    A vote that may be misread is right by `luck` if it is.

    >>> voters = [Voter("a", 0.9), Voter("b", None)]
    >>> weights = VoteWeights(voters, prior=0.6, prior_lower=0.5, weigh=lambda w: 3 * w - 1)
    >>> round(weights.weight("a"), 3), round(weights.weight("b"), 3)
    (1.7, 0.8)
    """

    def __init__(
        self,
        voters: Iterable[Voter[Source]],
        *,
        prior: float,
        prior_lower: float,
        weigh: Callable[[float], float],
        luck: float = 0.0,
    ) -> None:
        self.prior = prior
        self._luck = luck
        self._prior_lower = prior_lower
        self.weigh = weigh
        self._voters = {voter.id: voter for voter in voters}

    def at(self, dates: Mapping[Source, datetime | None]) -> "VoteWeights[Source]":
        """The weights of answers that the sources published on these dates, None being the present."""
        return self._with(self._voters[source_id].at(date) for source_id, date in dates.items())

    def read(self, confidence: Mapping[Source, float | None]) -> "VoteWeights[Source]":
        """The weights of votes that the reader gave these confidences."""
        return self._with(self._voters[source_id].read(value) for source_id, value in confidence.items())

    def as_new(self, source_ids: Collection[Source]) -> "VoteWeights[Source]":
        """The weights where these sources count as new ones, but for those that an operator rated."""
        unrated = (source_id for source_id in source_ids if not self._voters[source_id].overridden)
        return self._with(Voter(source_id, None, is_new=True) for source_id in unrated)

    def _with(self, changed: Iterable[Voter[Source]]) -> "VoteWeights[Source]":
        """The weights with these voters in the place of those of the same identifiers."""
        others = {voter.id: voter for voter in changed if voter is not self._voters[voter.id]}
        if not others:
            return self
        voters = (self._voters | others).values()
        return VoteWeights(voters, prior=self.prior, prior_lower=self._prior_lower, weigh=self.weigh, luck=self._luck)

    def reliability(self, source_id: Source) -> float:
        """The probability that its vote is right: its reliability, or the prior; of a new source the lower end of its
        interval.
        """
        voter = self._voters[source_id]
        if voter.reliability is None:
            return self._prior_lower if voter.is_new else self.prior
        if voter.read_share is None:
            return voter.reliability
        return voter.reliability * voter.read_share + self._luck * (1 - voter.read_share)

    def is_new(self, source_id: Source) -> bool:
        """Whether nothing is known of the source because it came after the estimate."""
        voter = self._voters[source_id]
        return voter.is_new and voter.reliability is None

    def lower(self, source_id: Source) -> float:
        """Lower end of the interval of its reliability; an override has no interval and stands for itself."""
        voter = self._voters[source_id]
        if voter.reliability is None:
            return self._prior_lower
        return voter.reliability if voter.overridden or voter.lower is None else voter.lower

    def weight(self, source_id: Source) -> float:
        """The weight of its vote if no other member of its copy group votes for the same answer."""
        return self.weigh(self.reliability(source_id))

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

    def independent(self, answers: Mapping[Source, str]) -> list[Source]:
        """One source, the first, for each answer of each copy group."""
        first: dict[tuple[Hashable, str], Source] = {}
        for source_id, key in answers.items():
            first.setdefault((self.copy_group(source_id), key), source_id)
        return list(first.values())

    def weighted(self, ballots: Iterable[Ballot[Source]], answers: Mapping[Source, str]) -> tuple[Ballot[Source], ...]:
        """The ballots with these answer classes, and with what each counts."""
        shares = self.shares(answers)
        return tuple(
            replace(
                ballot,
                answer_key=answers[ballot.source_id],
                weight=self.weight(ballot.source_id) * shares[ballot.source_id],
            )
            for ballot in ballots
        )

    def confidence(self, answers: Mapping[Source, str], answer_key: str | None) -> float:
        """Posterior probability of an answer class if these sources answer so; members of a copy group count once."""
        voters = self.independent(answers)
        ballots = [Ballot(source_id, answers[source_id], answers[source_id]) for source_id in voters]
        return confidence(ballots, {source_id: self.reliability(source_id) for source_id in voters}, answer_key)

    def group_count(self, source_ids: Iterable[Source]) -> int:
        """How many independent groups these sources are."""
        return len({self.copy_group(source_id) for source_id in source_ids})

    @property
    def depend_on_readings(self) -> bool:
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
        """The source as a selection takes it, ranked by its reliability or by the lower end of its interval, times its
        relevance in [0, 1] if `by_relevance`.
        """
        rank = self.lower(source_id) if by_lower else self.reliability(source_id)
        if by_relevance and relevance is not None:
            rank *= relevance
        voter = self._voters[source_id]
        if voter.read_share is None:
            return Candidate(source_id, rank, self.weight(source_id), relevance, voter.copy_group)

        def weight_at(confidence: float | None) -> float:
            return self.read({source_id: confidence}).weight(source_id)

        # Whatever the confidence, the vote weighs at most what it does if it was certainly read rightly.
        return Candidate(source_id, rank, weight_at(1.0), relevance, voter.copy_group, weight_at)
