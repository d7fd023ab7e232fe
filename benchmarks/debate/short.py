"""Questions with one right answer, in any spelling of several: how often it is given, and at what cost."""

from collections.abc import Mapping, Sequence

from answering.debates.protocol import SourceDocument
from benchmarks.data.ramdocs import Question
from benchmarks.debate.asking import Outcomes
from benchmarks.debate.scores import holds
from benchmarks.debate.strategies import Outcome
from benchmarks.harness import Cell, Report, bootstrap_mean

COLUMNS = ("strategy", "right", "only wrong", "no answer", "calls", "of these for the search", "searches", "tokens")


def short_question(
    name: str, text: str, passages: Mapping[str, str], gold: Sequence[str], wrong: Sequence[str] = ()
) -> Question:
    """A question with passages by text, each with its kind (`correct`, `misinfo`, `noise`)."""
    documents = tuple(SourceDocument(str(number), passage) for number, passage in enumerate(passages, 1))
    return Question(name, text, documents, tuple(passages.values()), ("",) * len(passages), tuple(gold), tuple(wrong))


def is_right(question: Question, outcome: Outcome) -> bool:
    """Whether an answer is, or contains, one of the spellings of the right one."""
    return any(holds(answer, gold) for answer in outcome.answers for gold in question.gold)


def tabulate_short(report: Report, title: str, done: Outcomes, questions: Sequence[Question]) -> dict[str, float]:
    """One table, a row a strategy; the shares of right answers by strategy."""
    finished = [question for question in questions if question.id in done]
    rows: list[list[Cell]] = []
    shares = {}
    for name in next(iter(done.values())):
        outcomes = [done[question.id][name] for question in finished]
        right = [is_right(question, outcome) for question, outcome in zip(finished, outcomes, strict=True)]
        spread = bootstrap_mean(right)
        wrong = [bool(outcome.answers) and not one for outcome, one in zip(outcomes, right, strict=True)]
        costs = [
            bootstrap_mean([getattr(outcome, cost) for outcome in outcomes]).mean
            for cost in ("calls", "search_calls", "searches", "tokens")
        ]
        nothing = sum(not outcome.answers for outcome in outcomes) / len(outcomes)
        shown = (f"{cost:.{digits}f}" for cost, digits in zip(costs, (1, 1, 1, 0), strict=True))
        rows.append([name, str(spread), f"{sum(wrong) / len(wrong):.3f}", f"{nothing:.3f}", *shown])
        shares[name] = spread.mean
        report.figure(f"{title}/{name}/right", spread.mean)
        report.figure(f"{title}/{name}/calls", costs[0])
    report.table(f"{title}, {len(finished)} questions; 95 % bootstrap intervals", COLUMNS, rows)
    return shares
