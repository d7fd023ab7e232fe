"""Every method on the recorded readings of one corpus, by the service's own selection, vote and estimator."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from answering.voting import (
    Ballot,
    Candidate,
    ReadingStatus,
    Selection,
    SelectionSettings,
    SourceReading,
    rank,
    select,
    weighted_vote,
)
from benchmarks.multisource.record import CorpusRecord, Question
from estimator import Estimate, VoteMatrix, estimate
from estimator.identifiability import allow_for_misreadings
from estimator.methods import method_named
from estimator.policies import Drift
from estimator.weights import accuracy_weight

Floats = NDArray[np.float64]
Subset = Sequence[int]


@dataclass(frozen=True, slots=True)
class SourceWeights:
    """Reliability and weight of the sources of a subset, in its order."""

    reliability: tuple[float, ...]
    weight: tuple[float, ...]
    earlier: tuple[tuple[int, float, float], ...] = ()
    """Source, end and weight of every period before the present, the earliest first."""

    @classmethod
    def of(
        cls, reliability: Sequence[float], labels: int, weigh: Callable[[float, int], float] = accuracy_weight
    ) -> "SourceWeights":
        """The weights of a method, by default `L * w - 1` (RA-RAG section 3.3)."""
        values = tuple(min(max(float(share), 0.0), 1.0) for share in reliability)
        return cls(values, tuple(weigh(share, labels) for share in values))

    def at(self, time: float) -> "SourceWeights":
        """The weights of answers published at this time; sources are ranked as at present, as the service does."""
        weight = list(self.weight)
        for source, end, earlier in reversed(self.earlier):
            if time <= end:
                weight[source] = earlier
        return replace(self, weight=tuple(weight))

    @classmethod
    def equal(cls, size: int) -> "SourceWeights":
        """Equal weights."""
        return cls((0.5,) * size, (1.0,) * size)


@dataclass(frozen=True, slots=True)
class MethodAnswer:
    """The answer of a method, None for none, and the number of sources that it read."""

    answer: str | None
    readings: int


def votes(record: CorpusRecord, questions: Sequence[Question], subset: Subset, *, aligned: bool = True) -> VoteMatrix:
    """The votes of a subset on questions, numbered by answer class."""
    triples = [
        (number, index, key)
        for number, question in enumerate(questions)
        for index, key in _numbered(record, question, subset, aligned=aligned)
    ]
    query, source, answer = np.array(triples, dtype=np.int64).reshape(-1, 3).T
    return VoteMatrix.from_triples(query, source, answer, query_count=len(questions), source_count=len(subset))


def _numbered(record: CorpusRecord, question: Question, subset: Subset, *, aligned: bool) -> list[tuple[int, int]]:
    answers = [(index, question.readings[source].vote(aligned=aligned)) for index, source in enumerate(subset)]
    keys = [(index, record.keys[answer]) for index, answer in answers if answer]
    order = {key: number for number, key in enumerate(sorted({key for _, key in keys}))}
    return [(index, order[key]) for index, key in keys]


def estimated_weights(
    record: CorpusRecord,
    subset: Subset,
    method: str,
    *,
    questions: Sequence[Question] | None = None,
    aligned: bool = True,
    drift: Drift = Drift.AUTO,
) -> tuple[SourceWeights, Estimate]:
    """The weights of a subset as a method estimates them, by default from the estimation questions."""
    asked = questions or record.estimation
    matrix = votes(record, asked, subset, aligned=aligned)
    time = np.array([question.time for question in asked])[matrix.triples()[0]]
    result = estimate(matrix, method, time=time, drift=drift)
    result = allow_for_misreadings(result, mean_confidence(asked, subset))
    has_votes = result.vote_count > 0
    default = float(result.reliability[has_votes].mean()) if has_votes.any() else 0.6
    weigh = method_named(result.method).vote_weight
    weights = SourceWeights.of(np.where(has_votes, result.reliability, default).tolist(), result.labels, weigh)
    earlier = [
        (history.source, period.end, weigh(period.reliability, result.labels))
        for history in result.histories
        for period in history.periods[:-1]
    ]
    return replace(weights, earlier=tuple(earlier)), result


def mean_confidence(questions: Sequence[Question], subset: Subset) -> Floats:
    """(N,) mean confidence of the reader in the votes of each source; 1 where none is recorded."""
    means = []
    for source in subset:
        readings = [question.readings[source] for question in questions]
        confidences = [reading.confidence for reading in readings if reading.vote() and reading.confidence is not None]
        means.append(sum(confidences) / len(confidences) if confidences else 1.0)
    return np.array(means)


def answer_by_selection(
    record: CorpusRecord,
    question: Question,
    subset: Subset,
    weights: SourceWeights,
    kappa: int | None,
    *,
    aligned: bool = True,
) -> MethodAnswer:
    """kappa-RRSS and the weighted vote; with `kappa` None all sources are read."""
    by_id = {f"{index:05d}": source for index, source in enumerate(subset)}
    readings = {id_: _reading(record, question, source, aligned=aligned) for id_, source in by_id.items()}
    settings = SelectionSettings(kappa=kappa or len(subset), batch=len(subset))
    selection = _select(readings, _ranked(weights.at(question.time)), settings)
    return MethodAnswer(weighted_vote(selection.ballots).answer, len(selection.readings))


def answer_unchecked(
    record: CorpusRecord, question: Question, subset: Subset, weights: SourceWeights, kappa: int
) -> MethodAnswer:
    """The weighted vote of the kappa most reliable sources, also of those that abstain (kappa-RSS of the paper)."""
    chosen = rank(_ranked(weights))[:kappa]
    ballots = []
    for source in chosen:
        answer = question.readings[subset[int(source.id)]].vote()
        if answer:
            ballots.append(Ballot(source.id, record.keys[answer], answer, source.weight))
    return MethodAnswer(weighted_vote(ballots).answer, len(chosen))


def _select(
    readings: Mapping[str, SourceReading], sources: Sequence[Candidate[str]], settings: SelectionSettings
) -> Selection[str]:
    """A selection over readings that were made before."""
    steps = select(sources, settings)
    try:
        batch = next(steps)
        while True:
            batch = steps.send({source: readings[source] for source in batch})
    except StopIteration as end:
        selection: Selection[str] = end.value
        return selection


def _ranked(weights: SourceWeights) -> list[Candidate[str]]:
    pairs = enumerate(zip(weights.reliability, weights.weight, strict=True))
    return [Candidate(f"{index:05d}", reliability, weight) for index, (reliability, weight) in pairs]


def _reading(record: CorpusRecord, question: Question, source: int, *, aligned: bool) -> SourceReading:
    reading = question.readings[source]
    answer = reading.vote(aligned=aligned)
    if answer:
        return SourceReading(ReadingStatus.ANSWERED, record.keys[answer], answer)
    status = ReadingStatus.ABSTAINED if reading.status is ReadingStatus.ANSWERED else reading.status
    return SourceReading(status)


def votes_right(record: CorpusRecord, subset: Subset, questions: Sequence[Question]) -> Floats:
    """The share of right votes of each source, reading errors included; NaN without votes."""
    right = np.zeros(len(subset))
    vote_count = np.zeros(len(subset))
    for question in questions:
        golds = {record.keys[gold] for gold in question.golds}
        for index, source in enumerate(subset):
            answer = question.readings[source].vote()
            if answer:
                vote_count[index] += 1
                right[index] += record.keys[answer] in golds
    shares: Floats = np.divide(right, vote_count, out=np.full(len(subset), np.nan), where=vote_count > 0)
    return shares


def is_right(record: CorpusRecord, question: Question, answer: str | None) -> bool:
    """Whether an answer is of the class of a right one."""
    return answer is not None and record.keys.get(answer) in {record.keys[gold] for gold in question.golds}


def pooled(question: Question, name: str) -> MethodAnswer:
    """The answer of a rival without sources; it counts as one reading."""
    return MethodAnswer(question.pooled[name], 1)


def true_weights_by_period(record: CorpusRecord, subset: Subset) -> SourceWeights:
    """Weights by the shares of right answers that each source published in either half of the time."""
    early, late = (
        [_published_right(record, source, half) for source in subset]
        for half in (lambda time: time < 0.5, lambda time: time >= 0.5)
    )
    weights, before = SourceWeights.of(late, len(subset)), SourceWeights.of(early, len(subset))
    return replace(weights, earlier=tuple((source, 0.5, weight) for source, weight in enumerate(before.weight)))


def _published_right(record: CorpusRecord, source: int, in_half: Callable[[float], bool]) -> float:
    stances = [question.stances[source] for question in record.questions if in_half(question.time)]
    relevant = [stance for stance in stances if stance != "irrelevant"]
    return relevant.count("factual") / max(len(relevant), 1)


def true_reliabilities_of(record: CorpusRecord, subset: Subset) -> list[float]:
    """The true reliabilities of a subset."""
    return [record.reliabilities[source] for source in subset]


def kinds_of_reading(record: CorpusRecord, *, aligned: bool) -> Mapping[tuple[str, str], int]:
    """Counts of readings of factual, false and irrelevant passages by whether they are right, as published, or none."""
    counts: dict[tuple[str, str], int] = {}
    for question in record.questions:
        for stance, published, reading in zip(question.stances, question.published, question.readings, strict=True):
            kind = _kind(record, question, published, reading.vote(aligned=aligned))
            counts[stance, kind] = counts.get((stance, kind), 0) + 1
    return counts


def _kind(record: CorpusRecord, question: Question, published: str | None, answer: str | None) -> str:
    if not answer:
        return "idk"
    if is_right(record, question, answer):
        return "correct"
    return (
        "as published"
        if published is not None and record.keys[answer] == record.published_keys[published]
        else "hallucination"
    )
