"""The sources that may vote on a question: what any votes of theirs count, and how probable each answer is then.

Everything that counts votes asks this: answers, certificates, confidence, debates, conflict scores and evaluations.
"""

from collections import ChainMap, Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Generic

from answering.voting.posterior import Floats, Known, log_odds, posterior
from answering.voting.selection import Candidate
from answering.voting.vote import Ballot, VoteResult, weighted_vote
from answering.voting.voter import CastVote, Source, Voter, certainty_of

# The copy group of all new sources.
_NEW_SOURCES = "new sources"
# Least weight in debates and conflict scores, as a share of that of the most reliable one; benchmarks/notes/debates.md.
LEAST_WEIGHT: Final = 0.1
# A reliability of exactly chance weighs up to so much more than nothing.
_ROUNDING: Final = 1e-9


class Electorate(Generic[Source]):
    """Reliabilities, with defaults for sources that no estimate knows, and the rule by which votes are counted.

    `prior`, `prior_lower` and `prior_upper` stand in for the reliability of an unknown source and its interval. A new
    source has `prior_lower` as its reliability, and new sources that agree count as one copy group: they may be
    made for one purpose, which only the next estimate shows. `labels` is L, how many answers a question may have: a
    vote that is misread is right by luck, 1 in L, and L - 1 answers are wrong. `weigh` turns a reliability and L into
    the weight of a vote, e.g. `L * w - 1` (RA-RAG section 3.3, arXiv:2410.22954). `queries` is how many its
    reliabilities were estimated on, None where they were not estimated. Sources below `least_reliability` do not take
    part in debates.

    >>> voters = [Voter("a", 0.9), Voter("b", None)]
    >>> electorate = Electorate(voters, prior=0.6, prior_lower=0.5, labels=3, weigh=lambda w, labels: labels * w - 1)
    >>> round(electorate.weight("a"), 3), round(electorate.weight("b"), 3)
    (1.7, 0.8)
    >>> count = electorate.count([CastVote("a", "text:oslo", "Oslo"), CastVote("b", "text:bergen", "Bergen")])
    >>> count.vote.answer, round(count.confidence, 2)
    ('Oslo', 0.82)
    """

    def __init__(  # noqa: PLR0913  (the rule of one run, which `Reliabilities.electorate` names in full)
        self,
        voters: Iterable[Voter[Source]],
        *,
        prior: float,
        prior_lower: float,
        prior_upper: float | None = None,
        labels: int,
        weigh: Callable[[float, int], float],
        queries: int | None = None,
        least_reliability: float = 0.0,
    ) -> None:
        self.prior = prior
        self.labels = labels
        self.vote_weight = weigh
        # By the rule of succession: what was right on n queries goes wrong next with a probability of 1 in n + 2.
        self.surest = 1.0 if queries is None else (queries + 1) / (queries + 2)
        self._prior_lower = prior_lower
        self._prior_upper = prior_upper
        self._least_reliability = least_reliability
        self._known = {voter.id: voter for voter in voters}
        self._voters: Mapping[Source, Voter[Source]] = self._known

    def with_labels(self, labels: int) -> "Electorate[Source]":
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

    def casting(self, votes: Iterable[CastVote[Source]]) -> "Electorate[Source]":
        """The electorate as it casts these votes: with the reliabilities of their dates and the confidence of their
        readings.

        A vote that rests on newer documents than the estimate counts as that of a new source if no vote that rests on
        older ones agrees: its reliability is that of what the source published before. Votes cast before count no more.
        """
        votes = list(votes)
        electorate = copy(self)
        electorate._voters = self._known  # noqa: SLF001  (of this class)
        settled = {vote.answer_key for vote in votes if not vote.is_newer and not electorate.is_new(vote.source_id)}
        changed = {}
        for vote in votes:
            voter = self._known[vote.source_id]
            if vote.is_newer and settled and vote.answer_key not in settled and not voter.overridden:
                voter = Voter(vote.source_id, None, is_new=True)
            changed[vote.source_id] = voter.at(vote.published_at).read(vote.reading_confidence)
        # In a map before the others, so that it costs nothing for all the sources that do not vote.
        electorate._voters = ChainMap(changed, self._known)  # noqa: SLF001  (of this class)
        return electorate

    def count(self, votes: Sequence[CastVote[Source]]) -> "Count[Source]":
        """The result of these votes. Raises `BadParameter` for a source that votes twice."""
        electorate = self.casting(votes)
        shares = electorate.shares({vote.source_id: vote.answer_key for vote in votes})
        weights = {source_id: electorate.weight(source_id) * share for source_id, share in shares.items()}
        ballots = tuple(Ballot(vote.source_id, vote.answer_key, vote.answer, weights[vote.source_id]) for vote in votes)
        return Count(electorate, ballots, weighted_vote(ballots), votes)

    def reliability(self, source_id: Source) -> float:
        """The probability that its vote is right: its reliability, the prior, or for a new source the lower end."""
        voter = self._voters[source_id]
        if voter.reliability is None:
            return self._prior_lower if voter.is_new else self.prior
        return self._of_readings(voter, voter.reliability)

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
        return self.weigh(self._prior_lower)

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
        if voter.read_share is None or voter.reliability is None:
            return self.weight(source_id)
        return self.weigh(self._of_readings(voter.read(1.0), voter.reliability))

    def weight_of(self, vote: CastVote[Source]) -> float:
        """The weight of this vote if no other member of its copy group votes for the same answer."""
        return self.casting([vote]).weight(vote.source_id)

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

    def probabilities(self, answers: Mapping[Source, str]) -> dict[str, float]:
        """The probability of each answer class if these sources answer so; what is missing to 1 is that of all others.

        See `posterior`. Members of a copy group that agree are one vote, with the mean of their evidence. No answer is
        more probable than `surest`.
        """
        if not answers:
            return {}
        shares = self.shares(answers)
        odds = self.log_odds(list(answers))
        found = posterior(list(answers.values()), list(shares.values()), odds, self.labels - 1)
        return {key: min(probability, self.surest) for key, probability in found.items()}

    def log_odds(self, source_ids: Sequence[Source]) -> Floats:
        """(V, 9) log odds that votes of these sources are right, at the quantiles of their reliabilities."""
        return log_odds([self._known_of(source_id) for source_id in source_ids], self._luck)

    def _known_of(self, source_id: Source) -> Known:
        voter = self._voters[source_id]
        known = voter.reliability, *voter.band
        if voter.reliability is None and not voter.is_new:
            known = self.prior, self._prior_lower, self._prior_upper
        middle, lower, upper = known
        if middle is None or lower is None or upper is None or voter.overridden:
            exact = self.reliability(source_id)
            return Known(exact, exact, exact)
        return Known(middle, lower, upper, 1.0 if voter.read_share is None else voter.read_share)

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


@dataclass(frozen=True)
class Count(Generic[Source]):
    """Votes, counted.

    >>> electorate = Electorate([Voter("a", 0.1)], prior=0.6, prior_lower=0.5, labels=2, weigh=lambda w, _: 2 * w - 1)
    >>> electorate.count([CastVote("a", "text:oslo", "Oslo")]).nobody_reliable
    True
    """

    electorate: Electorate[Source]
    """The electorate that cast these votes."""
    ballots: tuple[Ballot[Source], ...]
    """The ballots with their weights; members of a copy group that vote alike share the weight of one vote."""
    vote: VoteResult[Source]
    """The vote, without a winner if no answer has a positive weight."""
    votes: Sequence[CastVote[Source]]

    @property
    def answers(self) -> Mapping[Source, str]:
        """The answer class that each source votes for."""
        return {ballot.source_id: ballot.answer_key for ballot in self.ballots}

    @property
    def confidence(self) -> float:
        """The probability that the winner is right; 0 without one."""
        winner = self.vote.winner
        return 0.0 if winner is None else self.probabilities[winner]

    @cached_property
    def probabilities(self) -> Mapping[str, float]:
        """The probability of each answer class, at most that of one of its two surest readings of different sentences.

        One reader makes all readings, whose errors are less independent than the posterior takes them: it reads a
        sentence that several sources have as it reads it once.
        """
        votes: defaultdict[str, list[CastVote[Source]]] = defaultdict(list)
        for vote in self.votes:
            votes[vote.answer_key].append(vote)
        return {
            key: min(probability, certainty_of(votes[key]))
            for key, probability in self.electorate.probabilities(self.answers).items()
        }

    @property
    def nobody_reliable(self) -> bool:
        """Whether sources answer, and none of the answers has a positive weight."""
        return bool(self.ballots) and self.vote.winner is None and not self.vote.tied

    def participants(self) -> dict[Source, tuple[Source, ...]]:
        """Voters that take part in debates, each with its copies that agree."""
        return self.electorate.participants(self.answers)
