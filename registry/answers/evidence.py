"""The evidence of a question (RA-RAG section 3.4, arXiv:2410.22954): sources are selected and read, and their vote is
counted, alike for answers and evaluations.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, zip_longest
from uuid import UUID

from answering.equivalence import Joins, listed_items
from answering.parameters import DEFAULT_KAPPA
from answering.passages import RetrievedPassage
from answering.questions.answer_type import asks_of_now, content_words
from answering.questions.asked_period import AskedPeriod
from answering.readers import asks_for_several
from answering.readers.yes_no import MOST_CONFIDENT, asks_yes_or_no, is_judged
from answering.voting import (
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
from answering.voting.certainty import certain_votes
from answering.voting.newer_statements import certify_of_now, count_without_outdated
from answering.voting.selection import StopReason
from registry.answers.newer_statements import as_of_now, newer_statement
from registry.answers.question import Known, QuestionContext
from registry.answers.schemas import AnswerParameters, KappaCounts, RankBy, Strategy
from registry.readings.service import SourceReader
from registry.sources.reliabilities import Reliabilities, SourceReliability

# How probable an answer of documents of another time is: of 192 on `this week` in the news of 2022 and 2023, from
# articles of any time, so many are right.
RIGHT_OF_ANOTHER_TIME = 0.27
# Without a kappa the selection goes on while the sources left could bring the margin of the leader below this.
SAFE_MARGIN = 0.5


@dataclass(frozen=True, slots=True)
class HeldVote:
    """The vote of the sources that were read for a question."""

    reliabilities: Reliabilities
    selection: Selection[UUID]
    count: Count[UUID]
    """The votes of the selected sources, counted."""
    probabilities: Mapping[str, float]
    """The probability that each answer of the vote is right, by its class."""
    is_capped: bool
    """Whether that of the winner is lower because sources that came last carry it."""
    judged: bool
    """Whether the compact reader had its judge decide between yes and no."""
    newer_statement: CastVote[UUID] | None
    """What contradicts the winner of the vote and is newer than all that agree with it, by a source that may be as
    reliable as these.
    """
    is_of_another_time: bool
    """Whether the question asks about a period, and the winner of the vote was published outside it alone."""
    certificate: Certificate[UUID]
    """The fewest sources whose corruption flips the answer, or, of a list, changes it."""


@dataclass(frozen=True, slots=True)
class Evidence(HeldVote):
    """The vote on a question, of lists on their items, and what it rests on; made once, by `gather_evidence`."""

    known: Known
    sources: Mapping[UUID, SourceReliability]
    """All active sources by identifier."""
    listed: ListedVote[UUID] | None
    """The vote on each item, if the question asks for several and sources give lists."""
    vote: VoteResult[UUID]
    joins: Joins
    """Answers to the question that people joined."""
    consulted: Mapping[UUID, Sequence[UUID]]
    """Sources whose passages a debate and the ConflictScore read: the selected ones that take part, and of a copy
    group with one answer the first, with the others. Where none answered, those that were read and take part, by
    reliability times relevance, at most kappa."""
    passages: tuple[RetrievedPassage, ...]
    """Passages of the consulted sources: the best one of each, then the second best of each, and so on."""
    nobody_reliable: bool
    """Whether sources say something, and none of them takes part, or no answer of theirs has a positive weight."""
    copies: Mapping[UUID, tuple[str, ...]]
    """The names of the copies that each consulted source stands for."""


async def gather_evidence(context: QuestionContext, known: Known) -> Evidence:
    """Select the sources of a question, read them and count their vote. Raises what `SourceReader.read` raises."""
    runtime, parameters, question = context.runtime, context.parameters, context.question
    reader = SourceReader(runtime, context.corpus, parameters.class_policy, known.where, interactive=True)
    read = partial(reader.read, question, known.vector)
    reader_name = runtime.reader_for(question).name
    held = await hold_vote(
        question, reader_name, known.reliabilities, known.relevance, parameters, read, context.period
    )
    joins = await reader.joins_of(question)
    listed = vote_on_items(question, parameters, held.count, joins)
    count = listed.count if listed else held.count
    readings = held.selection.readings
    consulted = _consulted(held, parameters.kappa or DEFAULT_KAPPA)
    ranks = zip_longest(*(readings[source_id].passages for source_id in consulted))
    say = bool(count.ballots) or any(reading.passages for reading in readings.values())
    sources = {source.source_id: source for source in held.reliabilities.sources}
    return Evidence(
        reliabilities=held.reliabilities,
        known=known,
        sources=sources,
        selection=held.selection,
        count=count,
        listed=listed,
        vote=listed.result if listed else count.vote,
        probabilities=listed.probabilities if listed else held.probabilities,
        is_capped=listed.is_capped if listed else held.is_capped,
        certificate=listed.certificate if listed else held.certificate,
        judged=held.judged,
        newer_statement=held.newer_statement,
        is_of_another_time=held.is_of_another_time,
        joins=joins,
        consulted=consulted,
        passages=tuple(passage for rank in ranks for passage in rank if passage is not None),
        nobody_reliable=count.nobody_reliable or (say and not consulted),
        copies={of: tuple(sources[copy].name for copy in copies) for of, copies in consulted.items()},
    )


def _consulted(held: HeldVote, most: int) -> Mapping[UUID, Sequence[UUID]]:
    if held.count.ballots:
        return held.count.participants()
    electorate = held.count.electorate
    promise = {
        source_id: electorate.reliability(source_id) * reading.relevance
        for source_id, reading in held.selection.readings.items()
        if reading.passages
    }
    ranked = sorted(promise, key=lambda source_id: (-promise[source_id], str(source_id)))
    return dict(islice(electorate.participants(dict.fromkeys(ranked)).items(), most))


def vote_on_items(
    question: str, parameters: AnswerParameters, count: Count[UUID], joins: Joins
) -> ListedVote[UUID] | None:
    """The vote on each item that these votes list; None where the question asks for one answer, or a debate may decide,
    where no vote lists several, and where no item wins.
    """
    if parameters.strategy is not Strategy.WMV or parameters.paper or not asks_for_several(question):
        return None
    items = listed_items([vote.answer for vote in count.votes], parameters.class_policy, question, joins)
    if all(len(listed) < 2 for listed in items):
        return None
    return ListedVote.of(count, {vote.source_id: listed for vote, listed in zip(count.votes, items, strict=True)})


async def hold_vote(
    question: str,
    reader_name: str,
    reliabilities: Reliabilities,
    relevance: Mapping[UUID, float] | None,
    parameters: AnswerParameters,
    read: Callable[[Sequence[UUID]], Awaitable[Mapping[UUID, SourceReading]]],
    period: AskedPeriod | None = None,
) -> HeldVote:
    """Select and read sources, and count their votes.

    `relevance` is that of the candidates that a search over the corpus found; None where all sources are candidates.
    `period` is the one that the question asks about.
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
    selection = replace(selection, votes=votes, rejected=rejected)
    if relevance is not None and not parameters.paper:
        selection = _of_some_certainty(selection, question, reader_name)
    count = electorate.count(selection.votes)
    judged, contradiction = is_judged(question, reader_name), partial(newer_statement, reliabilities)
    of_now = asks_of_now(question) and not judged and not parameters.paper
    dates_decide = of_now and not asks_for_several(question)
    if dates_decide:
        count = count_without_outdated(count, contradiction, parameters.min_margin)
    newer = contradiction(count, count.vote.tally[0]) if selection.votes else None
    probabilities = {key: min(each, MOST_CONFIDENT) if judged else each for key, each in count.probabilities.items()}
    if of_now:
        probabilities = as_of_now(probabilities, count, newer)
    winner, of_another_time = count.vote.winner, _is_of_another_time(count, period)
    if winner is not None and of_another_time:
        probabilities[winner] = min(probabilities[winner], RIGHT_OF_ANOTHER_TIME)
    capped = count.is_capped and winner is not None and probabilities[winner] == count.confidence
    certificate = certify_of_now(count) if dates_decide else certify(count.electorate, count.votes)
    return HeldVote(reliabilities, selection, count, probabilities, capped, judged, newer, of_another_time, certificate)


def _of_some_certainty(selection: Selection[UUID], question: str, reader_name: str) -> Selection[UUID]:
    """The selection of sources in which a search found the passages, without answers that are too uncertain."""
    votes = certain_votes(selection.votes, question, reader_name)
    counting = {vote.source_id for vote in votes}
    unsure = {each: RejectionReason.UNSURE for each in selection.selected if each not in counting}
    return replace(selection, votes=votes, rejected={**unsure, **selection.rejected})


def _is_of_another_time(count: Count[UUID], period: AskedPeriod | None) -> bool:
    if period is None or count.vote.winner is None:
        return False
    dates = [vote.last_published_at for vote in count.votes if vote.answer_key == count.vote.winner]
    return not any(date is None or period.start <= date < period.end for date in dates)


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
    asked = content_words(question)
    return tuple(
        replace(
            vote,
            answer_key=keys[vote.source_id],
            is_newer=vote.source_id in newer,
            around=content_words(readings[vote.source_id].around) - asked,
        )
        for vote in selection.votes
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
