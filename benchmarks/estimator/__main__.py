"""`python -m benchmarks.estimator`: accuracy, error, coverage and speed of estimation.

Votes are drawn as in RA-RAG (arXiv:2410.22954) section 4: coverage 0.6, 9 wrong answers, N = 9 and 4 sources, M = 50,
200 and 1,000 queries. Measured are the accuracy of the answers, the error of the reliabilities, and how many true
reliabilities the 90 % intervals hold, beside crowd-kit on the same votes; then six sets of crowdsourced labels, the
time of three large cases, and whether it stays linear up to a hundred million votes. The floor is the error that
counting would have if all right answers were known.

Settings and hyperpriors were chosen on seeds 500 and up; results are reported on seeds 0 and up.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.estimator import BENCHMARK
from benchmarks.estimator.bands import measure_bands
from benchmarks.estimator.crowd import measure_crowd
from benchmarks.estimator.drift import measure_drift
from benchmarks.estimator.gold import measure_gold
from benchmarks.estimator.rivals import RIVALS, MethodOutput, MethodUnderTest, rival_present, under_test
from benchmarks.estimator.scale import measure_scale
from benchmarks.estimator.speed import measure_speed
from benchmarks.estimator.topics import measure_topics
from benchmarks.harness import Interval, Report, interval, run
from benchmarks.harness.plots import PLOTS, Panel, PlotStyle, draw_panels
from estimator import LabelCount, VoteMatrix, estimate
from tests.estimator.synthetic import Prior, Sample, Scenario, draw

Floats = NDArray[np.float64]

OURS = ("majority", "wawa", "iwmv", "one_coin")
LINES = {
    "oracle, floor": ("#444444", ":"),
    "majority": ("#888888", "-"),
    "iwmv": ("#b04a3a", "-"),
    "one_coin": ("#1b9e77", "-"),
    "crowd-kit OneCoin": ("#2f6f9f", "--"),
}
# Seconds a method may take for one scenario before the remaining seeds are skipped; the first two always run.
_BUDGET = 60.0
# Answer accuracy measured by an independent implementation.
INDEPENDENT = {"iwmv": 0.878, "majority": 0.711, "oracle": 0.877}


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of one method on every sample of a scenario."""

    accuracy: tuple[float, ...]
    error: tuple[float, ...]
    covered: tuple[float, ...]


def ours(method: str, votes: VoteMatrix, labels: LabelCount | None = None) -> MethodOutput:
    """The output of one of our methods."""
    result = estimate(votes, method, labels=labels)
    return MethodOutput(result.answer, result.reliability, result.lower, result.upper)


def methods_under_test(report: Report) -> dict[str, MethodUnderTest]:
    """Our methods, and those of crowd-kit where it is installed."""
    methods: dict[str, MethodUnderTest] = {str(method): partial(ours, method) for method in OURS}
    methods["iwmv, L estimated"] = partial(ours, "iwmv", labels=LabelCount.ESTIMATED)
    rivals = RIVALS if rival_present(report) else {}
    return methods | {name: under_test(rival) for name, rival in rivals.items()}


def floor(sample: Sample) -> MethodOutput:
    """Answers with weights of the true reliabilities, and reliabilities counted with all right answers known."""
    result = estimate(sample.votes, "oracle", true_reliability=sample.true_reliability)
    query, source, answer = sample.votes.triples()
    right = np.bincount(source, answer == sample.truth[query], sample.true_reliability.size)
    counted = np.divide(right, result.vote_count, out=np.full(right.size, np.nan), where=result.vote_count > 0)
    return MethodOutput(result.answer, counted, result.lower, result.upper)


def scores(samples: Sequence[Sample], outputs: Iterable[MethodOutput]) -> Scores:
    """Compare outputs with what the samples were drawn from; the last samples may have none."""
    accuracy, error, covered = [], [], []
    for sample, output in zip(samples, outputs, strict=False):
        truth = sample.true_reliability
        accuracy.append(sample.accuracy(output.answer))
        estimated = ~np.isnan(output.reliability)
        error.append(root_mean_square((output.reliability - truth)[estimated]))
        covered.append(float(((output.lower <= truth) & (truth <= output.upper)).mean()))
    return Scores(tuple(accuracy), tuple(error), tuple(covered))


def root_mean_square(differences: Floats) -> float:
    """The root of the mean square; NaN of an empty array."""
    return float(np.sqrt((differences**2).mean())) if differences.size else float("nan")


def scenarios(report: Report) -> list[Scenario]:
    """The grid of priors, numbers of sources and numbers of queries."""
    queries = (200,) if report.options.quick else (50, 200, 1_000)
    return [Scenario(sources, count, prior) for prior in Prior for sources in (9, 4) for count in queries]


def within_budget(method: MethodUnderTest, samples: Sequence[Sample]) -> Iterator[MethodOutput]:
    """Outputs on as many samples as the time budget allows."""
    begin = time.perf_counter()
    for number, sample in enumerate(samples):
        if number >= 2 and time.perf_counter() - begin > _BUDGET:
            return
        yield method(sample.votes)


def quality(report: Report) -> None:
    """Accuracy, error and coverage over the grid, as tables and plots."""
    methods, rows, coverage = methods_under_test(report), [], []
    panels: dict[str, list[tuple[float, dict[str, Scores]]]] = {}
    seeds = min(report.options.seeds, 2) if report.options.quick else report.options.seeds
    for scenario in scenarios(report):
        samples = [draw(scenario, np.random.default_rng(seed)) for seed in range(seeds)]
        scored = {"oracle, floor": scores(samples, map(floor, samples))}
        scored |= {name: scores(samples, within_budget(method, samples)) for name, method in methods.items()}
        rows += [_row(report, scenario, name, score) for name, score in scored.items()]
        over_floor = np.mean(scored["one_coin"].error) / np.mean(scored["oracle, floor"].error)
        report.figure(f"{_key(scenario)}.one_coin.rmse_over_floor", float(over_floor))
        coverage.append([*_names(scenario), *(f"{np.mean(scored[name].covered):.3f}" for name in _WITH_INTERVALS)])
        votes = float(np.mean([sample.votes.vote_count for sample in samples]))
        panels.setdefault(f"{scenario.prior}, N = {scenario.source_count}", []).append((votes, scored))
        report.figure(f"{_key(scenario)}.votes", votes)
        for name in _WITH_INTERVALS:
            report.figure(f"{_key(scenario)}.{name}.coverage", float(np.mean(scored[name].covered)))
    report.table(
        "Coverage 0.6, 9 wrong answers: means with 95 % intervals",
        ["prior", "N", "M", "method", "seeds", "answer accuracy", "reliability RMSE"],
        rows,
    )
    overall = {
        name: float(np.mean([float(row[column]) for row in coverage])) for column, name in enumerate(_WITH_INTERVALS, 3)
    }
    for name, share in overall.items():
        report.figure(f"coverage.{name}", share)
    report.table(
        "How many of the true reliabilities the 90 % intervals hold",
        ["prior", "N", "M", *_WITH_INTERVALS],
        [*coverage, ["all", "", "", *(f"{share:.3f}" for share in overall.values())]],
    )
    if not report.options.quick:
        style = PlotStyle("votes", "RMSE of the reliabilities", LINES, _logarithmic)
        draw_panels([_panel(title, points) for title, points in panels.items()], style, PLOTS / "estimator.png")


def _panel(title: str, points: Sequence[tuple[float, Mapping[str, Scores]]]) -> Panel:
    """The mean errors of every method that has any, against votes."""
    names = [name for name, score in points[0][1].items() if not np.isnan(score.error).any()]
    curves = {name: [float(np.mean(scored[name].error)) for _, scored in points] for name in names}
    return Panel(title, [votes for votes, _ in points], curves)


_WITH_INTERVALS = ("one_coin", "iwmv")


def _row(report: Report, scenario: Scenario, method: str, score: Scores) -> list[str]:
    accuracy, errors = interval(score.accuracy), interval(score.error)
    report.figure(f"{_key(scenario)}.{method}.accuracy", accuracy.mean)
    report.figure(f"{_key(scenario)}.{method}.reliability_rmse", errors.mean)
    return [*_names(scenario), method, str(len(score.accuracy)), str(accuracy), _error(errors)]


def _key(scenario: Scenario) -> str:
    return f"{scenario.prior}.{scenario.source_count}.{scenario.query_count}"


def _names(scenario: Scenario) -> list[str]:
    return [scenario.prior, str(scenario.source_count), f"{scenario.query_count:,}"]


def _error(errors: Interval) -> str:
    return "" if np.isnan(errors.mean) else f"{errors.mean:.4f} ± {errors.half_width:.4f}"


def agreement(report: Report) -> None:
    """The figures of an independent implementation beside means of 20 of our seeds."""
    samples = [draw(Scenario(), np.random.default_rng(seed)) for seed in range(400)]
    accuracy = np.array([[_accuracy(sample, method) for method in INDEPENDENT] for sample in samples])
    means = accuracy[np.random.default_rng(0).integers(len(samples), size=(20_000, 20))].mean(axis=1)
    theirs = np.array(list(INDEPENDENT.values()))
    majority = list(INDEPENDENT).index("majority")
    similar = means[np.abs(means[:, majority] - theirs[majority]) < 0.01]
    rows = [
        [
            method,
            f"{theirs[column]:.3f}",
            str(interval(accuracy[:, column].tolist())),
            _range(means[:, column]),
            _range(similar[:, column]),
        ]
        for column, method in enumerate(INDEPENDENT)
    ]
    report.table(
        "An independent implementation: N = 9, M = 200, spammer-hammer, 20 seeds",
        [
            "method",
            "theirs",
            "ours, 400 seeds",
            "95 % of means of 20 seeds",
            "those with majority ± 0.01",
        ],
        rows,
    )


def _accuracy(sample: Sample, method: str) -> float:
    truth = sample.true_reliability if method == "oracle" else None
    return sample.accuracy(estimate(sample.votes, method, true_reliability=truth).answer)


def _range(values: Floats) -> str:
    low, high = np.percentile(values, [2.5, 97.5])
    return f"{low:.3f} to {high:.3f}"


def measure(report: Report) -> None:
    """All parts of the benchmark."""
    parts = [quality, measure_crowd, measure_bands, *([] if report.options.quick else [agreement])]
    for part in (*parts, measure_drift, measure_topics, measure_gold, measure_speed, measure_scale):
        begin = time.perf_counter()
        part(report)
        report.figure(f"part.{part.__name__}.minutes", (time.perf_counter() - begin) / 60)


def _logarithmic(axis: Any) -> None:  # noqa: ANN401 - matplotlib ships no types
    axis.set_yscale("log")
    axis.set_xscale("log")
    axis.set_yticks([0.01, 0.02, 0.05, 0.1, 0.2], ["0.01", "0.02", "0.05", "0.10", "0.20"])
    axis.minorticks_off()


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
