"""The sources that may vote on a question: what any votes of theirs count, and how probable each answer is then.

Everything that counts votes asks this: answers, certificates, confidence, debates, conflict scores and evaluations.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Generic

from answering.voting.certainty import certainty_of, certainty_of_vote
from answering.voting.posterior import Floats, Known, log_odds, posterior
from answering.voting.vote import Ballot, VoteResult, weighted_vote
from answering.voting.voter import CastVote, Source, Voter
from answering.voting.voters import Voters

SUREST_OF_LATECOMERS: Final = 0.95
"""How probable an answer is at most that only sources carry that came last. Where nobody lies 0.98 to 1 of the surer
ones are right, and beside liars who came last 0.4 to 1. Chosen on drawn worlds: where nobody lies the calibration error
grows by 0.003 at most, with 0.9 by 0.008 and with 0.975 by 0.001, which leaves lies above 0.95 as they are
(benchmarks/notes/poisoning.md)."""


class _Casting(dict[Source, Voter[Source]]):
    """Sources as they cast their votes, and all others, which cost nothing, as they are."""

    def __init__(self, casting: Mapping[Source, Voter[Source]], others: Mapping[Source, Voter[Source]]) -> None:
        super().__init__(casting)
        self._others = others

    def __missing__(self, source: Source) -> Voter[Source]:
        return self._others[source]


class Electorate(Voters[Source]):
    """Reliabilities, with defaults for sources that no estimate knows, and the rule by which votes are counted.

    `prior`, `prior_lower` and `prior_upper` stand in for the reliability of an unknown source and its interval, and
    `prior_read_share` for the share of its readings that are right, if misreadings are told apart. A new source has
    `prior_lower`, times that share, as its reliability, and new sources that agree count as one copy group: they may be
    made for one purpose, which only the next estimate shows. `labels` is L, how many answers a question may have: a
    vote that is misread is right by luck, 1 in L, and L - 1 answers are wrong. `weigh` turns a reliability and L into
    the weight of a vote, e.g. `L * w - 1` (RA-RAG section 3.3, arXiv:2410.22954). `queries` is how many its
    reliabilities were estimated on, None where they were not estimated. Sources below `least_reliability` do not take
    part in debates. `latecomers` are the sources that came last: an answer that the others alone would not give is no
    surer than `SUREST_OF_LATECOMERS`.

    >>> voters = [Voter("a", 0.9), Voter("b", None)]
    >>> electorate = Electorate(voters, prior=0.6, prior_lower=0.5, labels=3, weigh=lambda w, labels: labels * w - 1)
    >>> round(electorate.weight("a"), 3), round(electorate.weight("b"), 3)
    (1.7, 0.8)
    >>> count = electorate.count([CastVote("a", "text:oslo", "Oslo"), CastVote("b", "text:bergen", "Bergen")])
    >>> count.vote.answer, round(count.confidence, 2)
    ('Oslo', 0.82)
    """

    def casting(self, votes: Iterable[CastVote[Source]]) -> "Electorate[Source]":
        """The electorate as it casts these votes: with the reliabilities of their dates and the confidence of their
        readings.

        A vote that rests on newer documents than the estimate counts as that of a new source if no vote that rests on
        older ones agrees: its reliability is that of what the source published before. Votes cast before count no more.
        """
        votes = list(votes)
        electorate = copy(self)
        electorate._voters = self._known  # noqa: SLF001  (of this class)
        settled = set()
        if any(vote.is_newer for vote in votes):
            settled = {vote.answer_key for vote in votes if not vote.is_newer and not electorate.is_new(vote.source_id)}
        changed = {}
        for vote in votes:
            voter = self._known[vote.source_id]
            if vote.is_newer and settled and vote.answer_key not in settled and not voter.overridden:
                voter = Voter(vote.source_id, None, is_new=True)
            changed[vote.source_id] = voter.at(vote.published_at).read(vote.reading_confidence)
        electorate._voters = _Casting(changed, self._known)  # noqa: SLF001  (of this class)
        return electorate

    def count(self, votes: Sequence[CastVote[Source]]) -> "Count[Source]":
        """The result of these votes. Raises `BadParameter` for a source that votes twice."""
        electorate = self.casting(votes)
        shares = electorate.shares({vote.source_id: vote.answer_key for vote in votes})
        shares |= {vote.source_id: 0.0 for vote in votes if vote.is_outdated}
        weights = {source_id: electorate.weight(source_id) * share for source_id, share in shares.items()}
        ballots = tuple(
            Ballot(vote.source_id, vote.answer_key, vote.answer, weights[vote.source_id], certainty_of_vote(vote))
            for vote in votes
        )
        return Count(electorate, ballots, weighted_vote(ballots), votes)

    def weight_of(self, vote: CastVote[Source]) -> float:
        """The weight of this vote if no other member of its copy group votes for the same answer."""
        return self.casting([vote]).weight(vote.source_id)

    def probabilities(self, answers: Mapping[Source, str]) -> dict[str, float]:
        """The probability of each answer class if these sources answer so; what is missing to 1 is that of all others.

        See `posterior`. Members of a copy group that agree are one vote, with the mean of their evidence. No answer is
        more probable than `surest`, nor one that rests on latecomers than `SUREST_OF_LATECOMERS`.
        """
        if not answers:
            return {}
        shares = self.shares(answers)
        odds = self.log_odds(list(answers))
        found = posterior(list(answers.values()), list(shares.values()), odds, self.labels - 1)
        found = {key: min(probability, self.surest) for key, probability in found.items()}
        for key, probability in found.items():
            if probability > SUREST_OF_LATECOMERS and self.rests_on_latecomers(answers, key):
                found[key] = SUREST_OF_LATECOMERS
        return found

    def is_capped(self, answers: Mapping[Source, str], key: str, probability: float) -> bool:
        """Whether this probability of an answer class is one that was lowered as it rests on latecomers."""
        return probability == SUREST_OF_LATECOMERS and self.rests_on_latecomers(answers, key)

    def rests_on_latecomers(self, answers: Mapping[Source, str], key: str) -> bool:
        """Whether sources that came last are among those that answer so, and without them another answer than this one
        would win, or none: to corrupt them is enough.
        """
        others = {source_id: answer for source_id, answer in answers.items() if source_id not in self.latecomers}
        if len(others) == len(answers):
            return False
        shares = self.shares(others)
        alone = weighted_vote([Ballot(each, others[each], "", self.weight(each) * shares[each]) for each in others])
        return alone.tied or alone.winner != key

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

    @property
    def is_capped(self) -> bool:
        """Whether the winner would be more probable if sources that came last counted as all others."""
        winner = self.vote.winner
        return winner is not None and self.electorate.is_capped(self.answers, winner, self.confidence)

    @cached_property
    def probabilities(self) -> Mapping[str, float]:
        """The probability of each answer class, at most that of one of its two surest readings of different sentences.

        One reader makes all readings, whose errors are less independent than the posterior takes them: it reads a
        sentence that several sources have as it reads it once. Outdated votes are no evidence against others.
        """
        votes: defaultdict[str, list[CastVote[Source]]] = defaultdict(list)
        for vote in self.votes:
            votes[vote.answer_key].append(vote)
        probabilities = self.electorate.probabilities(self.answers)
        current = {vote.source_id: vote.answer_key for vote in self.votes if not vote.is_outdated}
        if len(current) < len(self.votes):
            probabilities |= self.electorate.probabilities(current)
        return {key: min(probability, certainty_of(votes[key])) for key, probability in probabilities.items()}

    @property
    def nobody_reliable(self) -> bool:
        """Whether sources answer, and none of the answers has a positive weight."""
        return bool(self.ballots) and self.vote.winner is None and not self.vote.tied

    def participants(self) -> dict[Source, tuple[Source, ...]]:
        """Voters that take part in debates, each with its copies that agree."""
        return self.electorate.participants(self.answers)
