"""What gold answers and ratings of sources are worth: `python -m benchmarks.estimator.gold` measures this part alone.

Of 200 queries 0, 5 or 20 have gold; accuracy is that on the queries that have none in any of the three. Differences are
paired, with the standard error of their mean. A rating is the true reliability of a source or, if wrong, what is
missing to 1, with a strength of 10 votes. On crowdsourced labels the queries with gold are drawn anew three times. The
strength of the pooling at the start was chosen on seeds 500 and up; results are those of seeds 0 and up.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.copies import datasets
from benchmarks.data.crowd import load_crowd
from benchmarks.estimator import BENCHMARK
from benchmarks.estimator.crowd import SETS
from benchmarks.harness import CannotMeasureError, Report, run
from estimator import SourcePriors, VoteMatrix, estimate
from tests.estimator.synthetic import Prior, Sample, Scenario, draw, draw_copies

Integers = NDArray[np.int64]

METHODS = ("majority", "iwmv", "one_coin", "dawid_skene", "auto")
COUNTS = (0, 5, 20)
QUICK_METHODS = ("iwmv", "one_coin")
_CROWD_DRAWS = 3
_STRENGTH = 10.0


def spammers(count: int, wrong_answers: int, random: np.random.Generator) -> Sample:
    """`count` sources of nine at 0.1, the others at 0.9, on 60 % of 200 queries."""
    reliability = np.full(9, 0.9)
    reliability[random.permutation(9)[:count]] = 0.1
    truth = random.integers(wrong_answers + 1, size=200)
    query, source = np.nonzero(random.random((200, 9)) < 0.6)
    wrong = random.random(query.size) >= reliability[source]
    answer = (truth[query] + wrong * random.integers(1, wrong_answers + 1, size=query.size)) % (wrong_answers + 1)
    return Sample(VoteMatrix.from_triples(query, source, answer, query_count=200, source_count=9), truth, reliability)


WORLDS: Mapping[str, Callable[[np.random.Generator], Sample]] = {
    "8 spammers of 9": partial(spammers, 8, 9),
    "8 spammers of 9, two labels": partial(spammers, 8, 1),
    "5 spammers of 9": partial(spammers, 5, 9),
    **{
        f"{prior}, {sources} sources{labels}": partial(draw, Scenario(sources, 200, prior, wrong_answers=wrong))
        for prior in Prior
        for sources in (9, 4)
        for wrong, labels in ((9, ""), (1, ", two labels"))
    },
    "one at 0.35 with 2 copiers": lambda random: draw_copies(datasets.star(2, 1.0), random),
    "one at 0.35 with 6 copiers": lambda random: draw_copies(datasets.star(6, 1.0), random),
    "the same, 80 % copied": lambda random: draw_copies(datasets.star(6, 0.8), random),
}
QUICK_WORLDS = ("8 spammers of 9",)


def gold_for(truth: Integers, order: Integers, count: int) -> Integers:
    """Gold (M,) for the first `count` queries of an order."""
    gold = np.full(truth.size, -1)
    gold[order[:count]] = truth[order[:count]]
    return gold


def accuracies(votes: VoteMatrix, truth: Integers, orders: Sequence[Integers], method: str) -> list[list[float]]:
    """For every order of the queries, by number of gold answers, the accuracy on those that never have gold."""
    plain = estimate(votes, method).answer
    rows = []
    for order in orders:
        answers = [estimate(votes, method, gold=gold_for(truth, order, count)).answer for count in COUNTS[1:]]
        judged = order[max(COUNTS) :]
        rows.append([float((answer == truth)[judged].mean()) for answer in (plain, *answers)])
    return rows


def cells(report: Report, key: str, values: Sequence[Sequence[float]], names: Sequence[str]) -> list[str]:
    """The mean of the first column of (seeds, columns), and the differences of the others from it."""
    table = np.array(values)
    difference = table[:, 1:] - table[:, :1]
    error = difference.std(axis=0, ddof=1) / np.sqrt(len(table))
    for name, mean in zip(names, table.mean(axis=0).tolist(), strict=True):
        report.figure(f"{key}.{name}", mean)
    gains = [f"{gain:+.3f} ± {half:.3f}" for gain, half in zip(difference.mean(axis=0), error, strict=True)]
    return [f"{table[:, 0].mean():.3f}", *gains]


def drawn_worlds(report: Report) -> None:
    """Every method on every drawn world, with 0, 5 and 20 gold answers."""
    quick = report.options.quick
    seeds = range(3 if quick else min(report.options.seeds, 10))
    rows = []
    for world in QUICK_WORLDS if quick else WORLDS:
        samples = [WORLDS[world](np.random.default_rng(seed)) for seed in seeds]
        orders = [np.random.default_rng(10_000 + seed).permutation(samples[0].truth.size) for seed in seeds]
        for method in QUICK_METHODS if quick else METHODS:
            values = [
                accuracies(sample.votes, sample.truth, [order], method)[0]
                for sample, order in zip(samples, orders, strict=True)
            ]
            rows.append([world, method, *cells(report, f"gold.{world}.{method}", values, list(map(str, COUNTS)))])
    columns = ["world", "method", "no gold", "5 gold answers", "20 gold answers"]
    report.table(f"Gold answers among 200 queries, {len(seeds)} seeds: accuracy on the others", columns, rows)


def rated_worlds(report: Report) -> None:
    """The models with ratings of all sources, right and wrong, and with gold answers beside wrong ones."""
    seeds = range(min(report.options.seeds, 10))
    worlds = ("8 spammers of 9", "5 spammers of 9", "beta, 9 sources", "beta, 4 sources")
    names = ("none", "right", "wrong", "wrong, 20 gold")
    rows = []
    for world in worlds:
        for method in ("one_coin", "dawid_skene"):
            values = []
            for seed in seeds:
                sample = WORLDS[world](np.random.default_rng(seed))
                order = np.random.default_rng(10_000 + seed).permutation(sample.truth.size)
                judged, gold = order[20:], gold_for(sample.truth, order, 20)
                strength = np.full(sample.true_reliability.size, _STRENGTH)
                right = SourcePriors(sample.true_reliability, strength)
                wrong = SourcePriors(1 - sample.true_reliability, strength)
                answers = [
                    estimate(sample.votes, method, source_priors=priors, gold=gold_answers).answer
                    for priors, gold_answers in ((None, None), (right, None), (wrong, None), (wrong, gold))
                ]
                values.append([float((answer == sample.truth)[judged].mean()) for answer in answers])
            rows.append([world, method, *cells(report, f"ratings.{world}.{method}", values, names)])
    columns = ["world", "method", "no ratings", "right ratings", "wrong ratings", "wrong ratings, 20 gold answers"]
    report.table(f"Ratings of all sources that count as {_STRENGTH:.0f} votes, {len(seeds)} seeds", columns, rows)


def crowd(report: Report) -> None:
    """Every method on crowdsourced labels, with 0, 5 and 20 gold answers."""
    try:
        folder = report.folder("crowd")
    except CannotMeasureError as absent:
        report.rival_skipped("crowd sets", str(absent))
        return
    rows = []
    for name in SETS:
        labelled = load_crowd(folder / name)
        has_gold = np.flatnonzero(labelled.gold >= 0)
        orders = [np.random.default_rng(seed).permutation(has_gold) for seed in range(_CROWD_DRAWS)]
        for method in METHODS[1:]:
            values = accuracies(labelled.votes, labelled.gold, orders, method)
            rows.append([name, method, *cells(report, f"gold.{name}.{method}", values, list(map(str, COUNTS)))])
    columns = ["set", "method", "no gold", "5 gold answers", "20 gold answers"]
    report.table("Gold answers among crowdsourced labels: accuracy on the others", columns, rows)


def measure_gold(report: Report) -> None:
    """All tables; in the quick form the first one, in small."""
    drawn_worlds(report)
    if not report.options.quick:
        rated_worlds(report)
        crowd(report)


if __name__ == "__main__":
    raise SystemExit(run(replace(BENCHMARK, name="estimator.gold"), measure_gold))
