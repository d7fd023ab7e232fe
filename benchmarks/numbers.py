"""`python -m benchmarks.numbers`: votes that are numbers, by nearness and by equality.

Times of flights, areas and populations of countries, forecasts, and numbers whose errors are drawn: how far the
weighted median of `estimate_numbers` is from the truth, beside the mean, the median, the most frequent value, and the
answers of the service's default method, which compares answers for equality. A method that has no answer where the
truth is known is measured by the median there. `--quick` takes three days of flights.
"""

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from benchmarks.data.number_sets import FLIGHT_TIMES, Floats, NumberSet, countries, drawn, flights, forecasts
from benchmarks.harness import Benchmark, Headline, Report, run
from benchmarks.harness.report import Cell
from estimator import VoteMatrix, estimate, estimate_numbers

OURS = "weighted median"
BENCHMARK = Benchmark(
    "numbers",
    "votes that are numbers: nearness against equality",
    page="numbers",
    headlines=tuple(
        Headline(
            f"mean error, {name}",
            f"{name}, {OURS}.error",
            {rival: f"{name}, {rival}.error" for rival in ("mean", "median", "equality: auto")},
            higher_is_better=False,
        )
        for name in ("flights, scheduled arrival", "countries, population", "forecasts of replications")
    ),
)
Answer = Callable[[NumberSet], Floats]


def measure(report: Report) -> None:
    """Each method on each set."""
    sets = list(_sets(report))
    compared = [{name: _answers(each, method) for name, method in METHODS.items()} for each in sets]
    title = "Mean error (minutes; share of the truth; distance from 0 or 1; in units of the spread of the truths)"
    report.table(title, ["set", "known", *METHODS], list(_rows(report, sets, compared, "error", ".3f")))
    report.table(
        "Share right (to the minute; within 1 %; on the right side of a half; within 0.1)",
        ["set", "known", *METHODS],
        list(_rows(report, sets, compared, "right", ".3f")),
    )
    rows: list[list[Cell]] = []
    for each in sets:
        result = estimate_numbers(
            each.query, each.source, each.value, query_count=each.truth.size, source_count=each.source_count
        )
        known = ~np.isnan(each.truth)
        inside = (result.lower <= each.truth)[known] & (each.truth <= result.upper)[known]
        report.figure(f"{each.name}.inside", float(inside.mean()))
        counts = (f"{each.value.size:,}", each.source_count, f"{each.truth.size:,}", result.rounds)
        rows.append([each.name, *counts, f"{inside.mean():.3f}"])
    columns = ["set", "votes", "sources", "queries", "rounds", "truth inside the range of 90 %"]
    report.table("The sets, and the ranges", columns, rows)


def _sets(report: Report) -> Iterator[NumberSet]:
    for attribute in FLIGHT_TIMES:
        yield flights(report.folder("flight_first_half"), attribute, days=3 if report.options.quick else 16)
    for fact in ("area", "population"):
        yield countries(report.folder("countries"), fact)
    yield forecasts(report.folder("replication_forecasts"))
    yield drawn()


def _rows(
    report: Report, sets: list[NumberSet], compared: list[dict[str, Floats]], figure: str, form: str
) -> Iterator[list[str]]:
    for each, answers in zip(sets, compared, strict=True):
        row = []
        for name, answer in answers.items():
            errors = each.errors(answer)
            value = float(errors.mean() if figure == "error" else _right(each, errors))
            report.figure(f"{each.name}, {name}.{figure}", value)
            row.append(f"{value:{form}}")
        yield [each.name, f"{np.isfinite(each.truth).sum():,}", *row]


def _right(numbers: NumberSet, errors: Floats) -> float:
    # A forecast of exactly a half is on no side.
    return float((errors < 0.5 if numbers.near == 0.5 else errors <= numbers.near).mean())


def _answers(numbers: NumberSet, method: Answer) -> Floats:
    answers = method(numbers)
    return np.where(np.isnan(answers), _median(numbers), answers)


def _mean(numbers: NumberSet) -> Floats:
    count = np.bincount(numbers.query, minlength=numbers.truth.size)
    return np.asarray(np.bincount(numbers.query, numbers.value, numbers.truth.size) / count)


def _median(numbers: NumberSet) -> Floats:
    order = np.lexsort((numbers.value, numbers.query))
    start = np.searchsorted(numbers.query[order], np.arange(numbers.truth.size + 1))
    value, size = numbers.value[order], np.diff(start)
    return np.asarray((value[start[:-1] + (size - 1) // 2] + value[start[:-1] + size // 2]) / 2)


def _equal(method: str) -> Answer:
    def answer(numbers: NumberSet) -> Floats:
        values, number = np.unique(numbers.value, return_inverse=True)
        votes = VoteMatrix.from_triples(
            numbers.query,
            numbers.source,
            number,
            query_count=numbers.truth.size,
            source_count=numbers.source_count,
        )
        chosen = estimate(votes, method).answer
        return np.where(chosen >= 0, values[chosen], np.nan)

    return answer


def _weighted(numbers: NumberSet) -> Floats:
    return estimate_numbers(
        numbers.query,
        numbers.source,
        numbers.value,
        query_count=numbers.truth.size,
        source_count=numbers.source_count,
    ).value


METHODS: Mapping[str, Answer] = {
    OURS: _weighted,
    "mean": _mean,
    "median": _median,
    "equality: majority": _equal("majority"),
    "equality: auto": _equal("auto"),
}


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
