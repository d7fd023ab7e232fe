"""The evidence of a question: which sources are read, in what order and for how long, how their readings count, and who
is consulted.

RA-RAG section 3.4 (arXiv:2410.22954). Answers and evaluations hold the vote in the same way.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice, zip_longest
from uuid import UUID

from answering.equivalence import Joins
from answering.parameters import DEFAULT_KAPPA
from answering.passages import RetrievedPassage
from answering.readers.yes_no import MOST_CONFIDENT, asks_yes_or_no, is_judged
from answering.voting import (
    Ballot,
    CastVote,
    Certificate,
    Count,
    Electorate,
    ListedVote,
    RejectionReason,
    Selection,
    SelectionSettings,
    SourceReading,
    VoteResult,
    certify,
    class_keys,
    select_sources,
)
from answering.voting.selection import StopReason
from registry.answers.context import QuestionContext
from registry.answers.items import vote_on_items
from registry.answers.lookup import look_up
from registry.answers.schemas import AnswerParameters, KappaCounts, RankBy, Strategy
from registry.passages.store import PassageFilter, Vector
from registry.platform.errors import Conflict
from registry.readings.service import SourceReader
from registry.sources.reliabilities import Reliabilities, SourceReliability

# Without a kappa the selection goes on while the sources left could bring the margin of the leader below this.
SAFE_MARGIN = 0.5


@dataclass(frozen=True)
class HeldVote:
    """The readings of a question and the vote on them."""

    reliabilities: Reliabilities
    selection: Selection[UUID]
    votes: tuple[CastVote[UUID], ...]
    """The votes of the selected sources."""
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


@dataclass(frozen=True)
class Evidence(HeldVote):
    """The vote on a question and what it rests on; computed once, by `gather_evidence`."""

    newer_documents: int | None
    """Documents that came after the run of the reliabilities began; None without a run."""
    turned: float | None
    """The share of the separate runs of that run that answer the question otherwise."""
    where: PassageFilter
    """The passages that the question allows."""
    joins: Joins
    """Answers to the question that people joined."""
    consulted: Mapping[UUID, Sequence[UUID]]
    """Sources whose passages a debate and the ConflictScore read: the selected ones that take part, and of a copy
    group with one answer the first, with the others. Where none answered, those that were read and take part, by
    reliability times relevance, at most kappa."""
    listed: ListedVote[UUID] | None
    """The vote on each item, if the question asks for several and sources give lists."""

    @property
    def vote(self) -> VoteResult[UUID]:
        """The result, of lists by their items."""
        return self.listed.result if self.listed else self.count.vote

    def probability(self, answer_key: str) -> float:
        """The probability that an answer, or an item of lists, is right."""
        return self.listed.probability(answer_key) if self.listed else super().probability(answer_key)

    @property
    def certificate(self) -> Certificate[UUID]:
        """The fewest sources whose corruption flips the answer, or changes the list."""
        return self.listed.certificate if self.listed else super().certificate

    @property
    def nobody_reliable(self) -> bool:
        """Whether sources say something, and none of them takes part, or no answer of theirs has a positive weight."""
        say = bool(self.ballots) or any(reading.passages for reading in self.readings.values())
        return self.count.nobody_reliable or (say and not self.consulted)

    @cached_property
    def sources(self) -> Mapping[UUID, SourceReliability]:
        """All active sources by identifier."""
        return {source.source_id: source for source in self.reliabilities.sources}

    @cached_property
    def copies(self) -> Mapping[UUID, tuple[str, ...]]:
        """The names of the copies that each consulted source stands for."""
        return {
            source_id: tuple(self.sources[copy].name for copy in copies) for source_id, copies in self.consulted.items()
        }

    @cached_property
    def joint_dissent_of(self) -> Mapping[UUID, int]:
        """The number of the group with which each source dissents together in the run."""
        run = self.reliabilities.run
        return run.joint_dissent_of() if run else {}

    @property
    def readings(self) -> Mapping[UUID, SourceReading]:
        """The reading of every source that was read."""
        return self.selection.readings

    @cached_property
    def made_of(self) -> frozenset[UUID]:
        """The documents that were read, and the sources whose imported votes count."""
        read = {passage.document_id for reading in self.readings.values() for passage in reading.passages}
        imported = {source_id for source_id, reading in self.readings.items() if reading.imported}
        return frozenset(read | imported)

    @cached_property
    def passages(self) -> tuple[RetrievedPassage, ...]:
        """Passages of the consulted sources: the best one of each, then the second best of each, and so on."""
        ranks = zip_longest(*(self.readings[source_id].passages for source_id in self.consulted))
        return tuple(passage for rank in ranks for passage in rank if passage is not None)


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
    reader = SourceReader(runtime, context.corpus, parameters.class_policy, where, interactive=True)
    read = partial(reader.read, context.question, vector)
    reader_name = runtime.reader_for(context.question).name
    held = await hold_vote(context.question, reader_name, reliabilities, known.relevance, parameters, read)
    consulted = _consulted(held, parameters.kappa or DEFAULT_KAPPA)
    joins = await reader.joins_of(context.question)
    listed = vote_on_items(context.question, parameters, held.count, joins)
    counted = held.reliabilities, held.selection, held.votes, listed.count if listed else held.count, held.judged
    return Evidence(*counted, known.newer_documents, known.turned, where, joins, consulted, listed)


async def hold_vote(
    question: str,
    reader_name: str,
    reliabilities: Reliabilities,
    relevance: Mapping[UUID, float] | None,
    parameters: AnswerParameters,
    read: Callable[[Sequence[UUID]], Awaitable[Mapping[UUID, SourceReading]]],
) -> HeldVote:
    """Select and read sources, and count their votes.

    `relevance` is that of the candidates that a search over the corpus found; None where all sources are candidates.
    """
    if parameters.paper:
        reliabilities = reliabilities.as_in_paper()
    # RA-RAG weighs by the number of sources whatever the question.
    yes_or_no = asks_yes_or_no(question) and not parameters.paper
    electorate = reliabilities.electorate(parameters.least_reliability, yes_or_no=yes_or_no)
    rank_by = parameters.rank_by or (RankBy.RELIABILITY if parameters.kappa else RankBy.PROMISE)
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
    settings = _settings(parameters, electorate)
    selection = await select_sources(candidates, read, settings, electorate)
    votes = _votes(question, parameters, reliabilities, selection)
    if selection.stop_reason is StopReason.DECIDED and any(vote.is_newer for vote in votes):
        # The lead may rest on votes that weigh less than was assumed.
        selection = await select_sources(candidates, read, replace(settings, stop_early=False))
        votes = _votes(question, parameters, reliabilities, selection)
    rejected = {**selection.rejected, **_not_candidates(electorate, reliabilities, relevance)}
    selection = replace(selection, rejected=rejected)
    return HeldVote(reliabilities, selection, votes, electorate.count(votes), is_judged(question, reader_name))


def _settings(parameters: AnswerParameters, electorate: Electorate[UUID]) -> SelectionSettings:
    # Classes that depend on all answers may still merge, and `auto` asks whether sources disagree.
    may_stop = not parameters.class_policy.joins_keys and parameters.strategy is Strategy.WMV
    adaptive = parameters.kappa is None and may_stop
    return SelectionSettings(
        kappa=parameters.kappa,
        batch=parameters.batch,
        budget=parameters.max_readings,
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
    """The votes of the selected sources, in the order of their ballots."""
    readings = {source_id: selection.readings[source_id] for source_id in selection.selected}
    keys = class_keys(readings, parameters.class_policy, question)
    newer = _newer(parameters, reliabilities, selection)
    return tuple(
        replace(vote, answer_key=keys[vote.source_id], is_newer=vote.source_id in newer) for vote in selection.votes
    )


def _newer(parameters: AnswerParameters, reliabilities: Reliabilities, selection: Selection[UUID]) -> frozenset[UUID]:
    """Selected sources whose answer stands in documents newer than the estimate alone, but for overridden ones."""
    estimated_at = reliabilities.run.started_at if reliabilities.run else None
    if estimated_at is None or parameters.paper:
        return frozenset()
    overridden = {source.source_id for source in reliabilities.sources if source.override}
    return frozenset(
        source_id
        for source_id in selection.selected
        if source_id not in overridden
        and (stored_at := selection.readings[source_id].stored_at) is not None
        and stored_at > estimated_at
    )


def _consulted(held: HeldVote, most: int) -> Mapping[UUID, Sequence[UUID]]:
    if held.ballots:
        return held.count.participants()
    ranked = held.electorate.participants(dict.fromkeys(_most_promising(held.selection, held.electorate)))
    return dict(islice(ranked.items(), most))


def _most_promising(selection: Selection[UUID], electorate: Electorate[UUID]) -> list[UUID]:
    promise = {
        source_id: electorate.reliability(source_id) * reading.relevance
        for source_id, reading in selection.readings.items()
        if reading.passages
    }
    return sorted(promise, key=lambda source_id: (-promise[source_id], str(source_id)))
