"""Accuracy, calibration and reliability errors, from answers and readings of queries with gold answers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from scipy.special import betaincinv

from answering.equivalence import NO_JOINS, ClassPolicy, Joins, answer_key
from answering.questions.asked_period import AskedPeriod
from answering.text import squad_normalise
from answering.voting import Outcome, ReadingStatus, SourceReading
from registry.estimations.schemas import QuestionTopic
from registry.evaluations.schemas import (
    Calibration,
    CalibrationBin,
    Interval,
    MethodScore,
    QueryEvaluation,
    SourceEvaluation,
)
from registry.sources.reliabilities import SourceReliability

BINS = 5
MAX_MISTAKES = 50


@dataclass(frozen=True, slots=True)
class EvaluatedQuery:
    """A query with gold answers, the reading of each source, and the answer of one reader to all sources together."""

    query_id: UUID
    text: str
    gold_answers: tuple[str, ...]
    readings: Mapping[UUID, SourceReading]
    pooled_answer: str | None
    asked: "MethodAnswer"
    reader: str
    """Name of the reader of its sources."""
    topic: QuestionTopic | None = None
    policy: ClassPolicy = ClassPolicy.VALUES
    """The rule by which two answers count as the same."""
    period: AskedPeriod | None = None
    joins: Joins = NO_JOINS
    """Answers to it that people joined."""

    @property
    def gold_keys(self) -> frozenset[str]:
        """The classes of the right answers."""
        answers = self.joins.with_joined(self.gold_answers, self.policy, self.text)
        return frozenset(answer_key(answer, self.policy, self.text) for answer in answers)

    def is_right(self, answer: "MethodAnswer") -> bool:
        """Whether it is an answer, and all that it names are of the class of a right one."""
        keys = {answer_key(named, self.policy, self.text) for named in answer.answers}
        return answer.is_one and keys <= self.gold_keys


@dataclass(frozen=True, slots=True)
class MethodAnswer:
    outcome: Outcome
    answers: tuple[str, ...]
    """Several where they conflict, or where a debate found several right."""
    confidence: float
    readings: int
    """Sources read; what came as data is not read."""

    @property
    def is_one(self) -> bool:
        return self.outcome is Outcome.ANSWERED


def interval(verdicts: Iterable[bool]) -> Interval:
    """The share of true verdicts with Jeffreys' 95 % interval, quantiles of Beta(right + 1/2, wrong + 1/2)."""
    outcomes = list(verdicts)
    right, wrong = sum(outcomes), len(outcomes) - sum(outcomes)
    return Interval(
        right=right,
        of=len(outcomes),
        share=right / len(outcomes) if outcomes else None,
        lower=float(betaincinv(right + 0.5, wrong + 0.5, 0.025)) if right else 0.0,
        upper=float(betaincinv(right + 0.5, wrong + 0.5, 0.975)) if wrong or not outcomes else 1.0,
    )


def gold_counts(cases: Sequence[EvaluatedQuery], source_ids: Sequence[UUID]) -> dict[UUID, tuple[int, int]]:
    """The number of right votes and of all votes of each source."""
    counts = dict.fromkeys(source_ids, (0, 0))
    for case in cases:
        for source_id, reading in case.readings.items():
            if reading.answer_key is not None:
                right, votes = counts[source_id]
                counts[source_id] = right + (reading.answer_key in case.gold_keys), votes + 1
    return counts


def method_score(
    name: str, description: str, cases: Sequence[EvaluatedQuery], answers: Sequence[MethodAnswer]
) -> MethodScore:
    """The share of queries on which a method is right."""
    return MethodScore(
        name=name,
        description=description,
        accuracy=interval(case.is_right(answer) for case, answer in zip(cases, answers, strict=True)),
        answered=sum(answer.is_one for answer in answers),
        conflicting=sum(answer.outcome is Outcome.CONFLICTING for answer in answers),
        readings=sum(answer.readings for answer in answers) / len(answers),
    )


def calibration(cases: Sequence[EvaluatedQuery], answers: Sequence[MethodAnswer]) -> Calibration:
    """Confidence beside accuracy, on the cases that got an answer."""
    rated = [
        (answer.confidence, case.is_right(answer)) for case, answer in zip(cases, answers, strict=True) if answer.is_one
    ]
    if not rated:
        return Calibration(bins=(), expected_error=None, brier=None)
    by_bin: dict[int, list[tuple[float, bool]]] = {}
    for value, right in rated:
        by_bin.setdefault(min(int(value * BINS), BINS - 1), []).append((value, right))
    bins = tuple(
        CalibrationBin(
            lower=number / BINS,
            upper=(number + 1) / BINS,
            confidence=float(np.mean([value for value, _ in members])),
            accuracy=interval(right for _, right in members),
        )
        for number, members in sorted(by_bin.items())
    )
    distances = [abs(bin_.confidence - (bin_.accuracy.share or 0.0)) * bin_.accuracy.of for bin_ in bins]
    return Calibration(
        bins=bins,
        expected_error=sum(distances) / len(rated),
        brier=float(np.mean([(value - right) ** 2 for value, right in rated])),
    )


def source_evaluations(
    cases: Sequence[EvaluatedQuery], reliabilities: Sequence[SourceReliability]
) -> tuple[SourceEvaluation, ...]:
    """Every source's estimate beside its share of right votes by gold, in descending order of the estimates."""
    source_ids = [source.source_id for source in reliabilities]
    counts, misread = gold_counts(cases, source_ids), reader_errors(cases, source_ids)
    sources = [_source(source, *counts[source.source_id], misread[source.source_id]) for source in reliabilities]
    return tuple(
        sorted(sources, key=lambda source: (-(-1.0 if source.estimated is None else source.estimated), source.name))
    )


def reader_errors(cases: Sequence[EvaluatedQuery], source_ids: Sequence[UUID]) -> dict[UUID, int]:
    """The number of wrong votes of each source although the passages read contain a right answer, word for word."""
    counts = dict.fromkeys(source_ids, 0)
    for case in cases:
        for source_id, reading in case.readings.items():
            is_wrong = reading.answer_key is not None and reading.answer_key not in case.gold_keys
            counts[source_id] += is_wrong and _states(reading, case.gold_answers)
    return counts


def _states(reading: SourceReading, answers: Sequence[str]) -> bool:
    texts = [f" {squad_normalise(passage.content)} " for passage in reading.passages]
    words = [f" {normal} " for answer in answers if (normal := squad_normalise(answer))]
    return any(answer in text for text in texts for answer in words)


def _source(source: SourceReliability, right: int, votes: int, misread: int) -> SourceEvaluation:
    gold = interval([True] * right + [False] * (votes - right))
    statements = interval([True] * right + [False] * (votes - misread - right))
    estimated = gold if source.misread_count is None else statements
    comparable = source.reliability is not None and estimated.of > 0
    return SourceEvaluation(
        source_id=source.source_id,
        external_id=source.external_id,
        name=source.name,
        estimated=source.reliability,
        overridden=source.override is not None,
        votes=votes,
        gold=gold,
        agrees=estimated.lower <= (source.reliability or 0.0) <= estimated.upper if comparable else None,
        reader_errors=misread,
        statements=statements,
        misread_count=source.misread_count,
    )


def agreement(sources: Sequence[SourceEvaluation]) -> tuple[float | None, float | None]:
    """Pearson's r and the mean absolute difference of estimates and gold; None where they do not exist."""
    pairs = np.array(
        [
            (source.estimated, source.by_gold.share)
            for source in sources
            if source.estimated is not None and source.by_gold.share is not None
        ]
    )
    if not pairs.size:
        return None, None
    difference = float(np.abs(pairs[:, 0] - pairs[:, 1]).mean())
    if len(pairs) < 3 or not pairs.std(axis=0).all():
        return None, difference
    return float(np.corrcoef(pairs.T)[0, 1]), difference


def mistakes(cases: Sequence[EvaluatedQuery], answers: Sequence[MethodAnswer]) -> tuple[QueryEvaluation, ...]:
    """Queries with a wrong answer, several that conflict or none, in descending order of confidence."""
    wrong = [
        QueryEvaluation(
            query_id=case.query_id,
            text=case.text,
            answer="; ".join(answer.answers) or None,
            outcome=answer.outcome,
            gold_answers=case.gold_answers,
            confidence=answer.confidence,
            sources_right=sum(reading.answer_key in case.gold_keys for reading in _answers(case)),
            sources_answered=len(_answers(case)),
        )
        for case, answer in zip(cases, answers, strict=True)
        if not case.is_right(answer)
    ]
    return tuple(sorted(wrong, key=lambda query: (-query.confidence, query.text))[:MAX_MISTAKES])


def _answers(case: EvaluatedQuery) -> list[SourceReading]:
    return [reading for reading in case.readings.values() if reading.status is ReadingStatus.ANSWERED]
