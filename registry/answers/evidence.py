"""The evidence of a question: its sources are selected and read by kappa-RRSS, and their readings vote.

RA-RAG section 3.4 (arXiv:2410.22954).
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import zip_longest
from uuid import UUID

from answering.models.usage import Usage
from answering.passages import RetrievedPassage
from answering.voting import (
    Ballot,
    Certificate,
    RejectionReason,
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
from answering.voting.selection import DEFAULT_KAPPA, StopReason
from registry.answers.context import QuestionContext
from registry.answers.lookup import look_up
from registry.errors import Conflict
from registry.inputs.answers import KappaCounts, RankBy
from registry.inputs.strategies import Strategy
from registry.reading import SourceReader
from registry.store.passages import PassageFilter, Vector
from registry.store.reliabilities import Reliabilities, SourceReliability

# Without a kappa the selection goes on while the sources left could bring the margin of the leader below this.
SAFE_MARGIN = 0.5


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
    newer_documents: int | None
    """Documents that came after the run of the reliabilities began; None without a run."""
    where: PassageFilter
    """The passages that the question allows."""
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
    known = await look_up(context, vector)
    reliabilities, relevance, where = known.reliabilities, known.relevance, known.where
    if not reliabilities.sources:
        if where.source_ids:
            raise Conflict("None of these sources is active. Ask others, or make them active again.")
        raise Conflict("This corpus has no active sources to ask. Register some and load their documents.")
    weights = reliabilities.vote_weights()
    reader = SourceReader(runtime, context.corpus, parameters.class_policy, where, may_lag=True)
    rank_by = parameters.rank_by or (RankBy.RELIABILITY if context.kappa else RankBy.PROMISE)
    sources = [
        weights.candidate(
            source.source_id,
            None if relevance is None else relevance[source.source_id],
            by_lower=rank_by is RankBy.LOWER_BOUND,
            by_relevance=rank_by is RankBy.PROMISE,
        )
        for source in reliabilities.sources
        if relevance is None or source.source_id in relevance
    ]

    async def selected(settings: SelectionSettings) -> Selection[UUID]:
        read = partial(reader.read, context.question, vector)
        return await select_sources(sources, read, settings)

    settings = _settings(context, weights)
    selection = await selected(settings)
    if selection.stop_reason is StopReason.DECIDED and _newer(reliabilities, selection):
        # The lead may rest on votes that weigh less than was assumed.
        selection = await selected(replace(settings, stop_early=False))
    selection = replace(
        selection, rejected={**selection.rejected, **_not_candidates(weights, reliabilities, relevance)}
    )
    return _weigh(context, reliabilities, weights, selection, known.newer_documents, where)


def _not_candidates(
    weights: VoteWeights[UUID], reliabilities: Reliabilities, relevance: Collection[UUID] | None
) -> dict[UUID, RejectionReason]:
    """The sources of which the search over the corpus found no passage, the most reliable first."""
    if relevance is None:
        return {}
    others = [source.source_id for source in reliabilities.sources if source.source_id not in relevance]
    others.sort(key=weights.reliability, reverse=True)
    return dict.fromkeys(others, RejectionReason.NOT_A_CANDIDATE)


def _settings(context: QuestionContext, weights: VoteWeights[UUID]) -> SelectionSettings:
    parameters = context.parameters
    # Classes that depend on all answers may still merge, and `auto` asks whether sources disagree.
    may_stop = not parameters.class_policy.joins_keys and parameters.strategy is Strategy.WMV
    adaptive = context.kappa is None and may_stop
    return SelectionSettings(
        kappa=context.kappa,
        batch=parameters.batch,
        budget=context.max_readings,
        # Sources still to be read may share the weight of the leaders' copy groups, so that no lead is safe.
        stop_early=(parameters.stop_early or adaptive) and not weights.depend_on_readings,
        safe_margin=0.0 if parameters.stop_early else max(SAFE_MARGIN, parameters.min_margin),
        least_votes=1 if parameters.stop_early else DEFAULT_KAPPA,
        by_copy_group=parameters.kappa_counts is KappaCounts.VOICES,
    )


def _keys(context: QuestionContext, selection: Selection[UUID]) -> dict[UUID, str]:
    """The answer classes of the selected sources."""
    readings = {source_id: selection.readings[source_id] for source_id in selection.selected}
    return class_keys(readings, context.parameters.class_policy, context.question)


def _unconfirmed(
    context: QuestionContext, reliabilities: Reliabilities, weights: VoteWeights[UUID], selection: Selection[UUID]
) -> frozenset[UUID]:
    """Selected sources whose answer stands in documents newer than the estimate alone, where older ones say otherwise.

    Their reliability is that of what they published before. A source whose reliability an operator set is none of them.
    """
    keys, newer = _keys(context, selection), _newer(reliabilities, selection)
    older = {keys[source_id] for source_id in keys.keys() - newer if not weights.is_new(source_id)}
    return frozenset(source_id for source_id in newer if older and keys[source_id] not in older)


def _newer(reliabilities: Reliabilities, selection: Selection[UUID]) -> frozenset[UUID]:
    """Selected sources whose answer stands in documents newer than the estimate alone, but for overridden ones."""
    estimated_at = reliabilities.run.started_at if reliabilities.run else None
    if estimated_at is None:
        return frozenset()
    overridden = {source.source_id for source in reliabilities.sources if source.override}
    return frozenset(
        source_id
        for source_id in selection.selected
        if source_id not in overridden
        and (stored_at := selection.readings[source_id].stored_at) is not None
        and stored_at > estimated_at
    )


def _weigh(
    context: QuestionContext,
    reliabilities: Reliabilities,
    weights: VoteWeights[UUID],
    selection: Selection[UUID],
    newer_documents: int | None,
    where: PassageFilter,
) -> Evidence:
    keys = _keys(context, selection)
    weights = weights.as_new(_unconfirmed(context, reliabilities, weights, selection))
    weights = weights.at({source_id: reading.published_at for source_id, reading in selection.readings.items()})
    weights = weights.read({source_id: reading.confidence for source_id, reading in selection.readings.items()})
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
        newer_documents,
        where,
        selection.selected or _most_promising(selection, weights)[: context.kappa or DEFAULT_KAPPA],
    )


def _most_promising(selection: Selection[UUID], weights: VoteWeights[UUID]) -> tuple[UUID, ...]:
    relevance = {source_id: reading.relevance for source_id, reading in selection.readings.items() if reading.passages}
    trusted = [source_id for source_id in relevance if weights.weight(source_id) > 0]
    promise = {source_id: weights.reliability(source_id) * relevance[source_id] for source_id in trusted}
    return tuple(sorted(trusted, key=lambda source_id: (-promise[source_id], str(source_id))))
