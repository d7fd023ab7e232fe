"""The arithmetic of an evaluation: pure, from what every source said to every query with gold answers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from scipy import stats

from answering.equivalence import ClassPolicy, answer_key
from answering.voting.selection import Ranked, ReadingStatus, Selection, SelectionSettings, SourceReading, select
from answering.voting.vote import confidence, weighted_vote
from registry.results.evaluation import (
    Calibration,
    CalibrationBin,
    Interval,
    MethodScore,
    QueryEvaluation,
    SourceEvaluation,
)
from registry.store.reliabilities import SourceReliability
from registry.store.weights import Weights

POLICY = ClassPolicy.VALUES
BINS = 5
MAX_MISTAKES = 50
# What a source counts as where gold tells little: two votes of the prior's mean.
_PRIOR_VOTES = 2.0


@dataclass(frozen=True, slots=True)
class Case:
    """A query with gold answers, what each source said to it, and what one reader said to the nearest passages."""

    query_id: UUID
    text: str
    gold_answers: tuple[str, ...]
    readings: Mapping[UUID, SourceReading]
    one_reader: str | None

    @property
    def gold_keys(self) -> frozenset[str]:
        """The classes of the right answers."""
        return frozenset(answer_key(answer, POLICY) for answer in self.gold_answers)

    def is_right(self, answer: str | None) -> bool:
        """Whether an answer is of the class of a right one."""
        return answer is not None and answer_key(answer, POLICY) in self.gold_keys


@dataclass(frozen=True, slots=True)
class Given:
    """What a method answers to a case, how sure it is, and how many sources it read."""

    answer: str | None
    confidence: float
    readings: int


Method = Callable[[Case], Given]


def interval(verdicts: Iterable[bool]) -> Interval:
    """The share of true ones with Jeffreys' 95 % interval, Beta(right + 1/2, wrong + 1/2)."""
    found = list(verdicts)
    right, wrong = sum(found), len(found) - sum(found)
    posterior = stats.beta(right + 0.5, wrong + 0.5)
    return Interval(
        right=right,
        of=len(found),
        share=right / len(found) if found else None,
        lower=float(posterior.ppf(0.025)) if right else 0.0,
        upper=float(posterior.ppf(0.975)) if wrong or not found else 1.0,
    )


def methods(cases: Sequence[Case], weights: Weights, source_ids: Sequence[UUID], kappa: int) -> dict[str, Method]:
    """Every way to answer, by its name; `selected` is what the service does."""
    ranked = [weights.ranked(source_id, None) for source_id in source_ids]
    equal = [Ranked(source_id, 0.5) for source_id in source_ids]
    counts = gold_counts(cases, source_ids)
    return {
        "selected": lambda case: _asked(case, ranked, kappa),
        "weighted": lambda case: _asked(case, ranked, None),
        "majority": lambda case: _asked(case, equal, None),
        "most_reliable": lambda case: _asked(case, ranked, 1),
        "one_reader": lambda case: Given(case.one_reader, 0.0, len(source_ids)),
        "gold_weights": lambda case: _asked(case, _ranked_by_gold(case, counts, weights, source_ids), None),
    }


DESCRIPTIONS: Mapping[str, str] = {
    "selected": "the service's default: the {kappa} most reliable sources that answer, weighted by the estimate",
    "weighted": "all sources, weighted by the estimate",
    "majority": "all sources, each counting the same",
    "most_reliable": "the most reliable source that answers, alone",
    "one_reader": "one reader over the nearest passages, whoever published them",
    "gold_weights": "all sources, weighted by what gold answers to the other queries say: as good as weights get",
}


def gold_counts(cases: Sequence[Case], source_ids: Sequence[UUID]) -> dict[UUID, tuple[int, int]]:
    """Of each source how many of its votes are right, and how many there are."""
    counts = dict.fromkeys(source_ids, (0, 0))
    for case in cases:
        for source_id, reading in case.readings.items():
            if reading.answer_key is not None:
                right, cast = counts[source_id]
                counts[source_id] = right + (reading.answer_key in case.gold_keys), cast + 1
    return counts


def _ranked_by_gold(
    case: Case, counts: Mapping[UUID, tuple[int, int]], weights: Weights, source_ids: Sequence[UUID]
) -> list[Ranked[UUID]]:
    """The sources by gold answers to all queries but this one, or the answer would be its own witness."""
    ranked = []
    for source_id in source_ids:
        right, cast = counts[source_id]
        key = case.readings[source_id].answer_key
        here = int(key in case.gold_keys) if key is not None else 0
        share = (right - here + _PRIOR_VOTES * weights.default) / (cast - int(key is not None) + _PRIOR_VOTES)
        ranked.append(Ranked(source_id, share, weights.of(share)))
    return ranked


def _asked(case: Case, ranked: Sequence[Ranked[UUID]], kappa: int | None) -> Given:
    selection = _selection(case, ranked, kappa)
    ballots = selection.ballots()
    vote = weighted_vote(ballots)
    reliabilities = {one.source.id: one.source.reliability for one in selection.selected}
    return Given(vote.answer, confidence(ballots, reliabilities, vote.winner), selection.readings)


def _selection(case: Case, ranked: Sequence[Ranked[UUID]], kappa: int | None) -> Selection[UUID]:
    walk = select(ranked, SelectionSettings(kappa=kappa or len(ranked)))
    try:
        batch = next(walk)
        while True:
            batch = walk.send({source_id: case.readings[source_id] for source_id in batch})
    except StopIteration as end:
        found: Selection[UUID] = end.value
        return found


def method_score(name: str, cases: Sequence[Case], given: Sequence[Given], kappa: int) -> MethodScore:
    """How often a method is right."""
    return MethodScore(
        name=name,
        description=DESCRIPTIONS[name].format(kappa=kappa),
        accuracy=interval(case.is_right(one.answer) for case, one in zip(cases, given, strict=True)),
        answered=sum(one.answer is not None for one in given),
        readings=sum(one.readings for one in given) / len(given),
    )


def calibration(cases: Sequence[Case], given: Sequence[Given]) -> Calibration:
    """Confidence beside accuracy, on the cases that got an answer."""
    sure = [(one.confidence, case.is_right(one.answer)) for case, one in zip(cases, given, strict=True) if one.answer]
    if not sure:
        return Calibration(bins=(), expected_error=None, brier=None)
    places = [min(int(value * BINS), BINS - 1) for value, _ in sure]
    bins = []
    for place in sorted(set(places)):
        held = [one for one, at in zip(sure, places, strict=True) if at == place]
        bins.append(
            CalibrationBin(
                lower=place / BINS,
                upper=(place + 1) / BINS,
                confidence=float(np.mean([value for value, _ in held])),
                accuracy=interval(right for _, right in held),
            )
        )
    distances = [abs(one.confidence - (one.accuracy.share or 0.0)) * one.accuracy.of for one in bins]
    return Calibration(
        bins=tuple(bins),
        expected_error=sum(distances) / len(sure),
        brier=float(np.mean([(value - right) ** 2 for value, right in sure])),
    )


def source_evaluations(cases: Sequence[Case], standings: Sequence[SourceReliability]) -> tuple[SourceEvaluation, ...]:
    """Every source's estimate beside its gold-based reliability, the best first."""
    counts = gold_counts(cases, [one.source_id for one in standings])
    found = [_source(one, *counts[one.source_id]) for one in standings]
    return tuple(sorted(found, key=lambda one: (-(one.estimated if one.estimated is not None else -1.0), one.name)))


def _source(standing: SourceReliability, right: int, cast: int) -> SourceEvaluation:
    gold = interval([True] * right + [False] * (cast - right))
    known = standing.reliability is not None and cast > 0
    return SourceEvaluation(
        source_id=standing.source_id,
        external_id=standing.external_id,
        name=standing.name,
        estimated=standing.reliability,
        overridden=standing.override is not None,
        votes=cast,
        gold=gold,
        agrees=gold.lower <= (standing.reliability or 0.0) <= gold.upper if known else None,
    )


def agreement(sources: Sequence[SourceEvaluation]) -> tuple[float | None, float | None]:
    """Pearson's r and the mean absolute difference of estimates and gold; None where they do not exist."""
    pairs = np.array(
        [(one.estimated, one.gold.share) for one in sources if one.estimated is not None and one.gold.share is not None]
    )
    if not pairs.size:
        return None, None
    difference = float(np.abs(pairs[:, 0] - pairs[:, 1]).mean())
    if len(pairs) < 3 or not pairs.std(axis=0).all():
        return None, difference
    return float(np.corrcoef(pairs.T)[0, 1]), difference


def mistakes(cases: Sequence[Case], given: Sequence[Given]) -> tuple[QueryEvaluation, ...]:
    """What went wrong, the most confident first."""
    wrong = [
        QueryEvaluation(
            query_id=case.query_id,
            text=case.text,
            answer=one.answer,
            gold_answers=case.gold_answers,
            confidence=one.confidence,
            sources_right=sum(reading.answer_key in case.gold_keys for reading in _answers(case)),
            sources_answered=len(_answers(case)),
        )
        for case, one in zip(cases, given, strict=True)
        if not case.is_right(one.answer)
    ]
    return tuple(sorted(wrong, key=lambda one: (-one.confidence, one.text))[:MAX_MISTAKES])


def _answers(case: Case) -> list[SourceReading]:
    return [reading for reading in case.readings.values() if reading.status is ReadingStatus.ANSWERED]
