"""Tables and figures of the web benchmark; intervals are bootstrapped over questions."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from benchmarks.harness import BootstrapMean, Cell, Report, bootstrap_mean
from benchmarks.web.questions import WebQuestion
from benchmarks.web.rivals import HEADS, NAIVE, POOLED
from benchmarks.web.service import DEFAULT, METHODS, MethodAnswer
from benchmarks.web.worlds import HONEST, Worlds

NO_PAGE, MISREAD, NOT_ASKED, OUTVOTED = "on no page", "misread by all", "read by a source not asked", "outvoted"
CAUSES = (NO_PAGE, MISREAD, NOT_ASKED, OUTVOTED)
EVERYBODY = "all candidates"


def tabulate(report: Report, questions: Sequence[WebQuestion], worlds: Worlds) -> None:
    """Add the tables of right answers and lies, of losses and of costs."""
    _answers(report, questions, worlds)
    _differences(report, questions, worlds)
    _losses(report, questions, worlds)
    runs: list[list[Cell]] = [
        [estimation.world, estimation.readings, estimation.cached, estimation.votes, f"{estimation.seconds:.0f}"]
        for estimation in worlds.estimations
    ]
    report.table("Estimation runs", ["world", "readings made", "kept", "votes", "seconds"], runs)
    report.figure("estimation_readings", worlds.estimations[0].readings + worlds.estimations[0].cached)


def _answers(report: Report, questions: Sequence[WebQuestion], worlds: Worlds) -> None:
    rows: list[list[Cell]] = []
    for world, by_method in worlds.answers.items():
        for method, answers in by_method.items():
            right, lies = _right(questions, answers), _lies(questions, answers)
            readings = float(np.median([answer.readings for answer in answers]))
            rows.append(
                [world, method, _count(right, len(questions)), _count(lies, len(questions)), f"{readings:.0f}",
                 f"{np.median([answer.seconds for answer in answers]):.2f}" if method in METHODS else ""]
            )  # fmt: skip
            name = f"{world}/{method}"
            report.figure(f"{name}/right", right.mean)
            report.figure(f"{name}/lies", lies.mean)
            report.figure(f"{name}/readings", readings)
    title = f"{len(questions)} questions with 95 % intervals; readings and seconds are medians, readings kept"
    report.table(title, ["world", "method", "right", "lies adopted", "readings", "seconds"], rows)


def _differences(report: Report, questions: Sequence[WebQuestion], worlds: Worlds) -> None:
    """The service as it comes against each rival on the same questions."""
    by_method = worlds.answers[HONEST]
    rows: list[list[Cell]] = []
    for rival in (HEADS, POOLED, NAIVE, "kappa 4"):
        pairs = zip(questions, by_method[DEFAULT], by_method[rival], strict=True)
        difference = bootstrap_mean([question.is_right(ours.answer) - question.is_right(theirs.answer)
                                     for question, ours, theirs in pairs])  # fmt: skip
        rows.append([rival, difference.signed])
    report.table("Share of right answers, as it comes against rivals, nobody lies", ["rival", "difference"], rows)


def _losses(report: Report, questions: Sequence[WebQuestion], worlds: Worlds) -> None:
    by_method = worlds.answers[HONEST]
    read = [
        [*everybody.votes, *heads.votes]
        for everybody, heads in zip(by_method[EVERYBODY], by_method[HEADS], strict=True)
    ]
    rows: list[list[Cell]] = []
    for method in METHODS:
        causes = Counter(map(loss, questions, by_method[method], read))
        rows.append([method, *(causes[cause] for cause in CAUSES)])
        for cause in CAUSES:
            report.figure(f"losses/{method}/{cause}", causes[cause])
    report.table("Questions without a right answer by cause, nobody lies", ["method", *CAUSES], rows)


def loss(question: WebQuestion, given: MethodAnswer, read: Sequence[str]) -> str | None:
    """Why an answer is not right; None where it is. `read` are the answers of all readings by anybody."""
    if question.is_right(given.answer):
        return None
    if any(map(question.is_right, given.votes)):
        return OUTVOTED
    if any(map(question.is_right, read)):
        return NOT_ASKED
    return MISREAD if question.has_answer else NO_PAGE


def _right(questions: Sequence[WebQuestion], answers: Sequence[MethodAnswer]) -> BootstrapMean:
    return bootstrap_mean([q.is_right(given.answer) for q, given in zip(questions, answers, strict=True)])


def _lies(questions: Sequence[WebQuestion], answers: Sequence[MethodAnswer]) -> BootstrapMean:
    return bootstrap_mean([q.is_wrong(given.answer) for q, given in zip(questions, answers, strict=True)])


def _count(share: BootstrapMean, total: int) -> str:
    return f"{share.mean * total:.0f} [{share.low * total:.0f}, {share.high * total:.0f}]"
