"""Harvests to rows: one a method, panel and part of the test questions; one a number of queries for reliability."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from answering.text import squad_normalise
from benchmarks.multisource import replay
from benchmarks.multisource.harvest import Harvest, Question
from benchmarks.multisource.replay import Answered, Trust

KAPPA = 4
ESTIMATORS = ("majority", "wawa", "bayes", "confusion", "auto")
LEARNED = ("majority", "iwmv", "bayes", "auto")
CONFLICTS = frozenset(("rgb", "poisonedrag", "conflictnq"))
CLOSE = 0.5
"""From this F1 on an answer whose wording was left to others counts as theirs."""
READING_KINDS = ("correct", "as told", "idk", "hallucination")
QUERIES = (25, 50, 100, 200, 400)
# The figures in which every estimator and every kappa is compared; elsewhere the paper's methods are.
COMPARED = ("N=9", "N=7", "spammers=6")
_ESTIMATED = {str(method): (method, True) for method in LEARNED} | {"iwmv, no alignment": ("iwmv", False)}
"""Methods by label, and whether only aligned answers vote."""

Row = Mapping[str, Any]
Answerer = Callable[[Question], Answered]


@dataclass(frozen=True, slots=True)
class Score:
    """One answer beside the right ones."""

    right: bool
    """Of the class of a right answer."""
    exact: bool
    """The same after SQuAD's normalisation."""
    f1: float
    """Shared words, the best over the right answers; 1 if of their class."""
    misled: bool
    """What a source that errs was given to tell."""


def rows(harvest: Harvest) -> Iterator[Row]:
    """All that is measured on one harvest."""
    for name, panel in harvest.panels.items():
        for method, answer in methods(harvest, name, panel).items():
            yield from _answer_rows(harvest, name, method, answer)
        if name in COMPARED:
            yield from _reliability_rows(harvest, name, panel)
    yield from _reading_rows(harvest)


def methods(harvest: Harvest, name: str, panel: Sequence[int]) -> dict[str, Answerer]:
    """Every method of a panel by its name."""
    iwmv, _ = replay.trusted(harvest, panel, "iwmv")
    loose, _ = replay.trusted(harvest, panel, "iwmv", aligned=False)
    oracle = Trust.of(replay.panel_truth(harvest, panel), len(panel))
    found: dict[str, Answerer] = {
        "oracle": _walk(harvest, panel, oracle, None),
        "wmv": _walk(harvest, panel, iwmv, None),
        "ra-rag": _walk(harvest, panel, iwmv, KAPPA),
        "majority": _walk(harvest, panel, Trust.equal(len(panel)), None),
        "no relevance check": lambda question: replay.unchecked(harvest, question, panel, iwmv, KAPPA),
        "no alignment": _walk(harvest, panel, loose, KAPPA, aligned=False),
    }
    if name in COMPARED:
        found |= {f"kappa={kappa}": _walk(harvest, panel, iwmv, kappa) for kappa in range(1, len(panel) + 1)}
        for method in ESTIMATORS:
            trust, _ = replay.trusted(harvest, panel, method)
            found |= {f"{method}, all": _walk(harvest, panel, trust, None)}
            found |= {f"{method}, kappa={KAPPA}": _walk(harvest, panel, trust, KAPPA)}
    for rival in ("naive", "pooled"):
        if f"{rival}/{name}" in harvest.test[0].pooled:
            found[rival] = _pool(f"{rival}/{name}")
    return found


def _walk(harvest: Harvest, panel: Sequence[int], trust: Trust, kappa: int | None, *, aligned: bool = True) -> Answerer:
    return lambda question: replay.selected(harvest, question, panel, trust, kappa, aligned=aligned)


def _pool(name: str) -> Answerer:
    return lambda question: replay.pooled(question, name)


def _answer_rows(harvest: Harvest, panel: str, method: str, answer: Answerer) -> Iterator[Row]:
    answered = [(question, answer(question)) for question in harvest.test]
    for part, belongs in _PARTS.items():
        some = [(question, one) for question, one in answered if belongs(question)]
        if some and (part == "all" or harvest.setting in {"turning", "poison"}):
            scores = [scored(harvest, question, one.answer) for question, one in some]
            yield {
                **_whose(harvest, panel, method),
                "part": part,
                "questions": len(some),
                "right": _mean([score.right for score in scores]),
                "exact": _mean([score.exact for score in scores]),
                "f1": _mean([score.f1 for score in scores]),
                "misled": _mean([score.misled for score in scores]),
                "answered": _mean([one.answer is not None for _, one in some]),
                **_sides(harvest, some),
                "readings": _mean([one.readings for _, one in some]),
            }


def _sides(harvest: Harvest, answered: Sequence[tuple[Question, Answered]]) -> Row:
    if harvest.setting not in CONFLICTS:
        return {}
    counts = Counter(side(question, one.answer) for question, one in answered)
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
    lies = {told for told, stance in zip(question.told, question.stances, strict=True) if stance == "misinformation"}
    false = max((token_f1(answer, told) for told in lies if told), default=0.0)
    if max(true, false) < CLOSE:
        return "neither"
    return "true" if true >= false else "false"


def scored(harvest: Harvest, question: Question, answer: str | None) -> Score:
    """How good an answer is."""
    right = replay.is_right(harvest, question, answer)
    lies = {harvest.told_keys[told] for told in question.told if told} - {harvest.keys[one] for one in question.golds}
    said = answer or ""
    return Score(
        right=right,
        exact=bool(answer) and any(squad_normalise(said) == squad_normalise(gold) for gold in question.golds),
        f1=1.0 if right else max(token_f1(said, gold) for gold in question.golds),
        misled=answer is not None and harvest.keys[answer] in lies,
    )


def token_f1(said: str, wanted: str) -> float:
    """The harmonic mean of precision and recall of words (Rajpurkar et al. 2016)."""
    one, other = squad_normalise(said).split(), squad_normalise(wanted).split()
    shared = sum((Counter(one) & Counter(other)).values())
    return 2 * shared / (len(one) + len(other)) if shared else 0.0


def _reliability_rows(harvest: Harvest, name: str, panel: Sequence[int]) -> Iterator[Row]:
    """How well reliability is known from so many queries; the tests' readings, unlabelled, make up the longer lists."""
    asked = [*harvest.estimation, *harvest.test]
    truth = np.array(replay.panel_truth(harvest, panel))
    right = replay.votes_right(harvest, panel, asked)
    for count in sorted({min(count, len(asked)) for count in QUERIES}):
        for label, (method, aligned) in _ESTIMATED.items():
            trust, found = replay.trusted(harvest, panel, method, questions=asked[:count], aligned=aligned)
            values = np.array(trust.reliability)
            inside = (right >= found.lower) & (right <= found.upper)
            yield {
                **_whose(harvest, name, label),
                "part": "reliability",
                "queries": count,
                "rmse": _rmse(values, truth),
                "rmse_votes": _rmse(values, right),
                "pearson": _correlation(values, truth, ranked=False),
                "spearman": _correlation(values, truth, ranked=True),
                "pearson_votes": _correlation(values, right, ranked=False),
                "intervals_hold": float(inside[~np.isnan(right)].mean()),
            }


def _reading_rows(harvest: Harvest) -> Iterator[Row]:
    """What became of factual, false and irrelevant passages, with the alignment and without."""
    for aligned in (True, False):
        counts = replay.kinds_of_reading(harvest, aligned=aligned)
        for stance in sorted({stance for stance, _ in counts}):
            total = sum(count for (one, _), count in counts.items() if one == stance)
            shares = {kind: counts.get((stance, kind), 0) / total for kind in READING_KINDS}
            whose = _whose(harvest, stance, "aligned" if aligned else "as read")
            yield {**whose, "part": "reading", "readings": total, **shares}


def _whose(harvest: Harvest, panel: str, method: str) -> Row:
    return {
        "setting": harvest.setting, "seed": harvest.seed, "reader": harvest.reader, "panel": panel, "method": method
    }  # fmt: skip


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def _rmse(values: np.ndarray[Any, np.dtype[np.float64]], truth: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    return float(np.sqrt(np.nanmean((values - truth) ** 2)))


def _correlation(
    values: np.ndarray[Any, np.dtype[np.float64]], truth: np.ndarray[Any, np.dtype[np.float64]], *, ranked: bool
) -> float | None:
    """None where one of them does not vary."""
    known = ~np.isnan(truth)
    if known.sum() < 3 or not values[known].std() or not truth[known].std():
        return None
    measure = stats.spearmanr if ranked else stats.pearsonr
    return float(measure(values[known], truth[known]).statistic)
