"""Tables of what was measured: scores, costs, and paired differences on the same questions; each with its interval."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import mean

from benchmarks.data.ramdocs import Question
from benchmarks.debate.scores import Score, score
from benchmarks.debate.strategies import CONCATENATED, FREE, NAMES, SELECTED, Outcome, on_selected
from benchmarks.harness import Cell, Report, bootstrap_mean

PAPER = (("no RAG", 5.8), ("concatenated", 32.6), ("astute", 31.8), ("madam T=3", 34.4))
PAPER_MODEL = "Llama3.3-70B on all of RAMDocs, strict, per cent"
MEASURES: Mapping[str, Callable[[Score], float]] = {
    "strict": lambda one: one.strict,
    "precision": lambda one: one.precision,
    "recall": lambda one: one.recall,
    "F1": lambda one: one.f1,
}
COSTS: Mapping[str, tuple[Callable[[Outcome], float], int]] = {
    "calls": (lambda one: one.calls, 1),
    "unreadable": (lambda one: one.unreadable, 2),
    "tokens": (lambda one: one.tokens, 0),
    "seconds": (lambda one: one.seconds, 1),
}
"""A question, and the digits that are shown; `unreadable` counts agents of whom no reply could be read."""
SCORED = ["strategy", "questions", *MEASURES]
DIFFERENCES = ["strategy", "minus", "questions", *MEASURES]
ALONE = "Documents of the selected sources only, minus all documents: what reliability adds"

Done = Mapping[str, Mapping[str, Outcome]]
"""By question, then by strategy."""
Scores = Mapping[str, Sequence[Score]]


def tell_free(report: Report, done: Done, questions: Sequence[Question]) -> None:
    """What needs no language model, on all questions of the reported quarter."""
    scores = scores_of(done, questions)
    title = "RAMDocs, questions never seen by the compact models, without a language model; 95 % bootstrap intervals"
    report.table(title, SCORED, _scored(report, scores))
    report.table(ALONE, DIFFERENCES, _minus(scores, [(f"{name}{SELECTED}", name) for name in FREE]))


def tabulate(report: Report, done: Done, questions: Sequence[Question], model: str, seconds: float) -> None:
    """The strategies with a language model beside the others, on the same questions; `seconds` a question, for all."""
    scores = scores_of(done, questions)
    title = (
        f"RAMDocs with {model}: the {len(questions)} questions that every strategy finished; 95 % bootstrap intervals"
    )
    report.table(title, SCORED, _scored(report, scores))
    costs = f"What a question costs; all strategies together take {seconds:.0f} s of the model, as they share replies"
    report.table(costs, ["strategy", *COSTS], [[name, *_costs(done, name)] for name in _listed(scores)])
    for name in _listed(scores):
        report.figure(f"calls, {name}", mean(outcomes[name].calls for outcomes in done.values()))
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


def _listed(scores: Scores) -> list[str]:
    return [name for name in (*NAMES, *on_selected(NAMES)) if name in scores]


def _scored(report: Report, scores: Scores) -> list[list[Cell]]:
    rows: list[list[Cell]] = []
    for name in _listed(scores):
        spreads = {measure: bootstrap_mean([of(one) for one in scores[name]]) for measure, of in MEASURES.items()}
        for measure in ("strict", "F1"):
            report.figure(f"{measure.lower()}, {name}", spreads[measure].mean)
        rows.append([name, len(scores[name]), *map(str, spreads.values())])
    return rows


def _costs(done: Done, name: str) -> Iterator[str]:
    for of, digits in COSTS.values():
        yield bootstrap_mean([of(outcomes[name]) for outcomes in done.values()]).formatted(digits)


def _minus(scores: Scores, pairs: Sequence[tuple[str, str]]) -> list[list[Cell]]:
    return [_difference(one, other, scores) for one, other in pairs if one in scores and other in scores]


def _difference(one: str, other: str, scores: Scores) -> list[Cell]:
    both = list(zip(scores[one], scores[other], strict=True))
    apart = (bootstrap_mean([of(first) - of(second) for first, second in both]) for of in MEASURES.values())
    return [one, other, len(both), *(each.signed for each in apart)]
