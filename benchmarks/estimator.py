"""The arithmetic of estimation: how right it is on synthetic votes, and how fast.

Accuracy and the error of the reliabilities, on votes drawn as in RA-RAG section 4 (coverage 0.6, 9 wrong answers,
N = 9 sources), beside crowd-kit's MajorityVote and Wawa on the same votes. Wawa is the majority vote followed by one
vote weighted by agreement with it; ours repeats until the weights stand still, with a weight below zero for a source
below chance.

Then whether we agree with what an independent implementation measured over 20 seeds of its own: how many hammers 20
seeds happen to draw moves all its figures together, so they are placed among means of 20 of our seeds, all of them
and those that were as lucky as its.

Then the time for 200 sources and 100,000 queries (quick: 50 and 10,000), beside Wawa, both from arrays of votes in
the order of a database without order.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Interval, Report, interval, race, run
from estimator import Estimate, Method, VoteMatrix, estimate
from estimator.synthetic import Prior, Sample, Scenario, draw

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


# Answer accuracy as an independent implementation measured it.
INDEPENDENT = {Method.IWMV: 0.878, Method.MAJORITY: 0.711, Method.ORACLE: 0.877}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one contestant made of one sample: (M,) answers and (N,) reliabilities."""

    answer: Integers
    reliability: Floats


Contestant = Callable[[Sample], Verdict]


def ours(method: Method) -> Contestant:
    """Our estimate by this method."""

    def judge(sample: Sample) -> Verdict:
        truth = sample.true_reliability if method is Method.ORACLE else None
        result = estimate(sample.votes, method, true_reliability=truth)
        return Verdict(result.answer, result.reliability)

    return judge


def crowd_kit(*, weighted: bool) -> Contestant:
    """crowd-kit's Wawa, or the majority vote that it starts from; its skills are those of Wawa for both."""

    def judge(sample: Sample) -> Verdict:
        labels, skills = wawa(*sample.votes.triples(), weighted=weighted)
        return Verdict(
            _by_index(labels, sample.truth.size, -1).astype(np.int64),
            _by_index(skills, sample.true_reliability.size, np.nan),
        )

    return judge


def wawa(
    query: Integers, source: Integers, answer: Integers, *, weighted: bool = True
) -> tuple[Mapping[int, int], Mapping[int, float]]:
    """Labels by query and skills by source, as crowd-kit computes them.

    These are the two steps of `Wawa.fit_predict`, which itself stops at a check that scikit-learn 1.9 changed.
    """
    import pandas as pd  # noqa: PLC0415 - it comes with crowd-kit, which need not be installed
    from crowdkit.aggregation import MajorityVote, Wawa  # noqa: PLC0415 - the same

    table = pd.DataFrame({"task": query, "worker": source, "label": answer})
    skills: Any = Wawa().fit(table).skills_
    labels: Any = MajorityVote().fit(table, skills=skills if weighted else None).labels_
    return labels.to_dict(), skills.to_dict()


def _by_index(values: Mapping[int, float], size: int, missing: float) -> Floats:
    return np.array([values.get(index, missing) for index in range(size)], dtype=np.float64)


def contestants(report: Report) -> dict[str, Contestant]:
    """Everyone who can be measured here; says who cannot."""
    known = {
        "weighted": ours(Method.IWMV),
        "majority": ours(Method.MAJORITY),
        "oracle": ours(Method.ORACLE),
    }
    if not rival_present(report):
        return known
    return known | {"crowd-kit MajorityVote": crowd_kit(weighted=False), "crowd-kit Wawa": crowd_kit(weighted=True)}


def rival_present(report: Report) -> bool:
    """Whether crowd-kit is installed; the report says so if not."""
    if find_spec("crowdkit") is not None:
        return True
    report.rival_skipped("crowd-kit", "not installed: pip install crowd-kit")
    return False


def root_mean_square(differences: Floats) -> float:
    """Over the sources that anything is known of."""
    return float(np.sqrt(np.nanmean(differences**2)))


def quality(report: Report, scenario: Scenario, rivals: Mapping[str, Contestant]) -> Iterable[list[str]]:
    """One row for every contestant: scenario, who, accuracy, error of the reliabilities; 95 % intervals."""
    samples = [draw(scenario, np.random.default_rng(seed)) for seed in range(report.options.seeds)]
    for name, judge in rivals.items():
        verdicts = [judge(sample) for sample in samples]
        accuracy = interval(
            [sample.accuracy(verdict.answer) for sample, verdict in zip(samples, verdicts, strict=True)]
        )
        errors = interval(
            [
                root_mean_square(verdict.reliability - sample.true_reliability)
                for sample, verdict in zip(samples, verdicts, strict=True)
            ]
        )
        key = f"{scenario.prior}.{scenario.query_count}.{name}"
        report.figure(f"{key}.accuracy", accuracy.mean)
        report.figure(f"{key}.reliability_rmse", errors.mean)
        yield [scenario.prior, f"{scenario.query_count:,}", name, str(accuracy), _error(name, errors)]


def _error(name: str, errors: Interval) -> str:
    return "given" if name == "oracle" else str(errors)


def agreement(report: Report) -> None:
    """Place an independent implementation's figures among means of 20 of our seeds."""
    samples = [draw(Scenario(), np.random.default_rng(seed)) for seed in range(400)]
    judges = [ours(Method(method)) for method in INDEPENDENT]
    accuracy = np.array([[sample.accuracy(judge(sample).answer) for judge in judges] for sample in samples])
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


def _range(values: Floats) -> str:
    low, high = np.percentile(values, [2.5, 97.5])
    return f"{low:.3f} to {high:.3f}"


def speed(report: Report) -> None:
    """Time building the votes, estimating, both, and Wawa from the same arrays."""
    scenario = Scenario(50, 10_000) if report.options.quick else Scenario(200, 100_000)
    votes = draw(scenario, np.random.default_rng(0)).votes
    mixed = np.random.default_rng(1).permutation(votes.vote_count)
    query, source, answer = (column[mixed] for column in votes.triples())

    def build() -> VoteMatrix:
        counts = {"query_count": scenario.query_count, "source_count": scenario.source_count}
        return VoteMatrix.from_triples(query, source, answer, **counts)

    def all_of_it() -> Estimate:
        return estimate(build())

    parties: dict[str, Callable[[], object]] = {
        "votes from unordered arrays": build,
        "weighted vote": lambda: estimate(votes),
        "both": all_of_it,
    }
    if rival_present(report):
        parties["crowd-kit Wawa"] = lambda: wawa(query, source, answer)
    times = {name: timing.median for name, timing in race(parties, repeats=5, warmups=1).items()}
    report.table(
        f"Speed: {scenario.source_count} sources, {scenario.query_count:,} queries, {votes.vote_count:,} votes "
        f"({votes.nbytes / votes.vote_count:.1f} bytes a vote, {estimate(votes).rounds} rounds); median of 5",
        ["what", "seconds", "of crowd-kit Wawa"],
        [[name, f"{seconds:.3f}", _share(seconds, times)] for name, seconds in times.items()],
    )
    for name, seconds in times.items():
        report.figure(f"seconds.{name}", seconds)
    if "crowd-kit Wawa" in times:
        report.figure("times_faster_than_wawa", times["crowd-kit Wawa"] / times["both"])


def _share(seconds: float, times: Mapping[str, float]) -> str:
    return f"1/{times['crowd-kit Wawa'] / seconds:.0f}" if "crowd-kit Wawa" in times else ""


def measure(report: Report) -> None:
    """Quality, agreement, speed."""
    rivals = contestants(report)
    rows = [
        row
        for prior in Prior
        for query_count in (200, 1_000)
        for row in quality(report, Scenario(9, query_count, prior), rivals)
    ]
    columns = ["prior", "queries", "who", "answer accuracy", "reliability RMSE"]
    report.table(f"N = 9 sources, coverage 0.6, 9 wrong answers, {report.options.seeds} seeds", columns, rows)
    agreement(report)
    speed(report)


if __name__ == "__main__":
    raise SystemExit(run("estimator", measure))
