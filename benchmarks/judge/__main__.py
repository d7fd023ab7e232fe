"""`python -m benchmarks.judge`: accuracy by label on unseen claims, conflicts among documents, pairs a second.

Rivals in the same run: labels from shared words, the weights in the folder BENCHMARK_JUDGE where it is set, and, where
BENCHMARK_MODEL_URL and BENCHMARK_MODEL name one, a language model on a sample.
"""

import asyncio
import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from answering.errors import ModelDamaged
from answering.judges import ChatJudge, Judge, Label, Pair
from answering.judges.compact import CompactJudge
from answering.models import LimitedChat, OpenAIChat
from benchmarks.data.claim_sets import ClaimSet, load_conflictnq, load_fnc, load_ramdocs, sample_questions
from benchmarks.data.splits import Part
from benchmarks.harness import CannotMeasureError, Cell, Report, run, time_of
from benchmarks.judge import BENCHMARK
from benchmarks.judge.lexical import lexical_labels
from benchmarks.judge.scores import accuracy, detection, labels_by, macro_f1, pairs_of, true_labels
from benchmarks.training.judge.data import held_out_examples, xquad_examples
from benchmarks.training.judge.pairs import Example

SEED = 5
MODEL_QUESTIONS = 25
FNC_PAIRS = 150
Labeller = Callable[[Sequence[Pair]], list[Label]]
ClaimSets = Mapping[str, Sequence[ClaimSet]]


def measure(report: Report) -> None:
    """All parts of the benchmark."""
    labellers: dict[str, Labeller] = {"compact": partial(_labels, _compact(report)), "words": lexical_labels}
    if folder := os.environ.get("BENCHMARK_JUDGE"):
        labellers["other weights"] = partial(_labels, CompactJudge(Path(folder)))
    _held_out(report, labellers)
    _four_labels(report, labellers)
    claim_sets: ClaimSets = {
        "ramdocs": load_ramdocs(report.folder("ramdocs"), Part.REPORT),
        "conflictnq": load_conflictnq(report.folder("conflictnq"), Part.REPORT),
    }
    if report.options.quick:
        claim_sets = {name: sample_questions(claims, 25) for name, claims in claim_sets.items()}
    _conflicts(report, labellers, claim_sets)
    _language_model(report, labellers, claim_sets)
    _speed(report, claim_sets)


def _compact(report: Report) -> CompactJudge:
    began = time.perf_counter()
    try:
        judge = CompactJudge()
        _labels(judge, [Pair("Is it warm? Yes.", "It is warm.")])
    except ModelDamaged as error:
        raise CannotMeasureError(str(error)) from error
    report.figure("load_seconds", time.perf_counter() - began)
    return judge


def _labels(judge: Judge, pairs: Sequence[Pair]) -> list[Label]:
    return [judgement.label for judgement in asyncio.run(judge.judge_all(pairs))]


def _held_out(report: Report, labellers: Mapping[str, Labeller]) -> None:
    report.folder("reader_train"), report.folder("judge_train")
    limit = 250 if report.options.quick else 1000
    rows: list[list[Cell]] = []
    for name, examples in (
        ("XQuAD, an unseen set", xquad_examples(report.options.data, SEED)),
        ("SQuADShifts and NLI, unseen paragraphs and premises", held_out_examples(report.options.data, SEED)),
    ):
        truth = _truth(examples[:limit])
        for method, labeller in labellers.items():
            shares = accuracy(truth, labels_by(labeller, list(truth)))
            rows.append([name, method, len(truth), *_cells(shares), f"{_mean(shares):.3f}"])
            report.figure(f"{method}_{name.split()[0].rstrip(',').lower()}_accuracy", _mean(shares))
    report.table("Accuracy by label", ["pairs of", "judge", "pairs", *Label, "mean"], rows)


def _four_labels(report: Report, labellers: Mapping[str, Labeller]) -> None:
    truth = load_fnc(report.folder("judge_train") / "more" / "fnc1.jsonl.gz", 25 if report.options.quick else FNC_PAIRS)
    rows: list[list[Cell]] = []
    for method, labeller in labellers.items():
        labels = labels_by(labeller, list(truth))
        shares, score = accuracy(truth, labels), macro_f1(truth, labels)
        rows.append([method, len(truth), *_cells(shares), f"{score:.3f}"])
        report.figure(f"{method}_fnc_f1", score)
    report.table("FNC-1, reported half: accuracy by label", ["judge", "pairs", *Label, "macro F1"], rows)


def _conflicts(report: Report, labellers: Mapping[str, Labeller], claim_sets: ClaimSets) -> None:
    rows: list[list[Cell]] = []
    by_label: list[list[Cell]] = []
    for method, labeller in labellers.items():
        for name, claims in claim_sets.items():
            labels = labels_by(labeller, pairs_of(claims))
            detected = detection(claims, labels)
            rows.append([name, method, len(claims), sum(claim.conflicting for claim in claims), *detected.cells()])
            report.figure(f"{method}_{name}_f1", detected.f1)
            shares = accuracy(true_labels(claims), labels)
            by_label.append([name, method, *_cells(shares)])
    report.table("Conflicts found", ["sets of", "judge", "sets", "conflicting", "precision", "recall", "F1"], rows)
    report.table("Accuracy on single documents of these sets", ["pairs of", "judge", *Label], by_label)


def _language_model(report: Report, labellers: Mapping[str, Labeller], claim_sets: ClaimSets) -> None:
    url, model = os.environ.get("BENCHMARK_MODEL_URL"), os.environ.get("BENCHMARK_MODEL")
    if not url or not model:
        report.rival_skipped("language model", "BENCHMARK_MODEL_URL and BENCHMARK_MODEL name none")
        return
    count = 4 if report.options.quick else MODEL_QUESTIONS
    sample = [claim_set for claims in claim_sets.values() for claim_set in sample_questions(claims, count)]
    pairs, began = pairs_of(sample), time.perf_counter()
    labels = {model: dict(zip(pairs, asyncio.run(_model_labels(url, model, pairs)), strict=True))}
    milliseconds = (time.perf_counter() - began) * 1000 / len(pairs)
    labels |= {method: labels_by(labeller, pairs) for method, labeller in labellers.items()}
    rows: list[list[Cell]] = []
    for method, judged in labels.items():
        mean = _mean(accuracy(true_labels(sample), judged))
        rows.append([method, len(sample), *detection(sample, judged).cells(), f"{mean:.3f}"])
    columns = ["judge", "sets", "precision", "recall", "F1", "accuracy"]
    report.table(f"Beside a language model ({milliseconds:.0f} ms a pair)", columns, rows)


async def _model_labels(url: str, model: str, pairs: Sequence[Pair]) -> list[Label]:
    chat = LimitedChat(OpenAIChat(base_url=url, model=model), concurrency=2, timeout=120, attempts=3)
    judge = ChatJudge(chat)
    try:
        return [judgement.label for judgement in await judge.judge_all(pairs)]
    finally:
        await judge.aclose()


def _speed(report: Report, claim_sets: ClaimSets) -> None:
    pairs = pairs_of(claim_sets["ramdocs"])[: 60 if report.options.quick else 200]
    rows: list[list[Cell]] = []
    for threads in (1, 2):
        judge = CompactJudge(threads=threads)
        _labels(judge, pairs[:8])
        seconds = time_of(partial(_labels, judge, pairs), repeats=3, warmups=0).median
        rows.append([threads, f"{len(pairs) / seconds:.0f}", f"{seconds * 1000 / len(pairs):.1f}"])
        report.figure(f"pairs_a_second_{threads}", len(pairs) / seconds)
    report.table("Speed on RAMDocs' documents, all at once", ["threads", "pairs a second", "ms a pair"], rows)


def _truth(examples: Sequence[Example]) -> dict[Pair, Label]:
    return {Pair(example.claim, example.passage): example.label for example in examples if example.label is not None}


def _cells(shares: Mapping[Label, float]) -> list[str | None]:
    return [f"{shares[label]:.3f}" if label in shares else None for label in Label]


def _mean(shares: Mapping[Label, float]) -> float:
    return sum(shares.values()) / len(shares)


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
