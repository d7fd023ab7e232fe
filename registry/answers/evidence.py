"""The evidence of a question: what is known of it, the vote on the readings of its sources, and who is consulted.

RA-RAG section 3.4 (arXiv:2410.22954).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import zip_longest
from uuid import UUID

from answering.models.usage import Usage
from answering.passages import RetrievedPassage
from answering.voting import Ballot, Certificate, Electorate, Selection, SourceReading, VoteResult
from answering.voting.selection import DEFAULT_KAPPA
from registry.answers.context import QuestionContext
from registry.answers.held_vote import HeldVote, hold_vote
from registry.answers.lookup import look_up
from registry.passages import PassageFilter, Vector
from registry.platform.errors import Conflict
from registry.readings.service import SourceReader
from registry.sources.reliabilities import Reliabilities, SourceReliability


@dataclass(frozen=True)
class Evidence:
    """The vote on a question and what it rests on; computed once, by `gather_evidence`."""

    held: HeldVote
    newer_documents: int | None
    """Documents that came after the run of the reliabilities began; None without a run."""
    where: PassageFilter
    """The passages that the question allows."""
    consulted: tuple[UUID, ...]
    """Sources whose passages a debate and the ConflictScore read: the selected ones that take part, and of a copy
    group with one answer the first. Where none answered, those that were read and take part, by reliability times
    relevance, at most kappa."""

    @property
    def reliabilities(self) -> Reliabilities:
        """Those that counted."""
        return self.held.reliabilities

    @property
    def electorate(self) -> Electorate[UUID]:
        """The sources as they cast their votes."""
        return self.held.electorate

    @property
    def selection(self) -> Selection[UUID]:
        """Which sources were read, and which vote."""
        return self.held.selection

    @property
    def ballots(self) -> tuple[Ballot[UUID], ...]:
        """Votes of the selected sources; members of a copy group that vote alike share the weight of one vote."""
        return self.held.ballots

    @property
    def vote(self) -> VoteResult[UUID]:
        """The result of the vote."""
        return self.held.vote

    @property
    def confidence(self) -> float:
        """Posterior probability of the winner; copies add nothing to it."""
        return self.held.confidence

    @property
    def certificate(self) -> Certificate[UUID]:
        """That of the vote."""
        return self.held.certificate

    @cached_property
    def sources(self) -> Mapping[UUID, SourceReliability]:
        """All active sources by identifier."""
        return {source.source_id: source for source in self.reliabilities.sources}

    @cached_property
    def joint_dissent_of(self) -> Mapping[UUID, int]:
        """By source the number of the group with which it dissents together in the run."""
        run = self.reliabilities.run
        return run.joint_dissent_of() if run else {}

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


async def gather_evidence(context: QuestionContext) -> Evidence:
    """Select the sources of a question, read them and count their vote.

    Raises `Conflict` if the corpus has no active source, and what `SourceReader.read` raises.
    """
    runtime, parameters = context.runtime, context.parameters
    vector: Vector = (await runtime.embedder.embed([context.question]))[0]
    known = await look_up(context, vector)
    reliabilities, where = known.reliabilities, known.where
    if not reliabilities.sources:
        if where.source_ids:
            raise Conflict("None of these sources is active. Ask others, or make them active again.")
        raise Conflict("This corpus has no active sources to ask. Register some and load their documents.")
    reader = SourceReader(runtime, context.corpus, parameters.class_policy, where, may_lag=True)
    read = partial(reader.read, context.question, vector)
    reader_name = runtime.reader_for(context.question).name
    held = await hold_vote(
        context.question, reader_name, reliabilities, known.relevance, parameters, context.limits, read
    )
    return Evidence(held, known.newer_documents, where, _consulted(held, context.kappa or DEFAULT_KAPPA))


def _consulted(held: HeldVote, most: int) -> tuple[UUID, ...]:
    if held.ballots:
        return tuple(held.count.participants())
    return _most_promising(held.selection, held.electorate)[:most]


def _most_promising(selection: Selection[UUID], electorate: Electorate[UUID]) -> tuple[UUID, ...]:
    relevance = {source_id: reading.relevance for source_id, reading in selection.readings.items() if reading.passages}
    trusted = [source_id for source_id in relevance if electorate.takes_part(source_id)]
    promise = {source_id: electorate.reliability(source_id) * relevance[source_id] for source_id in trusted}
    return tuple(sorted(trusted, key=lambda source_id: (-promise[source_id], str(source_id))))
