"""What an answer is made from: reliabilities, the selection with its readings, and the weighted vote on them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from uuid import UUID

from answering.equivalence import ClassPolicy
from answering.models.usage import Usage
from answering.passages import RetrievedPassage
from answering.voting import (
    Ballot,
    Certificate,
    Selection,
    SourceReading,
    VoteResult,
    VoteWeights,
    certify,
    confidence,
    weighted_vote,
)
from registry.reading import class_keys
from registry.store.reliabilities import Reliabilities, SourceReliability


@dataclass(frozen=True)
class Evidence:
    """The readings of a question and the vote on them; computed once, by `weigh_evidence`."""

    reliabilities: Reliabilities
    weights: VoteWeights[UUID]
    selection: Selection[UUID]
    ballots: tuple[Ballot[UUID], ...]
    """Votes of the selected sources; members of a copy group that vote alike share the weight of one vote."""
    vote: VoteResult[UUID]
    certificate: Certificate[UUID]
    confidence: float
    """Posterior probability of the winner; copies add nothing to it."""
    consulted: tuple[UUID, ...]
    """Sources whose passages a debate and the ConflictScore read: the selected ones. Where none answered, those that
    were read and whose vote would have a positive weight, by reliability times relevance, at most kappa."""

    @cached_property
    def sources(self) -> Mapping[UUID, SourceReliability]:
        """All active sources by identifier."""
        return {source.source_id: source for source in self.reliabilities.sources}

    @property
    def readings(self) -> Mapping[UUID, SourceReading]:
        """The reading of every source that was read."""
        return self.selection.readings

    @cached_property
    def passages(self) -> tuple[RetrievedPassage, ...]:
        """Passages of the consulted sources: the best one of each, then the second best of each, and so on."""
        ranks = zip_longest(*(self.readings[source_id].passages for source_id in self.consulted))
        return tuple(passage for rank in ranks for passage in rank if passage is not None)

    @property
    def cached_readings(self) -> int:
        """Readings that were made before."""
        return sum(reading.cached for reading in self.readings.values())

    @property
    def usage(self) -> Usage:
        """Cost of the readings."""
        return sum((reading.usage for reading in self.readings.values()), Usage())


def weigh_evidence(
    reliabilities: Reliabilities,
    weights: VoteWeights[UUID],
    selection: Selection[UUID],
    *,
    policy: ClassPolicy,
    kappa: int,
) -> Evidence:
    """Classify the readings of the selected sources and count the vote."""
    keys = class_keys({source_id: selection.readings[source_id] for source_id in selection.selected}, policy)
    shares = weights.shares(keys)
    ballots = tuple(
        Ballot(
            ballot.source_id,
            keys[ballot.source_id],
            ballot.answer,
            weights.weight(ballot.source_id) * shares[ballot.source_id],
        )
        for ballot in selection.ballots
    )
    vote = weighted_vote(ballots)
    return Evidence(
        reliabilities,
        weights,
        selection,
        ballots,
        vote,
        certify(ballots),
        independent_confidence(keys, weights, vote.winner),
        selection.selected or _most_promising(selection, weights)[:kappa],
    )


def independent_confidence(votes: Mapping[UUID, str], weights: VoteWeights[UUID], answer_key: str | None) -> float:
    """Posterior probability of an answer class if these sources vote so; members of a copy group count once."""
    voters = weights.independent(votes)
    ballots = [Ballot(source_id, votes[source_id], votes[source_id]) for source_id in voters]
    return confidence(ballots, {source_id: weights.reliability(source_id) for source_id in voters}, answer_key)


def _most_promising(selection: Selection[UUID], weights: VoteWeights[UUID]) -> tuple[UUID, ...]:
    relevance = {source_id: reading.relevance for source_id, reading in selection.readings.items() if reading.passages}
    trusted = [source_id for source_id in relevance if weights.weight(source_id) > 0]
    promise = {source_id: weights.reliability(source_id) * relevance[source_id] for source_id in trusted}
    return tuple(sorted(trusted, key=lambda source_id: (-promise[source_id], str(source_id))))
