"""Tables of scores, costs, and paired differences on the same questions, with intervals."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import mean

from benchmarks.data.ramdocs import Question
from benchmarks.debate.scores import Score, score
from benchmarks.debate.strategies import CONCATENATED, NAMES, SELECTED, WITHOUT_MODEL, Outcome, with_selected_sources
from benchmarks.harness import Cell, Report, bootstrap_mean

PAPER = (("no RAG", 5.8), ("concatenated", 32.6), ("astute", 31.8), ("madam T=3", 34.4))
PAPER_MODEL = "Llama3.3-70B on all of RAMDocs, strict, per cent"
MEASURES: Mapping[str, Callable[[Score], float]] = {
    "strict": lambda score: score.strict,
    "strict, whole": lambda score: score.whole,
    "precision": lambda score: score.precision,
    "recall": lambda score: score.recall,
    "F1": lambda score: score.f1,
}
COSTS: Mapping[str, tuple[Callable[[Outcome], float], int]] = {
    "calls": (lambda score: score.calls, 1),
    "unreadable": (lambda score: score.unreadable, 2),
    "tokens": (lambda score: score.tokens, 0),
    "seconds": (lambda score: score.seconds, 1),
}
"""Cost a question, and the digits shown; `unreadable` counts agents without a reply that could be parsed."""
SCORED = ["strategy", "questions", *MEASURES]
DIFFERENCES = ["strategy", "minus", "questions", *MEASURES]
SELECTED_MINUS_ALL = "Documents of the selected sources minus all documents"

Done = Mapping[str, Mapping[str, Outcome]]
"""By question, then by strategy."""
Scores = Mapping[str, Sequence[Score]]


def tabulate_without_model(report: Report, done: Done, questions: Sequence[Question]) -> None:
    """The strategies without a language model, on all reported questions."""
    scores = scores_of(done, questions)
    title = "RAMDocs, unseen questions, without a language model; 95 % bootstrap intervals"
    report.table(title, SCORED, _scored(report, scores))
    report.table(
        SELECTED_MINUS_ALL, DIFFERENCES, _differences(scores, [(f"{name}{SELECTED}", name) for name in WITHOUT_MODEL])
    )


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
    report.table("Differences on the same questions", DIFFERENCES, _differences(scores, pairs))
    report.table(SELECTED_MINUS_ALL, DIFFERENCES, _differences(scores, [(f"{name}{SELECTED}", name) for name in NAMES]))
    report.table("As the paper of MADAM-RAG has it", ["strategy", PAPER_MODEL], [list(row) for row in PAPER])


def scores_of(done: Done, questions: Sequence[Question]) -> Scores:
    """The scores of each strategy, in the order of the questions."""
    names = next(iter(done.values()), {})
    return {
        name: [score(done[question.id][name].answers, question.gold, question.wrong) for question in questions]
        for name in names
    }


def _listed(scores: Scores) -> list[str]:
    return [name for name in (*NAMES, *with_selected_sources(NAMES)) if name in scores]


def _scored(report: Report, scores: Scores) -> list[list[Cell]]:
    rows: list[list[Cell]] = []
    for name in _listed(scores):
        spreads = {measure: bootstrap_mean([of(score) for score in scores[name]]) for measure, of in MEASURES.items()}
        for measure in ("strict", "strict, whole", "F1"):
            report.figure(f"{measure.lower()}, {name}", spreads[measure].mean)
        rows.append([name, len(scores[name]), *map(str, spreads.values())])
    return rows


def _costs(done: Done, name: str) -> Iterator[str]:
    for of, digits in COSTS.values():
        yield bootstrap_mean([of(outcomes[name]) for outcomes in done.values()]).formatted(digits)


def _differences(scores: Scores, pairs: Sequence[tuple[str, str]]) -> list[list[Cell]]:
    return [_difference(first, second, scores) for first, second in pairs if first in scores and second in scores]


def _difference(first: str, second: str, scores: Scores) -> list[Cell]:
    both = list(zip(scores[first], scores[second], strict=True))
    differences = (
        bootstrap_mean([of(minuend) - of(subtrahend) for minuend, subtrahend in both]) for of in MEASURES.values()
    )
    return [first, second, len(both), *(difference.signed for difference in differences)]
