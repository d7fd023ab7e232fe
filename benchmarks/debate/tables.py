"""Tables of what was measured: scores with intervals, paired differences, and where `auto` should turn."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from benchmarks.debate.questions import Question
from benchmarks.debate.scores import Score, Spread, score, spread
from benchmarks.debate.store import Row
from benchmarks.debate.strategies import AUTO, AUTO_DEBATE, NAMES, ON_SELECTED, SELECTED, VOTE
from benchmarks.harness import Cell, Report

REFERENCE = "concatenated"
PAPER = (("no RAG", 5.8), ("concatenated", 32.6), ("astute", 31.8), ("madam T=3", 34.4))

ByQuestion = dict[str, Row]


def tabulate(report: Report, rows: Sequence[Row], questions: Sequence[Question]) -> None:
    """Everything that is known of these questions."""
    known = {question.id: question for question in questions}
    done: defaultdict[str, ByQuestion] = defaultdict(dict)
    for row in rows:
        if row["question"] in known:
            done[row["strategy"]][row["question"]] = row
    _scores(report, done, known)
    _differences(report, done, known)
    _selected(report, done, known)
    _turning(report, done, known)
    columns = ["strategy", "Llama3.3-70B on all of RAMDocs, strict, per cent"]
    report.table("As the paper of MADAM-RAG has it", columns, [list(row) for row in PAPER])


def scored(rows: ByQuestion, known: Mapping[str, Question]) -> dict[str, Score]:
    """The score of each question."""
    return {id_: score(row["answers"], known[id_].gold, known[id_].wrong) for id_, row in rows.items()}


def _scores(report: Report, done: Mapping[str, ByQuestion], known: Mapping[str, Question]) -> None:
    rows: list[list[Cell]] = []
    for name in [name for name in NAMES if done.get(name)]:
        scores = list(scored(done[name], known).values())
        strict, f1 = spread([one.strict for one in scores]), spread([one.f1 for one in scores])
        precision, recall = (
            sum(getattr(one, what) for one in scores) / len(scores) for what in ("precision", "recall")
        )
        costs = [_mean(done[name], what) for what in ("calls", "tokens", "seconds")]
        rows.append([name, len(scores), str(strict), f"{precision:.3f}", f"{recall:.3f}", str(f1),
                     f"{costs[0]:.1f}", f"{costs[1]:.0f}", f"{costs[2]:.1f}"])  # fmt: skip
        report.figure(f"strict, {name}", strict.mean)
        report.figure(f"f1, {name}", f1.mean)
    columns = ["strategy", "questions", "strict", "precision", "recall", "F1", "calls", "tokens", "seconds"]
    report.table("RAMDocs, questions never seen by the compact models; 95 % bootstrap intervals", columns, rows)


def _differences(report: Report, done: Mapping[str, ByQuestion], known: Mapping[str, Question]) -> None:
    pairs = [(name, REFERENCE) for name in NAMES if name != REFERENCE]
    rows = [row for one, other in pairs if (row := _difference(one, other, done, known))]
    columns = ["strategy", "minus", "questions", "strict", "F1"]
    report.table("Differences on the same questions", columns, rows)


def _selected(report: Report, done: Mapping[str, ByQuestion], known: Mapping[str, Question]) -> None:
    rows = [row for name in ON_SELECTED if (row := _difference(f"{name}{SELECTED}", name, done, known))]
    title = "Documents of the selected sources only, minus all documents: what reliability adds"
    report.table(title, ["strategy", "minus", "questions", "strict", "F1"], rows)


def _difference(
    one: str, other: str, done: Mapping[str, ByQuestion], known: Mapping[str, Question]
) -> list[Cell] | None:
    first, second = scored(done.get(one, {}), known), scored(done.get(other, {}), known)
    both = sorted(first.keys() & second.keys())
    if not both:
        return None

    def apart(what: Callable[[Score], float]) -> Spread:
        return spread([what(first[id_]) - what(second[id_]) for id_ in both])

    return [one, other, len(both), apart(lambda one: one.strict).signed, apart(lambda one: one.f1).signed]


def _turning(report: Report, done: Mapping[str, ByQuestion], known: Mapping[str, Question]) -> None:
    """How good and how dear it is to let votes with margin and little conflict stand and to debate all else."""
    voted, debated = scored(done.get(VOTE, {}), known), scored(done.get(AUTO_DEBATE, {}), known)
    both = sorted(voted.keys() & debated.keys() & done.get(AUTO, {}).keys())
    rows: list[list[Cell]] = []
    for margin in (0.0, 0.25, 0.5, 0.75, 1.01):
        for conflict in (0.0, 0.34, 0.5, 1.0):
            stands = {id_ for id_ in both if _stands(done[AUTO][id_]["why"], margin, conflict)}
            chosen = [voted[id_] if id_ in stands else debated[id_] for id_ in both]
            if chosen:
                strict, f1 = spread([one.strict for one in chosen]), spread([one.f1 for one in chosen])
                share = 1 - len(stands) / len(both)
                rows.append([f"{margin:.2f}", f"{conflict:.2f}", f"{share:.2f}", str(strict), str(f1)])
    columns = ["margin", "conflict", "debated", "strict", "F1"]
    report.table(
        "Where auto could turn: a vote stands with at least this margin and at most this conflict", columns, rows
    )


def _stands(why: Mapping[str, float | None], margin: float, conflict: float) -> bool:
    return bool(why["classes"]) and (why["margin"] or 0.0) >= margin and (why["conflict"] or 0.0) <= conflict


def _mean(rows: ByQuestion, what: str) -> float:
    return float(sum(row[what] for row in rows.values()) / len(rows))
