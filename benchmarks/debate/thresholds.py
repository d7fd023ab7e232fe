"""Where `auto` should turn from the vote to all its answers: chosen on one quarter of the questions, judged on another.

No language model is asked. A rule is as good as the strict exact match of the vote where it lets that stand and of
every reading elsewhere, on all documents and on those of selected sources alike; of equals the one that lets most votes
stand is chosen.
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
from benchmarks.debate.evidence import known_of
from benchmarks.debate.scores import score
from benchmarks.debate.selection import selected
from benchmarks.harness import Cell, Report, bootstrap_mean

MODEL = DebateResources(model=True)
ALL, SELECTED = "all documents", "selected sources"
GRID = tuple(
    AutoSettings(margin=margin, certificate=certificate, confidence=confidence, conflict=conflict)
    for margin, certificate, confidence, conflict in product(
        (0.0, 0.25, 0.5, 0.75, 1.0), (0, 1, 2), (0.0, 0.8, 0.9, 0.95), (0.25, 0.34, 0.5, 1.0)
    )
)
SIGNALS: Mapping[str, Callable[[VoteEvidence[str]], float]] = {
    "few answers": lambda known: -float(len(known.vote.tally)),
    "margin": lambda known: known.vote.margin,
    "certificate": lambda known: float((known.certificate.size or 0) if known.certificate else 0),
    "confidence": lambda known: known.confidence or 0.0,
    "little conflict (CS-R)": lambda known: -(known.conflict or 0.0),
}


@dataclass(frozen=True, slots=True)
class Case:
    """What is known of a question, and whether the vote, and every reading, are strictly right."""

    evidence: VoteEvidence[str]
    vote: float
    every: float


Cases = Mapping[str, Sequence[Case]]
Rule = Callable[[Case], bool]


async def cases_of(reader: Reader, judge: Judge, questions: Sequence[Question]) -> Cases:
    """The questions with all documents, and with those of selected sources."""
    cases: dict[str, list[Case]] = {ALL: [], SELECTED: []}
    for question in questions:
        cases[ALL].append(await _case(reader, judge, question, told=False))
        cases[SELECTED].append(await _case(reader, judge, await selected(reader, question), told=True))
    return cases


async def _case(reader: Reader, judge: Judge, question: Question, *, told: bool) -> Case:
    known = await known_of(reader, judge, question.text, question.documents, told=told)
    vote = known.evidence.vote
    voted = [vote.answer] if vote.answer is not None else []
    every = [line.answer for line in vote.tally]
    strict = (score(answers, question.gold, question.wrong).strict for answers in (voted, every))
    return Case(known.evidence, *strict)


def stands(rule: AutoSettings) -> Rule:
    """Whether the vote stands under these settings."""
    return lambda case: decide(case.evidence, MODEL, rule).action is Action.VOTE


def chosen_rule(cases: Cases) -> AutoSettings:
    """The rule of the grid that is most often strictly right, of equals the one under which most votes stand."""

    def worth(rule: AutoSettings) -> tuple[float, float]:
        keeps = stands(rule)
        kept = {where: [keeps(case) for case in some] for where, some in cases.items()}
        right = [np.mean(_outcomes(some, kept[where])) for where, some in cases.items()]
        return round(float(np.mean(right)), 6), float(np.mean([np.mean(one) for one in kept.values()]))

    return max(GRID, key=worth)


def separation(cases: Sequence[Case], signal: Callable[[VoteEvidence[str]], float]) -> float:
    """The chance that the signal is higher where the vote is strictly right than where it is not (AUC)."""
    right = np.array([signal(case.evidence) for case in cases if case.vote])
    wrong = np.array([signal(case.evidence) for case in cases if not case.vote])
    if not right.size or not wrong.size:
        return float("nan")
    apart = right[:, None] - wrong[None, :]
    return float((apart > 0).mean() + (apart == 0).mean() / 2)


def tell(report: Report, choosing: Cases, reported: Cases) -> None:
    """Which signals separate, the rule that they make, and what it comes to on questions not used for it."""
    rows: list[list[Cell]] = [
        [
            name,
            *(f"{separation(cases[where], signal):.2f}" for where in (ALL, SELECTED) for cases in (choosing, reported)),
        ]
        for name, signal in SIGNALS.items()
    ]
    columns = ["signal", *(f"{where}, {part}" for where in (ALL, SELECTED) for part in ("chosen on", "reported"))]
    report.table("How well a signal tells right votes from wrong ones (AUC, 0.5 is chance)", columns, rows)
    best = chosen_rule(choosing)
    rules: dict[str, Rule] = {
        "always the vote": lambda _case: True,
        f"chosen: {_named(best)}": stands(best),
        f"default: {_named(AutoSettings())}": stands(AutoSettings()),
        "always every reading": lambda _case: False,
    }
    rows = [
        _row(report, name, rule, where, reported[where]) for where in (ALL, SELECTED) for name, rule in rules.items()
    ]
    columns = ["documents", "rule", "questions", "not safe", "right where the vote stands",
               "vote right where not safe", "strict in sum"]  # fmt: skip
    title = f"Where auto turns from the vote to every reading, chosen on {len(choosing[ALL])} other questions"
    report.table(title, columns, rows)


def _row(report: Report, name: str, rule: Rule, where: str, cases: Sequence[Case]) -> list[Cell]:
    kept = [rule(case) for case in cases]
    in_sum = bootstrap_mean(_outcomes(cases, kept))
    votes = [case.vote for case in cases]
    sides = ([vote for vote, one in zip(votes, kept, strict=True) if one is side] for side in (True, False))
    shares = [f"{np.mean(side):.3f}" if side else "-" for side in sides]
    report.figure(f"strict, {where}, {name.partition(':')[0]}", in_sum.mean)
    return [where, name, len(cases), f"{1 - np.mean(kept):.2f}", *shares, str(in_sum)]


def _outcomes(cases: Sequence[Case], kept: Sequence[bool]) -> list[float]:
    return [case.vote if one else case.every for case, one in zip(cases, kept, strict=True)]


def _named(rule: AutoSettings) -> str:
    return (
        f"margin {rule.margin:g}, certificate {rule.certificate}, confidence {rule.confidence:g}, "
        f"conflict {rule.conflict:g}"
    )
