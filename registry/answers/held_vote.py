"""The vote on a question: which sources are read, in what order and for how long, and how their readings count.

RA-RAG section 3.4 (arXiv:2410.22954). Answers and evaluations hold it in the same way.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from uuid import UUID

from answering.readers.yes_no import MOST_CONFIDENT, is_judged
from answering.voting import (
    Ballot,
    CastVote,
    Certificate,
    Count,
    Electorate,
    RejectionReason,
    Selection,
    SelectionSettings,
    SourceReading,
    VoteResult,
    certify,
    class_keys,
    select_sources,
)
from answering.voting.selection import DEFAULT_KAPPA, StopReason
from registry.answers.schemas import AnswerParameters, KappaCounts, RankBy, Strategy
from registry.platform.settings import Settings
from registry.readings.service import only_candidates
from registry.sources.reliabilities import Reliabilities

# Without a kappa the selection goes on while the sources left could bring the margin of the leader below this.
SAFE_MARGIN = 0.5


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """How many sources are read."""

    kappa: int | None
    """Sources that the answer is made of; None for as many as can change it."""
    max_readings: int | None
    """Sources that may be read; None for no limit."""

    @classmethod
    def of(cls, parameters: AnswerParameters, settings: Settings) -> "ReadingLimits":
        """Those that the parameters name, else those of the service."""
        kappa = parameters.kappa or settings.kappa
        if kappa is None and parameters.strategy.debates:
            kappa = DEFAULT_KAPPA
        return cls(kappa, parameters.max_readings or (settings.answer_readings if kappa is None else None))

    def candidates_only(self, given: bool | None, source_count: int) -> bool:
        """Whether a search over the corpus chooses the sources; `given` is what the question asks for."""
        if given is None and self.kappa is None and self.max_readings is not None:
            # Where not all sources can be read, those that have nothing on the question must not spend the readings.
            given = source_count > self.max_readings
        return only_candidates(source_count, given)


@dataclass(frozen=True)
class HeldVote:
    """The readings of a question and the vote on them."""

    reliabilities: Reliabilities
    selection: Selection[UUID]
    votes: tuple[CastVote[UUID], ...]
    """Of the selected sources."""
    count: Count[UUID]
    judged: bool
    """Whether the compact reader had its judge decide between yes and no."""

    @property
    def electorate(self) -> Electorate[UUID]:
        """The sources as they cast these votes."""
        return self.count.electorate

    @property
    def ballots(self) -> tuple[Ballot[UUID], ...]:
        """The votes with what each counts."""
        return self.count.ballots

    @property
    def vote(self) -> VoteResult[UUID]:
        """The result."""
        return self.count.vote

    @property
    def confidence(self) -> float:
        """The probability that the winner is right."""
        return self._at_most(self.count.confidence)

    def probability(self, answer_key: str) -> float:
        """The probability that an answer of the vote is right."""
        return self._at_most(self.count.probabilities[answer_key])

    def _at_most(self, probability: float) -> float:
        return min(probability, MOST_CONFIDENT) if self.judged else probability

    @cached_property
    def certificate(self) -> Certificate[UUID]:
        """The fewest sources whose corruption flips the answer."""
        return certify(self.electorate, self.votes)


async def hold_vote(
    question: str,
    reader_name: str,
    reliabilities: Reliabilities,
    relevance: Mapping[UUID, float] | None,
    parameters: AnswerParameters,
    limits: ReadingLimits,
    read: Callable[[Sequence[UUID]], Awaitable[Mapping[UUID, SourceReading]]],
) -> HeldVote:
    """Select and read sources, and count their votes.

    `relevance` is that of the candidates that a search over the corpus found; None where all sources are candidates.
    """
    electorate = reliabilities.electorate(parameters.least_reliability)
    rank_by = parameters.rank_by or (RankBy.RELIABILITY if limits.kappa else RankBy.PROMISE)
    candidates = [
        electorate.candidate(
            source.source_id,
            None if relevance is None else relevance[source.source_id],
            by_lower=rank_by is RankBy.LOWER_BOUND,
            by_relevance=rank_by is RankBy.PROMISE,
        )
        for source in reliabilities.sources
        if relevance is None or source.source_id in relevance
    ]
    settings = _settings(parameters, limits, electorate)
    selection = await select_sources(candidates, read, settings)
    if selection.stop_reason is StopReason.DECIDED and _newer(reliabilities, selection):
        # The lead may rest on votes that weigh less than was assumed.
        selection = await select_sources(candidates, read, replace(settings, stop_early=False))
    rejected = {**selection.rejected, **_not_candidates(electorate, reliabilities, relevance)}
    selection = replace(selection, rejected=rejected)
    votes = _votes(question, parameters, reliabilities, selection)
    return HeldVote(reliabilities, selection, votes, electorate.count(votes), is_judged(question, reader_name))


def _settings(parameters: AnswerParameters, limits: ReadingLimits, electorate: Electorate[UUID]) -> SelectionSettings:
    # Classes that depend on all answers may still merge, and `auto` asks whether sources disagree.
    may_stop = not parameters.class_policy.joins_keys and parameters.strategy is Strategy.WMV
    adaptive = limits.kappa is None and may_stop
    return SelectionSettings(
        kappa=limits.kappa,
        batch=parameters.batch,
        budget=limits.max_readings,
        # Sources still to be read may share the weight of the leaders' copy groups, so that no lead is safe.
        stop_early=(parameters.stop_early or adaptive) and not electorate.depends_on_readings,
        safe_margin=0.0 if parameters.stop_early else max(SAFE_MARGIN, parameters.min_margin),
        least_votes=1 if parameters.stop_early else DEFAULT_KAPPA,
        by_copy_group=parameters.kappa_counts is KappaCounts.COPY_GROUPS,
    )


def _not_candidates(
    electorate: Electorate[UUID], reliabilities: Reliabilities, relevance: Collection[UUID] | None
) -> dict[UUID, RejectionReason]:
    """The sources of which the search over the corpus found no passage, the most reliable first."""
    if relevance is None:
        return {}
    others = [source.source_id for source in reliabilities.sources if source.source_id not in relevance]
    others.sort(key=electorate.reliability, reverse=True)
    return dict.fromkeys(others, RejectionReason.NOT_A_CANDIDATE)


def _votes(
    question: str, parameters: AnswerParameters, reliabilities: Reliabilities, selection: Selection[UUID]
) -> tuple[CastVote[UUID], ...]:
    """Those of the selected sources, in the order of their ballots."""
    readings = {source_id: selection.readings[source_id] for source_id in selection.selected}
    keys = class_keys(readings, parameters.class_policy, question)
    newer = _newer(reliabilities, selection)
    return tuple(
        CastVote(
            ballot.source_id,
            keys[ballot.source_id],
            ballot.answer,
            readings[ballot.source_id].published_at,
            readings[ballot.source_id].confidence,
            is_newer=ballot.source_id in newer,
        )
        for ballot in selection.ballots
    )


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
