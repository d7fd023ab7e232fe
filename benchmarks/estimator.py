"""The arithmetic of estimation: how right it is, how sure it rightly is, and how fast.

Accuracy of the answers and error of the reliabilities on votes drawn as in RA-RAG section 4 (coverage 0.6, 9 wrong
answers), at N = 9 and 4 sources and M = 50, 200 and 1,000 queries, beside crowd-kit's methods on the same votes. The
floor is what counting would find if all right answers were known. How often the 90 % intervals hold the truth. Six sets
of crowdsourced labels. The time of three large cases, and whether it stays linear up to a hundred million votes. Two
pictures: error and coverage against the number of votes.

Settings and hyperpriors were chosen on seeds 500 and up; what is reported is drawn from seeds 0 and up.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.estimator_crowd import crowd
from benchmarks.estimator_plot import draw_coverage, draw_errors
from benchmarks.estimator_rivals import RIVALS, Contestant, Verdict, contestant, rival_present
from benchmarks.estimator_scale import scale
from benchmarks.estimator_speed import speed
from benchmarks.harness import Interval, Report, interval, run
from benchmarks.panels import Panel
from estimator import LabelCount, Method, VoteMatrix, estimate
from estimator.synthetic import Prior, Sample, Scenario, draw

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

OURS = (Method.MAJORITY, Method.WAWA, Method.IWMV, Method.BAYES)
# A rival that has taken so many seconds of a scenario gets no more seeds, but has two.
_BUDGET = 60.0
# Answer accuracy as an independent implementation measured it.
INDEPENDENT = {Method.IWMV: 0.878, Method.MAJORITY: 0.711, Method.ORACLE: 0.877}


@dataclass(frozen=True, slots=True)
class Scores:
    """What one contestant scored on every sample of a scenario."""

    accuracy: tuple[float, ...]
    error: tuple[float, ...]
    covered: tuple[float, ...]


def ours(method: Method, votes: VoteMatrix, labels: LabelCount | None = None) -> Verdict:
    """Our estimate by this method."""
    result = estimate(votes, method, labels=labels)
    return Verdict(result.answer, result.reliability, result.lower, result.upper)


def contestants(report: Report) -> dict[str, Contestant]:
    """Everyone who can be measured here; says who cannot."""
    known: dict[str, Contestant] = {str(method): partial(ours, method) for method in OURS}
    known["iwmv, L estimated"] = partial(ours, Method.IWMV, labels=LabelCount.ESTIMATED)
    rivals = RIVALS if rival_present(report) else {}
    return known | {name: contestant(method) for name, method in rivals.items()}


def floor(sample: Sample) -> Verdict:
    """Weights of the true reliabilities, and reliabilities counted with all right answers known."""
    result = estimate(sample.votes, Method.ORACLE, true_reliability=sample.true_reliability)
    query, source, answer = sample.votes.triples()
    right = np.bincount(source, answer == sample.truth[query], sample.true_reliability.size)
    counted = np.divide(right, result.vote_count, out=np.full(right.size, np.nan), where=result.vote_count > 0)
    return Verdict(result.answer, counted, result.lower, result.upper)


def scores(samples: Sequence[Sample], verdicts: Iterable[Verdict]) -> Scores:
    """Compare verdicts with what the samples were drawn from; the last samples may have none."""
    accuracy, error, covered = [], [], []
    for sample, verdict in zip(samples, verdicts, strict=False):
        truth = sample.true_reliability
        accuracy.append(sample.accuracy(verdict.answer))
        known = ~np.isnan(verdict.reliability)
        error.append(root_mean_square((verdict.reliability - truth)[known]))
        covered.append(float(((verdict.lower <= truth) & (truth <= verdict.upper)).mean()))
    return Scores(tuple(accuracy), tuple(error), tuple(covered))


def root_mean_square(differences: Floats) -> float:
    """NaN of nothing."""
    return float(np.sqrt((differences**2).mean())) if differences.size else float("nan")


def scenarios(report: Report) -> list[Scenario]:
    """The grid."""
    queries = (200,) if report.options.quick else (50, 200, 1_000)
    return [Scenario(sources, count, prior) for prior in Prior for sources in (9, 4) for count in queries]


def within_budget(judge: Contestant, samples: Sequence[Sample]) -> Iterator[Verdict]:
    """Verdicts on as many samples as the budget of time allows."""
    begin = time.perf_counter()
    for number, sample in enumerate(samples):
        if number >= 2 and time.perf_counter() - begin > _BUDGET:
            return
        yield judge(sample.votes)


def quality(report: Report) -> None:
    """Two tables over the grid, accuracy and error, and coverage, and their pictures."""
    rivals, rows, coverage = contestants(report), [], []
    panels: dict[str, list[tuple[float, dict[str, Scores]]]] = {}
    counted = min(report.options.seeds, 2) if report.options.quick else report.options.seeds
    for scenario in scenarios(report):
        samples = [draw(scenario, np.random.default_rng(seed)) for seed in range(counted)]
        found = {"oracle, floor": scores(samples, map(floor, samples))}
        found |= {who: scores(samples, within_budget(judge, samples)) for who, judge in rivals.items()}
        rows += [_row(report, scenario, who, score) for who, score in found.items()]
        coverage.append([*_names(scenario), *(f"{np.mean(found[who].covered):.3f}" for who in _WITH_INTERVALS)])
        votes = float(np.mean([sample.votes.vote_count for sample in samples]))
        panels.setdefault(f"{scenario.prior}, N = {scenario.source_count}", []).append((votes, found))
        report.figure(f"{_key(scenario)}.votes", votes)
        for who in _WITH_INTERVALS:
            report.figure(f"{_key(scenario)}.{who}.coverage", float(np.mean(found[who].covered)))
    report.table(
        "Coverage 0.6, 9 wrong answers: means with 95 % intervals",
        ["prior", "N", "M", "who", "seeds", "answer accuracy", "reliability RMSE"],
        rows,
    )
    overall = [f"{np.mean([float(row[place]) for row in coverage]):.3f}" for place in (3, 4)]
    report.table(
        "How many of the true reliabilities the 90 % intervals hold",
        ["prior", "N", "M", *_WITH_INTERVALS],
        [*coverage, ["all", "", "", *overall]],
    )
    if not report.options.quick:
        draw_errors([_panel(title, points, "error") for title, points in panels.items()])
        draw_coverage([_panel(title, points, "covered") for title, points in panels.items()])


def _panel(title: str, points: Sequence[tuple[float, Mapping[str, Scores]]], what: str) -> Panel:
    """The means of `what` of every contestant that has any, against votes."""
    names = [who for who, score in points[0][1].items() if not np.isnan(getattr(score, what)).any()]
    curves = {who: [float(np.mean(getattr(found[who], what))) for _, found in points] for who in names}
    if what == "covered":
        curves = {who: curves[who] for who in _WITH_INTERVALS}
    return Panel(title, [votes for votes, _ in points], curves)


_WITH_INTERVALS = ("bayes", "iwmv")


def _row(report: Report, scenario: Scenario, who: str, score: Scores) -> list[str]:
    accuracy, errors = interval(score.accuracy), interval(score.error)
    report.figure(f"{_key(scenario)}.{who}.accuracy", accuracy.mean)
    report.figure(f"{_key(scenario)}.{who}.reliability_rmse", errors.mean)
    return [*_names(scenario), who, str(len(score.accuracy)), str(accuracy), _error(errors)]


def _key(scenario: Scenario) -> str:
    return f"{scenario.prior}.{scenario.source_count}.{scenario.query_count}"


def _names(scenario: Scenario) -> list[str]:
    return [scenario.prior, str(scenario.source_count), f"{scenario.query_count:,}"]


def _error(errors: Interval) -> str:
    return "" if np.isnan(errors.mean) else f"{errors.mean:.4f} ± {errors.half_width:.4f}"


def agreement(report: Report) -> None:
    """Place an independent implementation's figures among means of 20 of our seeds."""
    samples = [draw(Scenario(), np.random.default_rng(seed)) for seed in range(400)]
    accuracy = np.array([[_accuracy(sample, method) for method in INDEPENDENT] for sample in samples])
    means = accuracy[np.random.default_rng(0).integers(len(samples), size=(20_000, 20))].mean(axis=1)
    theirs = np.array(list(INDEPENDENT.values()))
    majority = list(INDEPENDENT).index(Method.MAJORITY)
    as_lucky = means[np.abs(means[:, majority] - theirs[majority]) < 0.01]
    rows = [
        [
            method,
            f"{theirs[column]:.3f}",
            str(interval(accuracy[:, column].tolist())),
            _range(means[:, column]),
            _range(as_lucky[:, column]),
        ]
        for column, method in enumerate(INDEPENDENT)
    ]
    report.table(
        "An independent implementation: N = 9, M = 200, spammer-hammer, 20 seeds",
        ["who", "theirs", "ours, 400 seeds", "95 % of means of 20 seeds", "those with its majority ± 0.01"],
        rows,
    )


def _accuracy(sample: Sample, method: Method) -> float:
    truth = sample.true_reliability if method is Method.ORACLE else None
    return sample.accuracy(estimate(sample.votes, method, true_reliability=truth).answer)


def _range(values: Floats) -> str:
    low, high = np.percentile(values, [2.5, 97.5])
    return f"{low:.3f} to {high:.3f}"


def measure(report: Report) -> None:
    """Accuracy and coverage, crowds, agreement, speed, scale."""
    quality(report)
    crowd(report)
    if not report.options.quick:
        agreement(report)
    speed(report)
    scale(report)


if __name__ == "__main__":
    raise SystemExit(run("estimator", measure))
