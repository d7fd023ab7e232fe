"""Rows of scores: by method, subset and part of the test questions, and by number of queries for reliability."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np

from answering.debates.support import contains_phrase
from answering.text import squad_normalise
from answering.voting import Electorate
from benchmarks.data.squad import token_f1
from benchmarks.multisource import replay
from benchmarks.multisource.record import CorpusRecord, Question
from benchmarks.multisource.replay import MethodAnswer
from estimator.policies import Drift

KAPPA = 4
ESTIMATORS = ("majority", "wawa", "one_coin", "dawid_skene", "auto")
LEARNED = ("majority", "iwmv", "one_coin", "auto")
CONFLICTS = frozenset(("rgb", "poisonedrag", "conflictnq"))
CLOSE = 0.5
"""The least F1 at which an answer counts as one of these."""
READING_KINDS = ("correct", "as published", "idk", "hallucination")
QUERIES = (25, 50, 100, 200, 400)
# The subsets on which every estimator and every kappa is compared.
COMPARED = ("N=9", "N=7", "spammers=6")
_ESTIMATED = {str(method): (method, True) for method in LEARNED} | {"iwmv, no alignment": ("iwmv", False)}
"""Methods by label, and whether only aligned answers vote."""

Row = Mapping[str, Any]
Answerer = Callable[[Question], MethodAnswer]


@dataclass(frozen=True, slots=True)
class Score:
    """One answer beside the right ones."""

    right: bool
    """Of the class of a right answer."""
    exact: bool
    """The same after SQuAD's normalisation."""
    holds: bool
    """The same, or the words of a right answer stand in it."""
    f1: float
    """Shared words, the best over the right answers; 1 if of their class."""
    misled: bool
    """Of the class of a wrong answer that a source published."""


def rows(record: CorpusRecord) -> Iterator[Row]:
    """All rows of one record."""
    for name, subset in record.subsets.items():
        for method, answer in methods(record, name, subset).items():
            yield from _answer_rows(record, name, method, answer)
        if name in COMPARED:
            yield from _reliability_rows(record, name, subset)
    yield from _reading_rows(record)


def methods(record: CorpusRecord, name: str, subset: Sequence[int]) -> dict[str, Answerer]:
    """Every method of a subset by its name."""
    iwmv, _ = replay.estimated_electorate(record, subset, "iwmv")
    loose, _ = replay.estimated_electorate(record, subset, "iwmv", aligned=False)
    oracle = replay.electorate_of(replay.true_reliabilities_of(record, subset), len(subset))
    answerers: dict[str, Answerer] = {
        "oracle": _selection(record, subset, oracle, None),
        "wmv": _selection(record, subset, iwmv, None),
        "ra-rag": _selection(record, subset, iwmv, KAPPA),
        "majority": _selection(record, subset, replay.equal_electorate(len(subset)), None),
        "no relevance check": lambda question: replay.answer_unchecked(record, question, subset, iwmv, KAPPA),
        "no alignment": _selection(record, subset, loose, KAPPA, aligned=False),
    }
    if name in COMPARED:
        answerers |= {f"kappa={kappa}": _selection(record, subset, iwmv, kappa) for kappa in range(1, len(subset) + 1)}
        for method in ESTIMATORS:
            weights, _ = replay.estimated_electorate(record, subset, method)
            answerers |= {f"{method}, all": _selection(record, subset, weights, None)}
            answerers |= {f"{method}, kappa={KAPPA}": _selection(record, subset, weights, KAPPA)}
    if record.setting == "turning":
        still, _ = replay.estimated_electorate(record, subset, "auto", drift=Drift.NONE)
        answerers |= {"auto without drift, all": _selection(record, subset, still, None)}
        answerers |= {f"auto without drift, kappa={KAPPA}": _selection(record, subset, still, KAPPA)}
        by_period = replay.true_electorate_by_period(record, subset)
        answerers["oracle of both periods"] = _selection(record, subset, by_period, None)
    for rival in ("naive", "pooled", "no RAG"):
        if f"{rival}/{name}" in record.test[0].pooled:
            answerers[rival] = _pooled_answer(f"{rival}/{name}")
    return answerers


def _selection(
    record: CorpusRecord,
    subset: Sequence[int],
    electorate: Electorate[UUID],
    kappa: int | None,
    *,
    aligned: bool = True,
) -> Answerer:
    return lambda question: replay.answer_by_selection(record, question, subset, electorate, kappa, aligned=aligned)


def _pooled_answer(name: str) -> Answerer:
    return lambda question: replay.pooled(question, name)


def _answer_rows(record: CorpusRecord, subset: str, method: str, answer: Answerer) -> Iterator[Row]:
    answered = [(question, answer(question)) for question in record.test]
    for part, belongs in _PARTS.items():
        chosen = [(question, outcome) for question, outcome in answered if belongs(question)]
        if chosen and (part == "all" or record.setting in {"turning", "poison"}):
            scores = [scored(record, question, outcome.answer) for question, outcome in chosen]
            yield {
                **_row_of(record, subset, method),
                "part": part,
                "questions": len(chosen),
                "right": _mean([score.right for score in scores]),
                "exact": _mean([score.exact for score in scores]),
                "holds": _mean([score.holds for score in scores]),
                "f1": _mean([score.f1 for score in scores]),
                "misled": _mean([score.misled for score in scores]),
                "answered": _mean([outcome.answer is not None for _, outcome in chosen]),
                **_winners(record, chosen),
                "readings": _mean([outcome.readings for _, outcome in chosen]),
            }


def _winners(record: CorpusRecord, answered: Sequence[tuple[Question, MethodAnswer]]) -> Row:
    if record.setting not in CONFLICTS:
        return {}
    counts = Counter(side(question, outcome.answer) for question, outcome in answered)
    return {f"{name}_wins": counts[name] / len(answered) for name in ("true", "false")}


_PARTS: Mapping[str, Callable[[Question], bool]] = {
    "all": lambda _: True,
    "late": lambda question: question.time >= 0.5,
    "poisoned": lambda question: question.poisoned,
}


def side(question: Question, answer: str | None) -> str:
    """Whether an answer is the true one, the false one or neither, by the words it shares with them."""
    if answer is None:
        return "nothing"
    true = max(token_f1(answer, gold) for gold in question.golds)
    published = zip(question.published, question.stances, strict=True)
    wrong = {text for text, stance in published if text and stance == "misinformation"}
    false = max((token_f1(answer, text) for text in wrong), default=0.0)
    if max(true, false) < CLOSE:
        return "neither"
    return "true" if true >= false else "false"


def scored(record: CorpusRecord, question: Question, answer: str | None) -> Score:
    """The score of an answer."""
    right = replay.is_right(record, question, answer)
    golds = {record.keys[gold] for gold in question.golds}
    wrong = {record.published_keys[text] for text in question.published if text} - golds
    return Score(
        right=right,
        exact=bool(answer) and any(squad_normalise(answer or "") == squad_normalise(gold) for gold in question.golds),
        holds=right or any(contains_phrase(answer or "", gold) for gold in question.golds),
        f1=1.0 if right else max(token_f1(answer or "", gold) for gold in question.golds),
        misled=answer is not None and record.keys[answer] in wrong,
    )


def _reliability_rows(record: CorpusRecord, name: str, subset: Sequence[int]) -> Iterator[Row]:
    """Error and correlation of reliabilities by number of queries, test questions included, unlabelled."""
    questions = [*record.estimation, *record.test]
    truth = np.array(replay.true_reliabilities_of(record, subset))
    right = replay.votes_right(record, subset, questions)
    for count in sorted({min(count, len(questions)) for count in QUERIES}):
        for label, (method, aligned) in _ESTIMATED.items():
            _, estimate = replay.estimated_electorate(
                record, subset, method, questions=questions[:count], aligned=aligned
            )
            values = replay.estimated_reliability(estimate)
            inside = (right >= estimate.lower) & (right <= estimate.upper)
            yield {
                **_row_of(record, name, label),
                "part": "reliability",
                "queries": count,
                "rmse": _rmse(values, truth),
                "rmse_votes": _rmse(values, right),
                "pearson": _correlation(values, truth, ranked=False),
                "spearman": _correlation(values, truth, ranked=True),
                "pearson_votes": _correlation(values, right, ranked=False),
                "intervals_hold": float(inside[~np.isnan(right)].mean()),
            }


def _reading_rows(record: CorpusRecord) -> Iterator[Row]:
    """Shares of the kinds of reading of factual, false and irrelevant passages, with alignment and without."""
    for aligned in (True, False):
        counts = replay.kinds_of_reading(record, aligned=aligned)
        for stance in sorted({stance for stance, _ in counts}):
            total = sum(count for (shown, _), count in counts.items() if shown == stance)
            shares = {kind: counts.get((stance, kind), 0) / total for kind in READING_KINDS}
            whose = _row_of(record, stance, "aligned" if aligned else "as read")
            yield {**whose, "part": "reading", "readings": total, **shares}


def _row_of(record: CorpusRecord, subset: str, method: str) -> Row:
    return {
        "setting": record.setting, "seed": record.seed, "reader": record.reader, "subset": subset, "method": method
    }  # fmt: skip


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def _rmse(values: np.ndarray[Any, np.dtype[np.float64]], truth: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    return float(np.sqrt(np.nanmean((values - truth) ** 2)))


def _correlation(
    values: np.ndarray[Any, np.dtype[np.float64]], truth: np.ndarray[Any, np.dtype[np.float64]], *, ranked: bool
) -> float | None:
    """None where one of them does not vary."""
    from scipy import stats  # noqa: PLC0415  (takes most of a second)

    rated = ~np.isnan(truth)
    if rated.sum() < 3 or not values[rated].std() or not truth[rated].std():
        return None
    measure = stats.spearmanr if ranked else stats.pearsonr
    return float(measure(values[rated], truth[rated]).statistic)
