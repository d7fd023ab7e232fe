"""The evidence of a question: its sources are selected and read by kappa-RRSS, and their readings vote.

RA-RAG section 3.4 (arXiv:2410.22954).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from answering.models.usage import Usage
from answering.passages import RetrievedPassage
from answering.voting import (
    Ballot,
    Certificate,
    Selection,
    SelectionSettings,
    SourceReading,
    VoteResult,
    VoteWeights,
    certify,
    class_keys,
    select_sources,
    weighted_vote,
)
from registry.answers.context import QuestionContext
from registry.errors import Conflict
from registry.inputs.answers import KappaCounts, RankBy
from registry.reading import SourceReader
from registry.store.passages import Vector, candidate_sources
from registry.store.reliabilities import Reliabilities, SourceReliability, current_reliabilities
from registry.store.topics import topic_of_question

# Above this number of sources only those are read in which a search over the whole corpus finds a passage.
MANY_SOURCES = 200
MAX_CANDIDATES = 200


@dataclass(frozen=True)
class Evidence:
    """The readings of a question and the vote on them; computed once, by `gather_evidence`."""

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


async def gather_evidence(context: QuestionContext) -> Evidence:
    """Select the sources of a question, read them and count their vote.

    Raises `Conflict` if the corpus has no active source, and what `SourceReader.read` raises.
    """
    runtime, parameters = context.runtime, context.parameters
    vector: Vector = (await runtime.embedder.embed([context.question]))[0]
    async with runtime.database.begin() as session:
        reliabilities = await current_reliabilities(session, context.corpus)
        topic = await topic_of_question(session, context.corpus, reliabilities.run, vector, parameters.topic)
        reliabilities = reliabilities.on_topic(topic)
        relevance = await _candidates(session, context, vector, len(reliabilities.sources))
    if not reliabilities.sources:
        raise Conflict("This corpus has no active sources to ask. Register some and load their documents.")
    weights = reliabilities.vote_weights()
    reader = SourceReader(runtime, context.corpus, parameters.class_policy)
    by_lower = parameters.rank_by is RankBy.LOWER_BOUND
    selection = await select_sources(
        [
            weights.candidate(source.source_id, (relevance or {}).get(source.source_id), by_lower=by_lower)
            for source in reliabilities.sources
        ],
        lambda source_ids: reader.read(context.question, vector, source_ids),
        _settings(context, weights),
        relevance,
    )
    return _weigh(context, reliabilities, weights, selection)


def _settings(context: QuestionContext, weights: VoteWeights[UUID]) -> SelectionSettings:
    parameters = context.parameters
    return SelectionSettings(
        kappa=context.kappa,
        batch=parameters.batch,
        budget=parameters.max_readings,
        # Sources still to be read may share the weight of the leaders' copy groups, so that no lead is safe.
        stop_early=parameters.stop_early and not weights.depend_on_readings,
        by_copy_group=parameters.kappa_counts is KappaCounts.VOICES,
    )


async def _candidates(
    session: AsyncSession, context: QuestionContext, vector: Vector, sources: int
) -> dict[UUID, float] | None:
    """Sources in which one search over the corpus finds a passage, with their relevance; None if all are candidates."""
    candidates_only = context.parameters.candidates_only
    if not (sources > MANY_SOURCES if candidates_only is None else candidates_only):
        return None
    return await candidate_sources(session, context.corpus, context.question, vector, limit=MAX_CANDIDATES)


def _weigh(
    context: QuestionContext, reliabilities: Reliabilities, weights: VoteWeights[UUID], selection: Selection[UUID]
) -> Evidence:
    keys = class_keys(
        {source_id: selection.readings[source_id] for source_id in selection.selected}, context.parameters.class_policy
    )
    weights = weights.at({source_id: reading.published_at for source_id, reading in selection.readings.items()})
    ballots = weights.weighted(selection.ballots, keys)
    vote = weighted_vote(ballots)
    return Evidence(
        reliabilities,
        weights,
        selection,
        ballots,
        vote,
        certify(ballots),
        weights.confidence(keys, vote.winner),
        selection.selected or _most_promising(selection, weights)[: context.kappa],
    )


def _most_promising(selection: Selection[UUID], weights: VoteWeights[UUID]) -> tuple[UUID, ...]:
    relevance = {source_id: reading.relevance for source_id, reading in selection.readings.items() if reading.passages}
    trusted = [source_id for source_id in relevance if weights.weight(source_id) > 0]
    promise = {source_id: weights.reliability(source_id) * relevance[source_id] for source_id in trusted}
    return tuple(sorted(trusted, key=lambda source_id: (-promise[source_id], str(source_id))))
