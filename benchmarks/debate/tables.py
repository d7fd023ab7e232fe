"""Tables of what was measured: scores with intervals and costs, and paired differences on the same questions."""

from collections.abc import Callable, Mapping, Sequence

from benchmarks.debate.questions import Question
from benchmarks.debate.scores import Score, Spread, score, spread
from benchmarks.debate.strategies import CONCATENATED, FREE, NAMES, SELECTED, Outcome, on_selected
from benchmarks.harness import Cell, Report

PAPER = (("no RAG", 5.8), ("concatenated", 32.6), ("astute", 31.8), ("madam T=3", 34.4))
PAPER_MODEL = "Llama3.3-70B on all of RAMDocs, strict, per cent"
DIFFERENCES = ["strategy", "minus", "questions", "strict", "F1"]
ALONE = "Documents of the selected sources only, minus all documents: what reliability adds"

Done = Mapping[str, Mapping[str, Outcome]]
"""By question, then by strategy."""
Scores = Mapping[str, Sequence[Score]]


def tell_free(report: Report, done: Done, questions: Sequence[Question]) -> None:
    """What needs no language model, on all questions of the reported quarter."""
    scores = scores_of(done, questions)
    title = "RAMDocs, questions never seen by the compact models, without a language model; 95 % bootstrap intervals"
    report.table(title, _COLUMNS, [_row(report, name, scores[name], _of(done, name)) for name in _listed(scores)])
    report.table(ALONE, DIFFERENCES, _minus(scores, [(f"{name}{SELECTED}", name) for name in FREE]))


def tabulate(report: Report, done: Done, questions: Sequence[Question], model: str, seconds: float) -> None:
    """The strategies with a language model beside the others, on the same questions; `seconds` a question, for all."""
    scores = scores_of(done, questions)
    title = (
        f"RAMDocs with {model}: the {len(questions)} questions that every strategy finished, {seconds:.0f} s of the "
        "model a question for all together; 95 % bootstrap intervals"
    )
    report.table(title, _COLUMNS, [_row(report, name, scores[name], _of(done, name)) for name in _listed(scores)])
    report.figure("questions with a language model", float(len(questions)))
    report.figure("model seconds a question, all strategies", seconds)
    pairs = [(name, CONCATENATED) for name in NAMES if name != CONCATENATED]
    report.table("Differences on the same questions", DIFFERENCES, _minus(scores, pairs))
    report.table(ALONE, DIFFERENCES, _minus(scores, [(f"{name}{SELECTED}", name) for name in NAMES]))
    report.table("As the paper of MADAM-RAG has it", ["strategy", PAPER_MODEL], [list(row) for row in PAPER])


def scores_of(done: Done, questions: Sequence[Question]) -> Scores:
    """The scores of each strategy, in the order of the questions."""
    names = next(iter(done.values()), {})
    return {name: [score(done[one.id][name].answers, one.gold, one.wrong) for one in questions] for name in names}


_COLUMNS = ["strategy", "questions", "strict", "precision", "recall", "F1", "calls", "tokens", "seconds"]


def _listed(scores: Scores) -> list[str]:
    return [name for name in (*NAMES, *on_selected(NAMES)) if name in scores]


def _of(done: Done, name: str) -> list[Outcome]:
    return [outcomes[name] for outcomes in done.values()]


def _row(report: Report, name: str, scores: Sequence[Score], outcomes: Sequence[Outcome]) -> list[Cell]:
    strict, f1 = spread([one.strict for one in scores]), spread([one.f1 for one in scores])
    precision, recall = (sum(values) / len(scores) for values in zip(*((s.precision, s.recall) for s in scores)))  # noqa: B905
    calls, tokens, seconds = (
        sum(values) / len(outcomes)
        for values in zip(*((o.calls, o.tokens, o.seconds) for o in outcomes))  # noqa: B905
    )
    report.figure(f"strict, {name}", strict.mean)
    report.figure(f"f1, {name}", f1.mean)
    return [name, len(scores), str(strict), f"{precision:.3f}", f"{recall:.3f}", str(f1),
            f"{calls:.1f}", f"{tokens:.0f}", f"{seconds:.1f}"]  # fmt: skip


def _minus(scores: Scores, pairs: Sequence[tuple[str, str]]) -> list[list[Cell]]:
    return [_difference(one, other, scores) for one, other in pairs if one in scores and other in scores]


def _difference(one: str, other: str, scores: Scores) -> list[Cell]:
    both = list(zip(scores[one], scores[other], strict=True))

    def apart(what: Callable[[Score], float]) -> Spread:
        return spread([what(first) - what(second) for first, second in both])

    return [one, other, len(both), apart(lambda one: one.strict).signed, apart(lambda one: one.f1).signed]
