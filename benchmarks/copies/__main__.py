"""`python -m benchmarks.copies`: accuracy with copying sources, copy groups found, and pairs accused wrongly.

Five independent sources against a bad one with 1 to 8 copiers, exact and partial; 35 sites of uneven coverage with five
copy groups; datasets without copying; public claims of real sites; and 100,000 sources at once. Rivals are crowd-kit
and AccuCopy; our methods on the true copy groups are the upper limit.
"""

import resource
import time
from collections.abc import Callable, Iterable

import numpy as np

from benchmarks.copies import BENCHMARK, datasets
from benchmarks.copies.accu_copy import accu_copy
from benchmarks.copies.plot import draw_accuracy
from benchmarks.copies.real import measure_real
from benchmarks.data.truth_sets import TruthSet, birthplaces, books
from benchmarks.estimator.rivals import RIVALS, rival_present, with_answers_by_place
from benchmarks.harness import CannotMeasureError, Cell, Report, interval, run
from benchmarks.harness.plots import Panel
from estimator import VoteMatrix, estimate
from estimator.arrays.types import Integers
from estimator.copying import find_copies
from estimator.group_votes import collapse
from tests.estimator.synthetic import CopySample, draw_copies

Answers = dict[str, Integers]

METHODS = ("majority", "iwmv", "one_coin")
_CROWD_KIT = (("Wawa", "Wawa"), ("OneCoinDawidSkene", "OneCoin"))


def by_groups(votes: VoteMatrix, groups: Integers, prefix: str, methods: Iterable[str] = METHODS) -> Answers:
    """Answers of our methods, each copy group counted once."""
    collapsed = collapse(votes, groups)
    return {f"{prefix}, {method}": estimate(collapsed, method).answer for method in methods}


def method_answers(votes: VoteMatrix, found: Integers, *, crowd_kit: bool, accu: bool = True) -> Answers:
    """The answers of all methods that do not know the true groups."""
    answers: dict[str, Integers] = {method: estimate(votes, method).answer for method in ("auto", *METHODS)}
    if crowd_kit:
        answers |= {
            f"crowd-kit {name}": with_answers_by_place(RIVALS[f"crowd-kit {kit}"], votes) for name, kit in _CROWD_KIT
        }
    if accu:
        answers["AccuCopy"] = accu_copy(votes)
    return answers | by_groups(votes, found, "copies found", METHODS[:2])  # `auto` is `one_coin` of them


def accuracies(sample: CopySample, answers: Answers) -> dict[str, float]:
    """The accuracy of each method."""
    return {name: sample.accuracy(answer) for name, answer in answers.items()}


def compared(samples: Iterable[CopySample], *, crowd_kit: bool, accu: bool = True) -> dict[str, list[float]]:
    """By method, its accuracy on every sample; `exactly the groups` is 1 where the groups found are the true ones."""
    scores: dict[str, list[float]] = {}
    for sample in samples:
        found, _ = find_copies(sample.votes)
        row = accuracies(sample, method_answers(sample.votes, found, crowd_kit=crowd_kit, accu=accu))
        row |= accuracies(sample, by_groups(sample.votes, sample.groups, "true groups", METHODS[:2]))
        row["exactly the groups"] = float(datasets.wrong_pairs(sample.groups, found) == (0, 0))
        for name, value in row.items():
            scores.setdefault(name, []).append(value)
    return scores


def stars(report: Report, *, crowd_kit: bool) -> None:
    """Accuracy as copiers grow, for exact and for partial copies."""
    copiers = (2, 6) if report.options.quick else tuple(range(1, 9))
    seeds = min(report.options.seeds, 2) if report.options.quick else report.options.seeds
    panels = []
    for rate in (1.0, 0.8):
        scores = [
            compared(
                (draw_copies(datasets.star(count, rate), random) for random in datasets.generators(seeds)),
                crowd_kit=crowd_kit,
            )
            for count in copiers
        ]
        curves = {name: [interval(row[name]).mean for row in scores] for name in scores[0]}
        title = "exact copies" if rate == 1 else f"{rate:.0%} of votes copied"
        panels.append(Panel(title, copiers, curves))
        report.table(
            f"5 independent sources at 0.75 against one at 0.35 with copiers, {title}: 200 queries, {seeds} seeds",
            ["who", *map(str, copiers)],
            [[name, *(f"{value:.3f}" for value in values)] for name, values in curves.items()],
        )
        for name, values in curves.items():
            for count, value in zip(copiers, values, strict=True):
                report.figure(f"star.{rate}.{count}.{name}", value)
    if not report.options.quick:
        draw_accuracy(panels)


def limits(report: Report) -> None:
    """Loose copies, of which the search finds some or none."""
    seeds = min(report.options.seeds, 3) if report.options.quick else report.options.seeds
    rows: list[list[Cell]] = []
    for honest, rate, copiers in ((0.9, 0.8, 2), (0.9, 0.8, 8), (0.75, 0.6, 2), (0.75, 0.6, 8), (0.75, 0.4, 2)):
        scenario = datasets.star(copiers, rate, honest)
        samples = [draw_copies(scenario, random) for random in datasets.generators(seeds)]
        found = [find_copies(sample.votes)[0] for sample in samples]
        groupings = {
            "as they are": [np.arange(6 + copiers)] * seeds,
            "found": found,
            "true": [sample.groups for sample in samples],
        }
        accuracies = [
            interval(
                [
                    sample.accuracy(estimate(collapse(sample.votes, groups), "iwmv").answer)
                    for sample, groups in zip(samples, labels, strict=True)
                ]
            ).mean
            for labels in groupings.values()
        ]
        wrong = [datasets.wrong_pairs(sample.groups, groups) for sample, groups in zip(samples, found, strict=True)]
        accused, missed = np.sum(wrong, axis=0)
        rows.append([honest, rate, copiers, *(f"{value:.3f}" for value in accuracies), int(accused), int(missed)])
        report.figure(f"limits.{honest}.{rate}.{copiers}.found", accuracies[1])
    report.table(
        f"Harder: five independent sources against one at 0.35 with copiers, iwmv, {seeds} seeds",
        ["honest", "copied", "copiers", "as they are", "groups found", "true groups", "pairs accused", "missed"],
        rows,
    )


def uneven_sites(report: Report, *, crowd_kit: bool) -> None:
    """Three synthetic datasets of 35 sites."""
    seeds, queries = (2, 900) if report.options.quick else (min(report.options.seeds, 5), 6_000)
    fewer = queries // 3
    makers = {
        "groups": (
            f"35 uneven sites, 5 groups: {queries:,}",
            lambda random: draw_copies(datasets.sites(random, queries), random),
        ),
        "readings": (
            f"the same, errors by shared misreadings: {fewer:,}",
            lambda random: datasets.misreadings(random, fewer),
        ),
        "loose": (
            f"35 sites, 28 copy 85 %: {fewer:,}",
            lambda random: draw_copies(datasets.loose(random, fewer), random),
        ),
    }
    for key, (title, make) in makers.items():
        scores = compared(map(make, datasets.generators(seeds)), crowd_kit=crowd_kit)
        report.table(
            f"{title} queries, {seeds} seeds",
            ["who", "accuracy"],
            [[name, str(interval(values))] for name, values in scores.items()],
        )
        for name, values in scores.items():
            report.figure(f"sites.{key}.{name}", interval(values).mean)


def disputed_kind(report: Report, *, crowd_kit: bool) -> None:
    """Sites of which two thirds mean another thing on one kind of question, with half to twice the votes."""
    seeds, sizes = (2, (3_000,)) if report.options.quick else (min(report.options.seeds, 5), (3_000, 6_000, 12_000))
    rows: dict[str, list[Cell]] = {}
    for queries in sizes:
        samples = [datasets.blocs(random, queries) for random in datasets.generators(seeds)]
        # AccuCopy takes half of the time of the larger ones.
        scores = compared(samples, crowd_kit=crowd_kit and queries == sizes[0], accu=queries == sizes[0])
        scores["true groups, one_coin"] = [
            sample.accuracy(
                by_groups(sample.votes, np.unique(sample.groups, return_inverse=True)[1], "true", ("one_coin",))[
                    "true, one_coin"
                ]
            )
            for sample in samples
        ]
        for name, values in scores.items():
            rows.setdefault(name, [name]).append(str(interval(values)))
            report.figure(f"blocs.{queries}.{name}", interval(values).mean)
    report.table(
        f"Blocs: 35 sites, five families, one kind of question with two meanings, {seeds} seeds",
        ["who", *(f"{queries:,} queries" for queries in sizes)],
        [[*row, *[""] * (1 + len(sizes) - len(row))] for row in rows.values()],
    )


def false_accusations(report: Report) -> None:
    """Copy groups found where nobody copies."""
    seeds = min(report.options.seeds, 3) if report.options.quick else report.options.seeds
    false: dict[str, list[int]] = {}
    for random in datasets.generators(seeds):
        models = draw_copies(datasets.two_good_models(random), random)
        for name, sample in {**datasets.independent(random), "43 models, two good ones": models}.items():
            false.setdefault(name, []).append(datasets.wrong_pairs(sample.groups, find_copies(sample.votes)[0])[0])
    report.table(
        f"Datasets without copies, {seeds} seeds",
        ["dataset", "seeds with a group", "pairs accused in all"],
        [[name, sum(map(bool, counts)), sum(counts)] for name, counts in false.items()],
    )
    report.figure("innocent.pairs_accused", sum(map(sum, false.values())))


def public_claims(report: Report, *, crowd_kit: bool) -> None:
    """Precision on public claims; no setting was chosen on them."""
    sets: list[Callable[[], Iterable[TruthSet]]] = [
        lambda: [birthplaces(report.folder("truth_birthplaces"))],
        lambda: books(report.folder("truth_book")),
    ]
    columns: dict[str, dict[str, float]] = {}
    for load in sets:
        try:
            loaded = list(load())
        except CannotMeasureError as reason:
            report.rival_skipped("a public set", str(reason))
            continue
        found, _ = find_copies(loaded[0].votes)
        answers = method_answers(loaded[0].votes, found, crowd_kit=crowd_kit)
        for truth in loaded:
            title = f"{truth.name} ({len(truth.accepted):,} known)"
            columns[title] = {name: truth.precision(answer) for name, answer in answers.items()}
            columns[title]["right answers given at all"] = truth.reachable
            report.figure(f"{truth.name}.groups_of_several", int((np.bincount(found) > 1).sum()))
            for name, value in columns[title].items():
                report.figure(f"{truth.name}.{name}", value)
    if columns:
        names = list(next(iter(columns.values())))
        report.table(
            "Public claims of real sites: precision",
            ["who", *columns],
            [[name, *(f"{column[name]:.3f}" for column in columns.values())] for name in names],
        )


def scale(report: Report) -> None:
    """Processor seconds, memory and copiers found among very many sources."""
    sizes = [(2_500, 25)] if report.options.quick else [(10_000, 100), (100_000, 1_000)]
    rows = []
    for source_count, groups in sizes:
        votes, label = datasets.many_sources(np.random.default_rng(datasets.FIRST_SEED), source_count, groups)
        start = time.process_time()
        found, _ = find_copies(votes)
        seconds = time.process_time() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
        group_count = int(found.max()) + 1
        lost = np.unique(np.stack((label, found)), axis=1).shape[1] - group_count
        merged, true_merges = source_count - group_count - lost, 4 * groups
        rows.append([
            f"{source_count:,}", f"{votes.vote_count:,}", f"{seconds:.1f}", f"{peak:.0f}",
            f"{merged} of {true_merges}", f"{lost}",
        ])  # fmt: skip
        report.figure(f"scale.{source_count}.seconds", seconds)
        report.figure(f"scale.{source_count}.copiers_found_share", merged / true_merges)
    report.table(
        "Many sources with 40 votes each, one in twenty in a group of five that copy all",
        ["sources", "votes", "processor s", "peak MiB", "copiers found", "accused"],
        rows,
    )


def measure(report: Report) -> None:
    """All parts of the benchmark."""
    crowd_kit = rival_present(report)
    stars(report, crowd_kit=crowd_kit)
    limits(report)
    uneven_sites(report, crowd_kit=crowd_kit)
    disputed_kind(report, crowd_kit=crowd_kit)
    false_accusations(report)
    public_claims(report, crowd_kit=crowd_kit)
    measure_real(report)
    scale(report)


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
