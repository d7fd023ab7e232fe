"""The ways to answer that an evaluation compares, each from the readings of all sources."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from answering.readers.yes_no import asks_yes_or_no
from answering.voting import CastVote, Count, Electorate, Outcome, SourceReading, Voter, vote_outcome
from registry.answers.evidence import hold_vote
from registry.answers.question import candidates_alone
from registry.answers.schemas import AnswerParameters, Strategy
from registry.evaluations.metrics import EvaluatedQuery, MethodAnswer, gold_counts
from registry.sources.reliabilities import Reliabilities

# What a source counts as where gold tells little: two votes of the prior's mean.
_PRIOR_VOTES = 2.0

Answering = Callable[[EvaluatedQuery], Awaitable[MethodAnswer]]


@dataclass(frozen=True, slots=True)
class Method:
    description: str
    answer: Answering


def methods(
    cases: Sequence[EvaluatedQuery], reliabilities: Reliabilities, parameters: AnswerParameters
) -> dict[str, Method]:
    """All of them by name. `selected` is what the service answers; votes conflict by the same margin as there."""
    source_ids = [source.source_id for source in reliabilities.sources]
    counts = gold_counts(cases, source_ids)
    known = reliabilities.electorate()
    prior, equal = known.prior, _equal(source_ids, known.labels)

    def voted(kappa: int) -> Answering:
        of_sources = parameters.model_copy(update={"kappa": kappa, "max_readings": None})
        return partial(_held_vote, reliabilities, of_sources)

    def counted(rated: Callable[[EvaluatedQuery], Electorate[UUID]]) -> Answering:
        return partial(_counted, rated, parameters.min_margin)

    return {
        "selected": Method(f"the service: {_described(parameters)}, {_deciding(parameters)}", _asked),
        "weighted": Method("all sources, weighted by the estimate", voted(len(source_ids))),
        "majority": Method("all sources, each counting the same", counted(lambda _: equal)),
        "most_reliable": Method("the most reliable source that answers, alone", voted(1)),
        "one_reader": Method(
            "one reader over the nearest passages, whoever published them", partial(_pooled, len(source_ids))
        ),
        "gold_weights": Method(
            "all sources, weighted by what right answers to the other queries say: as good as weights get",
            counted(lambda case: _rated_by_gold(case, counts, reliabilities, prior)),
        ),
    }


def _described(parameters: AnswerParameters) -> str:
    if parameters.kappa is None:
        return f"up to {parameters.max_readings} sources, the most promising first"
    return f"the {parameters.kappa} most reliable sources that answer"


def _deciding(parameters: AnswerParameters) -> str:
    return "weighted by the estimate" if parameters.strategy is Strategy.WMV else f"strategy {parameters.strategy}"


async def _asked(case: EvaluatedQuery) -> MethodAnswer:
    return case.asked


async def _held_vote(reliabilities: Reliabilities, parameters: AnswerParameters, case: EvaluatedQuery) -> MethodAnswer:
    """The vote, selected and weighed as of a question, over readings that were made before."""

    async def read(source_ids: Sequence[UUID]) -> Mapping[UUID, SourceReading]:
        return {source_id: case.readings[source_id] for source_id in source_ids}

    known = reliabilities.on_topic(case.topic)
    relevance = None
    if candidates_alone(parameters, len(known.sources)):
        found = {source_id: reading for source_id, reading in case.readings.items() if reading.passages}
        relevance = {source_id: reading.relevance for source_id, reading in found.items()}
    held = await hold_vote(case.text, case.reader, known, relevance, parameters, read, case.period)
    winner = held.count.vote.winner
    confidence = 0.0 if winner is None else held.probabilities[winner]
    return _concluded(held.count, confidence, held.selection.readings, parameters.min_margin)


async def _counted(
    rated: Callable[[EvaluatedQuery], Electorate[UUID]], min_margin: float, case: EvaluatedQuery
) -> MethodAnswer:
    votes = [
        CastVote(source_id, reading.answer_key, reading.answer or "")
        for source_id, reading in case.readings.items()
        if reading.answer_key is not None
    ]
    electorate = rated(case)
    count = (electorate.with_labels(2) if asks_yes_or_no(case.text) else electorate).count(votes)
    return _concluded(count, count.confidence, case.readings, min_margin)


def _concluded(
    count: Count[UUID], confidence: float, readings: Mapping[UUID, SourceReading], min_margin: float
) -> MethodAnswer:
    outcome = vote_outcome(count.vote, retrieved=True, min_margin=min_margin)
    answers = () if count.vote.answer is None else (count.vote.answer,)
    return MethodAnswer(outcome, answers, confidence, sum(not reading.stated for reading in readings.values()))


async def _pooled(source_count: int, case: EvaluatedQuery) -> MethodAnswer:
    if case.pooled_answer is None:
        return MethodAnswer(Outcome.UNSUPPORTED, (), 0.0, source_count)
    return MethodAnswer(Outcome.ANSWERED, (case.pooled_answer,), 0.0, source_count)


def _equal(source_ids: Sequence[UUID], labels: int) -> Electorate[UUID]:
    voters = [Voter(source_id, 0.5) for source_id in source_ids]
    return Electorate(voters, prior=0.5, prior_lower=0.5, labels=labels, weigh=lambda *_: 1.0)


def _rated_by_gold(
    case: EvaluatedQuery, counts: Mapping[UUID, tuple[int, int]], reliabilities: Reliabilities, prior: float
) -> Electorate[UUID]:
    """The sources with their share of right votes on all other queries."""
    voters = []
    for source_id, (right, votes) in counts.items():
        key = case.readings[source_id].answer_key
        here = int(key in case.gold_keys) if key is not None else 0
        share = (right - here + _PRIOR_VOTES * prior) / (votes - int(key is not None) + _PRIOR_VOTES)
        voters.append(Voter(source_id, share))
    known = reliabilities.electorate()
    return Electorate(voters, prior=prior, prior_lower=prior, labels=known.labels, weigh=known.vote_weight)
