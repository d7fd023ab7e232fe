"""Every method on one harvest, by the service's own selection, vote and estimator: only the asking is not repeated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from answering.voting import (
    Ballot,
    Candidate,
    ReadingStatus,
    SelectionSettings,
    SourceReading,
    rank,
    select_from,
    weighted_vote,
)
from benchmarks.multisource.harvest import Harvest, Question
from estimator import Estimate, VoteMatrix, estimate

Floats = NDArray[np.float64]
Panel = Sequence[int]


@dataclass(frozen=True, slots=True)
class Trust:
    """What the sources of a panel count, in its order."""

    reliability: tuple[float, ...]
    weight: tuple[float, ...]

    @classmethod
    def of(cls, reliability: Sequence[float], labels: int) -> "Trust":
        """The service's weights: `L * w - 1` (RA-RAG section 3.3)."""
        values = tuple(min(max(float(one), 0.0), 1.0) for one in reliability)
        return cls(values, tuple(labels * one - 1 for one in values))

    @classmethod
    def equal(cls, size: int) -> "Trust":
        """Everybody counts the same."""
        return cls((0.5,) * size, (1.0,) * size)


@dataclass(frozen=True, slots=True)
class Answered:
    """What a method answers, None for nothing, and how many sources it had to read."""

    answer: str | None
    readings: int


def votes(harvest: Harvest, questions: Sequence[Question], panel: Panel, *, aligned: bool = True) -> VoteMatrix:
    """The votes of a panel on some questions; answers of one class have one number."""
    triples = [
        (place, seat, key)
        for place, question in enumerate(questions)
        for seat, key in _numbered(harvest, question, panel, aligned=aligned)
    ]
    query, source, answer = np.array(triples, dtype=np.int64).reshape(-1, 3).T
    return VoteMatrix.from_triples(query, source, answer, query_count=len(questions), source_count=len(panel))


def _numbered(harvest: Harvest, question: Question, panel: Panel, *, aligned: bool) -> list[tuple[int, int]]:
    said = [(seat, question.said[source].vote(aligned=aligned)) for seat, source in enumerate(panel)]
    keys = [(seat, harvest.keys[answer]) for seat, answer in said if answer]
    order = {key: place for place, key in enumerate(sorted({key for _, key in keys}))}
    return [(seat, order[key]) for seat, key in keys]


def trusted(
    harvest: Harvest,
    panel: Panel,
    method: str,
    *,
    questions: Sequence[Question] | None = None,
    aligned: bool = True,
) -> tuple[Trust, Estimate]:
    """The panel as a method estimates it, from the questions that estimate unless others are given."""
    asked = harvest.estimation if questions is None else questions
    found = estimate(votes(harvest, asked, panel, aligned=aligned), method)
    known = found.vote_count > 0
    default = float(found.reliability[known].mean()) if known.any() else 0.6
    return Trust.of(np.where(known, found.reliability, default).tolist(), found.labels), found


def selected(
    harvest: Harvest, question: Question, panel: Panel, trust: Trust, kappa: int | None, *, aligned: bool = True
) -> Answered:
    """kappa-RRSS and the weighted vote, as `ask` makes them; `kappa` None asks everybody."""
    by_id = {f"{seat:05d}": source for seat, source in enumerate(panel)}
    readings = {id_: _reading(harvest, question, source, aligned=aligned) for id_, source in by_id.items()}
    settings = SelectionSettings(kappa=kappa or len(panel), batch=len(panel))
    selection = select_from(readings, _ranked(trust), settings)
    return Answered(weighted_vote(selection.ballots).answer, len(selection.readings))


def unchecked(harvest: Harvest, question: Question, panel: Panel, trust: Trust, kappa: int) -> Answered:
    """The kappa most reliable sources, whether or not they know anything of the question (the paper's kappa-RSS)."""
    chosen = rank(_ranked(trust))[:kappa]
    ballots = []
    for one in chosen:
        answer = question.said[panel[int(one.id)]].vote()
        if answer:
            ballots.append(Ballot(one.id, harvest.keys[answer], answer, one.weight))
    return Answered(weighted_vote(ballots).answer, len(chosen))


def _ranked(trust: Trust) -> list[Candidate[str]]:
    pairs = enumerate(zip(trust.reliability, trust.weight, strict=True))
    return [Candidate(f"{seat:05d}", reliability, weight) for seat, (reliability, weight) in pairs]


def _reading(harvest: Harvest, question: Question, source: int, *, aligned: bool) -> SourceReading:
    said = question.said[source]
    answer = said.vote(aligned=aligned)
    if answer:
        return SourceReading(ReadingStatus.ANSWERED, harvest.keys[answer], answer)
    status = ReadingStatus.ABSTAINED if said.status is ReadingStatus.ANSWERED else said.status
    return SourceReading(status)


def votes_right(harvest: Harvest, panel: Panel, questions: Sequence[Question]) -> Floats:
    """The share of each source's votes that are right, reading errors included; NaN without votes."""
    right = np.zeros(len(panel))
    cast = np.zeros(len(panel))
    for question in questions:
        golds = {harvest.keys[gold] for gold in question.golds}
        for seat, source in enumerate(panel):
            answer = question.said[source].vote()
            if answer:
                cast[seat] += 1
                right[seat] += harvest.keys[answer] in golds
    shares: Floats = np.divide(right, cast, out=np.full(len(panel), np.nan), where=cast > 0)
    return shares


def is_right(harvest: Harvest, question: Question, answer: str | None) -> bool:
    """Whether an answer is of the class of a right one."""
    return answer is not None and harvest.keys.get(answer) in {harvest.keys[gold] for gold in question.golds}


def pooled(question: Question, name: str) -> Answered:
    """What a rival that knows no sources answered; it reads once, however many passages."""
    return Answered(question.pooled[name], 1)


def panel_truth(harvest: Harvest, panel: Panel) -> list[float]:
    """The reliabilities that a panel was made with."""
    return [harvest.reliabilities[source] for source in panel]


def kinds_of_reading(harvest: Harvest, *, aligned: bool) -> Mapping[tuple[str, str], int]:
    """How often a source given factual, false or irrelevant passages was read right, as told, as nothing or else."""
    counts: dict[tuple[str, str], int] = {}
    for question in harvest.questions:
        for stance, told, said in zip(question.stances, question.told, question.said, strict=True):
            kind = _kind(harvest, question, told, said.vote(aligned=aligned))
            counts[stance, kind] = counts.get((stance, kind), 0) + 1
    return counts


def _kind(harvest: Harvest, question: Question, told: str | None, answer: str | None) -> str:
    if not answer:
        return "idk"
    if is_right(harvest, question, answer):
        return "correct"
    return "as told" if told is not None and harvest.keys[answer] == harvest.told_keys[told] else "hallucination"
