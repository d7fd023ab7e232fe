"""`python -m benchmarks.calibration`: whether confidence, intervals and certificates hold.

In drawn worlds and on crowdsourced labels an estimate by `auto` is fitted on some queries and answers others; drawn
electorates have their certificates compared with brute force.
"""

import asyncio
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from answering.voting import certify
from benchmarks.calibration import BENCHMARK, answers
from benchmarks.calibration.brute_force import smallest_overturning_set
from benchmarks.calibration.electorates import drawn
from benchmarks.calibration.worlds import NOTHING, fitted_and_judged
from benchmarks.data.crowd import load_crowd
from benchmarks.harness import Cell, Report, progress, run
from benchmarks.harness.reliability import Judged, measure_reliability
from tests.estimator.synthetic import CopyScenario, Prior, Sample, Scenario, draw, draw_copies

AIM = 0.03
# The rule of confidence was chosen on seeds 0 to 11.
FIRST_SEED = 1_000
# Queries of a drawn world that the estimate does not see.
UNSEEN = 200
FITTED = (20, 200)
WRONG_ANSWERS = (1, 2, 9, 100)
CERTIFICATES = 2_000
QUICK_CROWD = ("rte", "sentiment")
# Sources that vote on unseen queries only, in the world of this name.
NEW, NEW_SOURCES = range(6, 9), "three of nine sources are new, 9 wrong answers"
COLUMNS = ["votes", "fitted on", "answers", "right", "confidence", "error", "with points and nine wrong", "coverage"]


def measure(report: Report) -> None:
    """Worlds, crowdsourced labels, certificates."""
    rows: list[list[Cell]] = []
    drawn_worlds = _drawn_worlds(1, FITTED[1:]) if report.options.quick else _drawn_worlds(report.options.seeds, FITTED)
    for name, fitted, worlds in drawn_worlds:
        rows.append(_world(report, name, fitted, worlds, NEW if name == NEW_SOURCES else ()))
        progress(f"{name}, {fitted}")
    rows.append(["aim", None, None, None, None, f"at most {AIM}", None, "0.90"])
    report.table("Confidence in drawn worlds, of questions that the estimate did not see", COLUMNS, rows)
    _measure_crowd(report)
    _measure_answers(report)
    _measure_certificates(report, CERTIFICATES // 10 if report.options.quick else CERTIFICATES)


def _drawn_worlds(seeds: int, sizes: Sequence[int]) -> list[tuple[str, int, list[Sample]]]:
    worlds: list[tuple[str, int, list[Sample]]] = []
    for fitted in sizes:
        for wrong in WRONG_ANSWERS:
            # With yes or no, spammers that are wrong nine times in ten look like hammers in a mirror.
            for prior in [Prior.BETA] if wrong == 1 else list(Prior):
                scenario = Scenario(9, fitted + UNSEEN, prior, 0.6, wrong)
                samples = [draw(scenario, np.random.default_rng(FIRST_SEED + seed)) for seed in range(seeds)]
                worlds.append((f"{prior.value}, {wrong} wrong answers", fitted, samples))
        recent = Scenario(9, fitted + UNSEEN, Prior.BETA, 0.6, 9)
        samples = [draw(recent, np.random.default_rng(FIRST_SEED + seed)) for seed in range(seeds)]
        worlds.append((NEW_SOURCES, fitted, samples))
        copies = CopyScenario(
            (0.75,) * 5 + (0.35,) * 3, (1.0,) * 8, copies=(-1,) * 6 + (5, 5), query_count=fitted + UNSEEN
        )
        samples = [draw_copies(copies, np.random.default_rng(FIRST_SEED + seed)) for seed in range(seeds)]
        worlds.append(("two copy the worst of six", fitted, samples))
        hard = CopyScenario(
            (0.65,) * 7, (0.7,) * 7, (-1,) * 7, query_count=fitted + UNSEEN, favourite_error=0.3, difficulty=1.0
        )
        samples = [draw_copies(hard, np.random.default_rng(FIRST_SEED + seed)) for seed in range(seeds)]
        worlds.append(("hard queries, common errors", fitted, samples))
    return worlds


def _world(report: Report, name: str, fitted: int, samples: list[Sample], new: Collection[int]) -> list[Cell]:
    now, before, covered = NOTHING, NOTHING, []
    for sample in samples:
        seen = np.arange(sample.votes.query_count) < fitted
        result, of_now, of_before = fitted_and_judged(sample.votes, sample.truth, seen, new)
        now, before = now.joined(of_now), before.joined(of_before)
        inside = (result.lower <= sample.true_reliability) & (sample.true_reliability <= result.upper)
        covered.append(float(np.delete(inside, list(new)).mean()))
    report.figure(f"worlds/{name}, {fitted}/error", now.error)
    report.figure(f"worlds/{name}, {fitted}/error before", before.error)
    report.figure(f"worlds/{name}, {fitted}/coverage", float(np.mean(covered)))
    return [*_row(name, fitted, now, before), f"{np.mean(covered):.2f}"]


def _row(name: str, fitted: int, now: Judged, before: Judged) -> list[Cell]:
    return [
        name, fitted, now.right.size, f"{now.right.mean():.3f}", f"{now.confidence.mean():.3f}", f"{now.error:.3f}",
        f"{before.error:.3f}",
    ]  # fmt: skip


def _measure_crowd(report: Report) -> None:
    """Confidence on real labels, each half of the queries judged by an estimate on the other one."""
    rows: list[list[Cell]] = []
    for folder in sorted(report.folder("crowd").iterdir()):
        skipped = report.options.quick and folder.name not in QUICK_CROWD
        if skipped or not (folder / "label.csv").is_file():
            continue
        labelled = load_crowd(folder)
        half = np.random.default_rng(0).random(labelled.votes.query_count) < 0.5
        now, before = NOTHING, NOTHING
        for fitted in (half, ~half):
            _, of_now, of_before = fitted_and_judged(labelled.votes, labelled.gold, fitted)
            now, before = now.joined(of_now), before.joined(of_before)
        report.figure(f"crowd/{folder.name}/error", now.error)
        report.figure(f"crowd/{folder.name}/error before", before.error)
        rows.append(_row(folder.name, int(half.sum()), now, before))
        progress(f"crowd, {folder.name}")
    report.table("Confidence on crowdsourced labels, held out by halves", COLUMNS[:-1], rows)


def _measure_answers(report: Report) -> None:
    """Reliability diagrams of web results, RAMDocs and Snopes; the quick form has none, as reading takes minutes."""
    if report.options.quick:
        return
    measured = {f"answers/{name}": judged for name, judged in _answers_of_known_truth(report)}
    measure_reliability(report, "Confidence of answers", measured, "calibration-answers.png")


def _answers_of_known_truth(report: Report) -> Iterator[tuple[str, Judged]]:
    yield "RAMDocs", asyncio.run(answers.on_ramdocs(report.folder("ramdocs")))
    yield "web results", asyncio.run(answers.on_web_results(report.folder("realtime_web")))
    yield "Snopes", answers.on_snopes(report.folder("snopes"))


def _measure_certificates(report: Report, worlds: int) -> None:
    sizes: dict[int | None, int] = {}
    wrong = bounds = 0
    for seed in range(worlds):
        world = drawn(seed)
        certificate, smallest = certify(world.electorate, world.votes), smallest_overturning_set(world)
        sizes[smallest] = sizes.get(smallest, 0) + 1
        wrong += certificate.size != smallest
        bounds += certificate.is_bound
    report.figure("certificates/worlds", worlds)
    report.figure("certificates/wrong", wrong)
    report.figure("certificates/bounds", bounds)
    rows: list[list[Cell]] = [
        ["none wins" if size is None else size, count]
        for size, count in sorted(sizes.items(), key=lambda item: -1 if item[0] is None else item[0])
    ]
    rows.append(["unlike brute force", wrong])
    report.table("Certificates of drawn electorates by their size", ["size", "electorates"], rows)


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
