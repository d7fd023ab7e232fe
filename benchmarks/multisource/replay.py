"""Every method on the recorded readings of one corpus, by the service's own selection, electorate and estimator."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from answering.voting import (
    Candidate,
    CastVote,
    Electorate,
    Period,
    ReadingStatus,
    Selection,
    SelectionSettings,
    SourceReading,
    Voter,
    rank,
    select,
)
from benchmarks.estimated import reliabilities_of
from benchmarks.multisource.record import CorpusRecord, Question
from estimator import Estimate, VoteMatrix, estimate
from estimator.identifiability import allow_for_misreadings
from estimator.policies import Drift
from estimator.weights import accuracy_weight

Floats = NDArray[np.float64]
Subset = Sequence[int]
Periods = Sequence[tuple[float, float]]
"""Starts in [0, 1), and reliabilities, of a source that turned, in the order of time."""

# Recorded times are shares of this.
_BEGINNING, _DURATION = datetime(2020, 1, 1, tzinfo=UTC), timedelta(days=1000)
_UNKNOWN_RELIABILITY = 0.6


@dataclass(frozen=True, slots=True)
class MethodAnswer:
    """The answer of a method, None for none, the number of sources that it read, and the confidence of its vote."""

    answer: str | None
    readings: int
    confidence: float = 0.0


def electorate_of(
    reliability: Sequence[float],
    labels: int,
    weigh: Callable[[float, int], float] = accuracy_weight,
    *,
    groups: Sequence[Hashable] | None = None,
    periods: Mapping[int, Periods] | None = None,
) -> Electorate[UUID]:
    """The sources of a subset in its order, by default with the weights `L * w - 1` (RA-RAG section 3.3).

    `groups` are their copy groups, None for an independent one.
    """
    voters = [
        Voter(
            _name(source),
            min(max(float(share), 0.0), 1.0),
            copy_group=groups[source] if groups else None,
            periods=tuple(Period(_moment(start), known) for start, known in (periods or {}).get(source, ())),
        )
        for source, share in enumerate(reliability)
    ]
    known = _UNKNOWN_RELIABILITY
    return Electorate(voters, prior=known, prior_lower=known, labels=labels, weigh=weigh)


def equal_electorate(size: int) -> Electorate[UUID]:
    """Sources that all weigh the same."""
    return electorate_of((0.5,) * size, size, lambda _reliability, _labels: 1.0)


def _name(source: int) -> UUID:
    """The sources of a subset are ranked by it where they are equally reliable."""
    return UUID(int=source)


def _moment(time: float) -> datetime:
    return _BEGINNING + time * _DURATION


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


def estimated_electorate(
    record: CorpusRecord,
    subset: Subset,
    method: str,
    *,
    questions: Sequence[Question] | None = None,
    aligned: bool = True,
    drift: Drift = Drift.AUTO,
) -> tuple[Electorate[UUID], Estimate]:
    """A subset as a method estimates it, by default from the estimation questions."""
    asked = questions or record.estimation
    matrix = votes(record, asked, subset, aligned=aligned)
    time = np.array([question.time for question in asked])[matrix.triples()[0]]
    result = estimate(matrix, method, time=time, drift=drift)
    result = allow_for_misreadings(result, mean_confidence(asked, subset))
    return reliabilities_of(result, moment=_moment).electorate(), result


def estimated_reliability(result: Estimate) -> Floats:
    """(N,) with the mean of the others for sources without votes."""
    has_votes = result.vote_count > 0
    default = float(result.reliability[has_votes].mean()) if has_votes.any() else _UNKNOWN_RELIABILITY
    reliability: Floats = np.where(has_votes, result.reliability, default)
    return reliability


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
    electorate: Electorate[UUID],
    kappa: int | None,
    *,
    aligned: bool = True,
) -> MethodAnswer:
    """kappa-RRSS and the weighted vote; with `kappa` None all sources are read."""
    by_name = {_name(index): source for index, source in enumerate(subset)}
    readings = {name: _reading(record, question, source, aligned=aligned) for name, source in by_name.items()}
    settings = SelectionSettings(kappa=kappa or len(subset), batch=len(subset))
    selection = _select(readings, [electorate.candidate(name) for name in by_name], settings)
    cast = [replace(vote, published_at=_moment(question.time)) for vote in selection.votes]
    count = electorate.count(cast)
    return MethodAnswer(count.vote.answer, len(selection.readings), count.confidence)


def answer_unchecked(
    record: CorpusRecord, question: Question, subset: Subset, electorate: Electorate[UUID], kappa: int
) -> MethodAnswer:
    """The weighted vote of the kappa most reliable sources, also of those that abstain (kappa-RSS of the paper)."""
    chosen = rank([electorate.candidate(_name(index)) for index in range(len(subset))])[:kappa]
    cast = []
    for source in chosen:
        answer = question.readings[subset[source.id.int]].vote()
        if answer:
            cast.append(CastVote(source.id, record.keys[answer], answer, _moment(question.time)))
    return MethodAnswer(electorate.count(cast).vote.answer, len(chosen))


def _select(
    readings: Mapping[UUID, SourceReading], sources: Sequence[Candidate[UUID]], settings: SelectionSettings
) -> Selection[UUID]:
    """A selection over readings that were made before."""
    steps = select(sources, settings)
    try:
        batch = next(steps)
        while True:
            batch = steps.send({source: readings[source] for source in batch})
    except StopIteration as end:
        selection: Selection[UUID] = end.value
        return selection


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


def true_electorate_by_period(record: CorpusRecord, subset: Subset) -> Electorate[UUID]:
    """A subset with the shares of right answers that each source published in either half of the time."""
    early, late = (
        [_published_right(record, source, half) for source in subset]
        for half in (lambda time: time < 0.5, lambda time: time >= 0.5)
    )
    periods = {source: [(0.0, early[source]), (0.5, late[source])] for source in range(len(subset))}
    return electorate_of(late, len(subset), periods=periods)


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
