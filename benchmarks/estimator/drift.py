"""Sources that turn, and sources that stay: `python -m benchmarks.estimator.drift` measures this part alone.

Votes are drawn with times (`tests.estimator.drift.synthetic`), 9 wrong answers. Where nobody turns, an alarm is false;
a source-run is one source in one estimate. Where three of nine sources turn from 0.9 to 0.1, the delay of the alarm is
measured in votes after the turn, and the answers after the turn are held against those of an estimate with one
reliability a source and against an oracle that knows every reliability before and after the turn. Seeds 500 and up
chose the prior odds of a turn (`--choose` prints that table); results are those of seeds 0 and up.
"""

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.estimator import BENCHMARK
from benchmarks.harness import Report, interval, run
from estimator import Estimate, VoteMatrix, estimate
from estimator.drift import PRIOR_ODDS, following_turns
from estimator.result import WarmStart
from tests.estimator.drift.synthetic import DriftSample, DriftScenario, draw_drift

Integers = NDArray[np.int64]
Draw = Callable[[np.random.Generator], DriftScenario]

_CHOOSING_SEED = 500
_ODDS = (1 / 100, 1 / 200, 1 / 400, 1 / 800, 1 / 1600)
_VOTES_AFTER = (5, 10, 15, 20, 30)
_TURNED = {6: 0.1, 7: 0.1, 8: 0.1}


def _beta(random: np.random.Generator, count: int = 9) -> tuple[float, ...]:
    return tuple(random.beta(6, 4, size=count).tolist())


def _turning(random: np.random.Generator, turn: float = 0.5) -> DriftScenario:
    return DriftScenario((*_beta(random, 6), 0.9, 0.9, 0.9), _TURNED, turn=turn)


STATIONARY: Mapping[str, Draw] = {
    "Beta(6, 4)": lambda random: DriftScenario(_beta(random)),
    "six spammers (0.1), three hammers (0.9)": lambda _: DriftScenario((0.1,) * 6 + (0.9,) * 3),
    "three spammers, six hammers": lambda _: DriftScenario((0.1,) * 3 + (0.9,) * 6),
    "coverage 0.05, 0.2 or 0.9": lambda random: DriftScenario(
        _beta(random, 12), coverage=tuple(random.choice([0.05, 0.2, 0.9], size=12).tolist())
    ),
    "30 sources": lambda random: DriftScenario(_beta(random, 30), query_count=150),
    "queries become harder": lambda random: DriftScenario(_beta(random), hardness=1.5),
    "queries become harder at once": lambda random: DriftScenario(_beta(random), hardness=1.5, sudden=True),
    "hammers, harder at once": lambda _: DriftScenario((0.9, 0.8, 0.7) * 3, hardness=1.5, sudden=True),
}


def with_drift(sample: DriftSample, plain: Estimate, odds: float = PRIOR_ODDS) -> Estimate:
    """The estimate that follows turns, from one that does not."""

    def refit(parts: VoteMatrix, _groups: Integers, start: WarmStart | None) -> Estimate:
        return estimate(parts, "one_coin", previous=start)

    return following_turns(sample.votes, sample.time, plain, refit, odds)


def samples(draw: Draw, seeds: Iterable[int]) -> list[DriftSample]:
    """One sample for each seed."""
    generators = [np.random.default_rng(seed) for seed in seeds]
    return [draw_drift(draw(random), random) for random in generators]


def oracle(sample: DriftSample) -> Integers:
    """(M,) answers weighted by the true reliabilities before and after the turn."""
    query, source, answer = sample.votes.triples()
    late = sample.query_time[query] >= 0.5
    count = sample.votes.source_count
    parts = VoteMatrix.from_triples(
        query, source + count * late, answer, query_count=sample.votes.query_count, source_count=2 * count
    )
    truth = np.concatenate((sample.true_reliability, sample.late_reliability))
    return estimate(parts, "oracle", true_reliability=truth, labels=10).answer


def measure_drift(report: Report) -> None:
    """False alarms, delay of the alarm, and answers after the turn."""
    seeds = range(2 if report.options.quick else 2 * report.options.seeds)
    _false_alarms(report, seeds, (PRIOR_ODDS,), "Sources that stay as they are: false alarms")
    _delay(report, seeds, (PRIOR_ODDS,))
    _answers(report, seeds)


def choose(report: Report) -> None:
    """The same for other prior odds, on other seeds."""
    seeds = range(_CHOOSING_SEED, _CHOOSING_SEED + report.options.seeds)
    _false_alarms(report, seeds, _ODDS, "False alarms in source-runs, by the prior odds of a turn")
    _delay(report, seeds, _ODDS)


def _false_alarms(report: Report, seeds: Sequence[int], odds: Sequence[float], title: str) -> None:
    rows, totals = [], np.zeros(len(odds), dtype=np.int64)
    source_runs = 0
    for name, draw in STATIONARY.items():
        alarms, drawn = np.zeros_like(totals), samples(draw, seeds)
        for sample in drawn:
            plain = estimate(sample.votes, "one_coin")
            alarms += [len(with_drift(sample, plain, prior).histories) for prior in odds]
        runs = sum(sample.votes.source_count for sample in drawn)
        rows.append([name, str(runs), *map(str, alarms.tolist())])
        totals, source_runs = totals + alarms, source_runs + runs
    rows.append(["all", str(source_runs), *map(str, totals.tolist())])
    report.table(title, ["world", "source-runs", *map(_odds_name, odds)], rows)
    report.figure("drift.false_alarms_per_100", 100 * float(totals[odds.index(PRIOR_ODDS)]) / source_runs)


def _delay(report: Report, seeds: Sequence[int], odds: Sequence[float]) -> None:
    rows = []
    for votes in _VOTES_AFTER:
        shares: list[list[float]] = [[] for _ in odds]
        for sample in samples(partial(_turning, turn=1 - votes / 120), seeds):
            plain = estimate(sample.votes, "one_coin")
            for prior, share in zip(odds, shares, strict=True):
                turned = {history.source for history in with_drift(sample, plain, prior).histories}
                share.append(len(turned & _TURNED.keys()) / len(_TURNED))
        rows.append([str(votes), *(str(interval(share)) for share in shares)])
        report.figure(f"drift.found_after_{votes}_votes", float(np.mean(shares[odds.index(PRIOR_ODDS)])))
    title = "Three of nine sources turn from 0.9 to 0.1: share found, by votes of a source after the turn"
    report.table(title, ["votes", *map(_odds_name, odds)], rows)


def _answers(report: Report, seeds: Sequence[int]) -> None:
    wrong: dict[str, list[float]] = {"one reliability a source": [], "drift": [], "oracle of both periods": []}
    errors: dict[str, list[float]] = {name: [] for name in wrong}
    for sample in samples(_turning, seeds):
        plain = estimate(sample.votes, "one_coin")
        followed = with_drift(sample, plain)
        late = sample.query_time >= 0.5
        for name, answer in zip(wrong, (plain.answer, followed.answer, oracle(sample)), strict=True):
            wrong[name].append(float((answer != sample.truth)[late].mean()))
        for name, result in (("one reliability a source", plain), ("drift", followed)):
            error = (result.reliability - sample.late_reliability)[6:]
            errors[name].append(float(np.sqrt((error**2).mean())))
    rows = [
        [name, str(interval(shares)), str(interval(errors[name])) if errors[name] else ""]
        for name, shares in wrong.items()
    ]
    for name, shares in wrong.items():
        report.figure(f"drift.late_wrong.{name}", float(np.mean(shares)))
    columns = ["", "wrong answers after the turn", "RMSE of the present reliability of those that turned"]
    report.table("Three of nine sources turn from 0.9 to 0.1 in the middle", columns, rows)


def _odds_name(odds: float) -> str:
    return f"1/{round(1 / odds)}"


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--choose", action="store_true", help="other prior odds, on the seeds that chose them")


if __name__ == "__main__":
    raise SystemExit(
        run(
            replace(BENCHMARK, name="estimator.drift"),
            lambda report: choose(report) if report.options.extra.choose else measure_drift(report),
            add_options=_add_options,
        )
    )
