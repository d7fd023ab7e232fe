"""The thresholds at which `auto` keeps the vote, chosen on one quarter of the questions, reported on another.

No language model is called. A rule is scored by the strict score of the vote where it keeps it and of every reading
elsewhere, on all documents and on those of selected sources alike; of equals the one that keeps most votes is chosen.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from answering.debates import DebateResources, VoteEvidence, decide
from answering.debates.auto import Action, AutoSettings
from answering.judges import Judge
from answering.readers import Reader
from benchmarks.data.ramdocs import Question
from benchmarks.debate.evidence import evidence_for
from benchmarks.debate.scores import score
from benchmarks.debate.selection import with_selected_documents
from benchmarks.harness import Cell, Report, bootstrap_mean

WITH_MODEL = DebateResources(model=True)
ALL, SELECTED = "all documents", "selected sources"
GRID = tuple(
    AutoSettings(margin=margin, certificate=certificate, confidence=confidence, conflict=conflict)
    for margin, certificate, confidence, conflict in product(
        (0.0, 0.25, 0.5, 0.75, 1.0), (0, 1, 2), (0.0, 0.8, 0.9, 0.95), (0.25, 0.34, 0.5, 1.0)
    )
)
SIGNALS: Mapping[str, Callable[[VoteEvidence[str]], float]] = {
    "few answers": lambda evidence: -float(len(evidence.vote.tally)),
    "margin": lambda evidence: evidence.vote.margin,
    "certificate": lambda evidence: float((evidence.certificate.size or 0) if evidence.certificate else 0),
    "confidence": lambda evidence: evidence.confidence or 0.0,
    "little conflict (CS-R)": lambda evidence: -(evidence.conflict or 0.0),
}


@dataclass(frozen=True, slots=True)
class Case:
    """The evidence on a question, and whether the vote, and every reading, are strictly right."""

    evidence: VoteEvidence[str]
    vote: float
    every: float


Cases = Mapping[str, Sequence[Case]]
Rule = Callable[[Case], bool]


async def cases_of(reader: Reader, judge: Judge, questions: Sequence[Question]) -> Cases:
    """The questions with all documents, and with those of selected sources."""
    cases: dict[str, list[Case]] = {ALL: [], SELECTED: []}
    for question in questions:
        cases[ALL].append(await _case(reader, judge, question, weighted=False))
        cases[SELECTED].append(
            await _case(reader, judge, await with_selected_documents(reader, question), weighted=True)
        )
    return cases


async def _case(reader: Reader, judge: Judge, question: Question, *, weighted: bool) -> Case:
    timed = await evidence_for(reader, judge, question.text, question.documents, weighted=weighted)
    vote = timed.evidence.vote
    voted = [vote.answer] if vote.answer is not None else []
    every = [line.answer for line in vote.tally]
    strict = (score(answers, question.gold, question.wrong).strict for answers in (voted, every))
    return Case(timed.evidence, *strict)


def keeps_vote(rule: AutoSettings) -> Rule:
    """The rule that keeps the vote as `auto` does under these settings."""
    return lambda case: decide(case.evidence, WITH_MODEL, rule).action is Action.VOTE


def best_rule(cases: Cases) -> AutoSettings:
    """The settings of the grid that are most often strictly right; of equals those that keep most votes."""

    def objective(rule: AutoSettings) -> tuple[float, float]:
        keeps = keeps_vote(rule)
        kept = {documents: [keeps(case) for case in group] for documents, group in cases.items()}
        strict = [np.mean(_strict(group, kept[documents])) for documents, group in cases.items()]
        return round(float(np.mean(strict)), 6), float(np.mean([np.mean(group) for group in kept.values()]))

    return max(GRID, key=objective)


def separation(cases: Sequence[Case], signal: Callable[[VoteEvidence[str]], float]) -> float:
    """The probability that the signal is higher where the vote is strictly right than where it is not (AUC)."""
    right = np.array([signal(case.evidence) for case in cases if case.vote])
    wrong = np.array([signal(case.evidence) for case in cases if not case.vote])
    if not right.size or not wrong.size:
        return float("nan")
    difference = right[:, None] - wrong[None, :]
    return float((difference > 0).mean() + (difference == 0).mean() / 2)


def tabulate_thresholds(report: Report, calibration: Cases, reported: Cases) -> None:
    """How well signals separate, the chosen rule, and its scores on the reported questions."""
    rows: list[list[Cell]] = [
        [
            name,
            *(
                f"{separation(cases[where], signal):.2f}"
                for where in (ALL, SELECTED)
                for cases in (calibration, reported)
            ),
        ]
        for name, signal in SIGNALS.items()
    ]
    columns = ["signal", *(f"{where}, {part}" for where in (ALL, SELECTED) for part in ("calibration", "reported"))]
    report.table("How well a signal tells right votes from wrong ones (AUC, 0.5 is chance)", columns, rows)
    best = best_rule(calibration)
    rules: dict[str, Rule] = {
        "always the vote": lambda _case: True,
        f"chosen: {_described(best)}": keeps_vote(best),
        f"default: {_described(AutoSettings())}": keeps_vote(AutoSettings()),
        "always every reading": lambda _case: False,
    }
    rows = [
        _row(report, name, rule, where, reported[where]) for where in (ALL, SELECTED) for name, rule in rules.items()
    ]
    columns = ["documents", "rule", "questions", "not safe", "right where the vote is kept",
               "vote right where not safe", "strict overall"]  # fmt: skip
    title = f"Thresholds of auto, chosen on {len(calibration[ALL])} other questions"
    report.table(title, columns, rows)


def _row(report: Report, name: str, rule: Rule, where: str, cases: Sequence[Case]) -> list[Cell]:
    kept = [rule(case) for case in cases]
    overall = bootstrap_mean(_strict(cases, kept))
    votes = [case.vote for case in cases]
    sides = ([vote for vote, is_kept in zip(votes, kept, strict=True) if is_kept is side] for side in (True, False))
    shares = [f"{np.mean(side):.3f}" if side else "-" for side in sides]
    report.figure(f"strict, {where}, {name.partition(':')[0]}", overall.mean)
    return [where, name, len(cases), f"{1 - np.mean(kept):.2f}", *shares, str(overall)]


def _strict(cases: Sequence[Case], kept: Sequence[bool]) -> list[float]:
    return [case.vote if is_kept else case.every for case, is_kept in zip(cases, kept, strict=True)]


def _described(rule: AutoSettings) -> str:
    return (
        f"margin {rule.margin:g}, certificate {rule.certificate}, confidence {rule.confidence:g}, "
        f"conflict {rule.conflict:g}"
    )
