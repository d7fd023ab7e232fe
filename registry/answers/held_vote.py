"""Selects and reads the sources of a question and counts their vote, alike for answers and evaluations."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from answering.parameters import DEFAULT_KAPPA
from answering.questions.answer_type import asks_of_now, content_words
from answering.questions.asked_period import AskedPeriod
from answering.readers.yes_no import MOST_CONFIDENT, asks_yes_or_no, is_judged
from answering.voting import (
    CastVote,
    Count,
    Electorate,
    RejectionReason,
    Selection,
    SelectionSettings,
    SourceReading,
    class_keys,
    select_sources,
)
from answering.voting.newer_statements import newest_contradiction
from answering.voting.selection import StopReason
from registry.answers.schemas import AnswerParameters, KappaCounts, RankBy, Strategy
from registry.readings.service import only_candidates
from registry.sources.reliabilities import Reliabilities, SourceReliability

# How probable an answer to what is so now is if a newer statement says otherwise, and was not misread: on the news 0.21
# of 85 such answers are right (docs/results/dates.md), of documents whose facts do not change more.
RIGHT_STILL = 0.3
# How probable an answer of documents of another time is: of 192 on `this week` in the news of 2022 and 2023, from
# articles of any time, so many are right.
RIGHT_OF_ANOTHER_TIME = 0.27
# Without a kappa the selection goes on while the sources left could bring the margin of the leader below this.
SAFE_MARGIN = 0.5


@dataclass(frozen=True, slots=True)
class HeldVote:
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


def candidates_alone(parameters: AnswerParameters, source_count: int) -> bool:
    """Whether a search over the corpus chooses the sources that are read, by parameters in force."""
    given, most = parameters.candidates_only, parameters.max_readings
    if given is None and parameters.kappa is None and most is not None:
        # Where not all sources can be read, those that have nothing on the question must not spend the readings.
        given = source_count > most
    return only_candidates(source_count, given)


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
    selection = replace(selection, rejected=rejected)
    count = electorate.count(votes)
    of_another_time = _is_of_another_time(count, period)
    judged, newer = is_judged(question, reader_name), _newer_statement(reliabilities, count)
    probabilities = {key: min(each, MOST_CONFIDENT) if judged else each for key, each in count.probabilities.items()}
    winner = count.vote.winner
    if newer is not None and winner is not None and not judged and not parameters.paper and asks_of_now(question):
        probability = probabilities[winner]
        probabilities[winner] -= newer.certainty_of_reading * max(probability - RIGHT_STILL, 0.0)
    if winner is not None and of_another_time:
        probabilities[winner] = min(probabilities[winner], RIGHT_OF_ANOTHER_TIME)
    capped = count.is_capped and winner is not None and probabilities[winner] == count.confidence
    return HeldVote(reliabilities, selection, count, probabilities, capped, judged, newer, of_another_time)


def _is_of_another_time(count: Count[UUID], period: AskedPeriod | None) -> bool:
    if period is None or count.vote.winner is None:
        return False
    dates = [vote.last_published_at for vote in count.votes if vote.answer_key == count.vote.winner]
    return not any(date is None or period.start <= date < period.end for date in dates)


def _newer_statement(reliabilities: Reliabilities, count: Count[UUID]) -> CastVote[UUID] | None:
    if not count.vote.tally:
        return None
    winner = count.vote.tally[0]
    sources = {source.source_id: source for source in reliabilities.sources}
    least = max(sources[source_id].reliability or 0.0 for source_id in winner.supporters)
    return newest_contradiction(
        [vote for vote in count.votes if vote.answer_key == winner.key or _may_reach(sources[vote.source_id], least)],
        winner.key,
    )


def _may_reach(source: SourceReliability, least: float) -> bool:
    """Whether a source may be so reliable, by the upper end of its interval; an override stands for itself."""
    upper = source.reliability if source.override is not None or source.upper is None else source.upper
    return (upper or 0.0) >= least


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
