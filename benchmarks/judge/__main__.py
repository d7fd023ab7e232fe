"""`python -m benchmarks.judge`: accuracy by label on unseen claims, conflicts among documents, pairs a second.

Rivals in the same run: labels from shared words, the weights in the folder BENCHMARK_JUDGE where it is set, and the
language model of `--model` (a GGUF file or URL#name) on a sample, on which all judges are measured once more:
`--sample` pairs of each label and questions of each set. Its completions are kept in BENCHMARK_KEPT (build/conflict),
so that an interrupted run continues.
"""

import argparse
import asyncio
import os
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from answering.errors import ModelDamaged
from answering.judges import ChatJudge, Judge, Judgement, Label, Pair
from answering.judges.compact import CompactJudge
from answering.judges.language_model import UNREADABLE
from answering.models import Chat
from benchmarks.conflict.model import cached_chat
from benchmarks.data.claim_sets import (
    ClaimSet,
    load_conflictnq,
    load_covidfact,
    load_findings,
    load_fnc,
    load_opinions,
    load_ramdocs,
    sample_questions,
    sampled,
)
from benchmarks.data.splits import Part
from benchmarks.harness import CannotMeasureError, Cell, Report, run, time_of
from benchmarks.harness.language_model import add_model_options, rehearse
from benchmarks.harness.options import count
from benchmarks.judge import BENCHMARK
from benchmarks.judge.lexical import lexical_labels
from benchmarks.judge.scores import accuracy, detection, labels_by, macro_f1, pairs_of, true_labels
from benchmarks.training.judge.data import held_out_examples, xquad_examples
from benchmarks.training.judge.pairs import Example

SEED = 5
FNC_PAIRS = 150
STANCES = 1_000
SAMPLE = 25
# By whether figures and tables are those of the sample that a language model judges.
_PREFIX, _SUFFIX = ("", "sample_"), ("", ", sample")
Labeller = Callable[[Sequence[Pair]], list[Label]]
ClaimSets = Mapping[str, Sequence[ClaimSet]]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this benchmark."""
    add_model_options(parser)
    help_text = f"pairs of each label and questions of each set for a language model (default {SAMPLE})"
    parser.add_argument("--sample", type=count, default=SAMPLE, help=help_text)


def measure(report: Report) -> None:
    """All parts of the benchmark."""
    labellers: dict[str, Labeller] = {"compact": partial(_labels, _compact(report)), "words": lexical_labels}
    if folder := os.environ.get("BENCHMARK_JUDGE"):
        labellers["other weights"] = partial(_labels, CompactJudge(Path(folder)))
    _held_out(report, labellers)
    _four_labels(report, labellers, _fnc(report, 25 if report.options.quick else FNC_PAIRS))
    _stances(report, labellers, 25 if report.options.quick else STANCES)
    claim_sets: ClaimSets = {
        "ramdocs": load_ramdocs(report.folder("ramdocs"), Part.REPORT),
        "conflictnq": load_conflictnq(report.folder("conflictnq"), Part.REPORT),
    }
    if report.options.quick:
        claim_sets = {name: sample_questions(claims, 25) for name, claims in claim_sets.items()}
    _conflicts(report, labellers, claim_sets)
    measure_language_model(report, labellers, claim_sets)
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


def _fnc(report: Report, count: int) -> dict[Pair, Label]:
    return load_fnc(report.folder("judge_train") / "more" / "fnc1.jsonl.gz", count)


def _four_labels(
    report: Report, labellers: Mapping[str, Labeller], truth: Mapping[Pair, Label], sample: bool = False
) -> None:
    rows: list[list[Cell]] = []
    for method, labeller in labellers.items():
        labels = labels_by(labeller, list(truth))
        shares, score = accuracy(truth, labels), macro_f1(truth, labels)
        rows.append([method, len(truth), *_cells(shares), f"{score:.3f}"])
        report.figure(f"{_PREFIX[sample]}{method}_fnc_f1", score)
    report.table(
        f"FNC-1, reported half{_SUFFIX[sample]}: accuracy by label", ["judge", "pairs", *Label, "macro F1"], rows
    )


def _stances(report: Report, labellers: Mapping[str, Labeller], count: int) -> None:
    """How every judge labels texts for and against claims that no sentence of them states."""
    folder = report.folder("stance_extra")
    sets = {
        "opinions": load_opinions(folder / "perspectrum.jsonl.gz", Part.REPORT),
        "findings": load_findings(folder / "pubmedqa.jsonl.gz", Part.REPORT),
        "edited claims": load_covidfact(folder / "covidfact.jsonl.gz"),
    }
    rows: list[list[Cell]] = []
    for name, known in sets.items():
        truth = sampled(known, count)
        for method, labeller in labellers.items():
            labels = labels_by(labeller, list(truth))
            shares = accuracy(truth, labels)
            for label in shares:
                given = Counter(labels[pair] for pair, right in truth.items() if right is label)
                shown = [f"{given[other] / given.total():.3f}" for other in Label]
                rows.append([name, method, label, given.total(), *shown, f"{_mean(shares):.3f}"])
            report.figure(f"{method}_{name.replace(' ', '_')}_accuracy", _mean(shares))
    columns = ["set", "judge", "the text", "pairs", *(f"judged {label}" for label in Label), "balanced accuracy"]
    report.table("Opinions (Perspectrum), findings (PubMedQA), edited claims (COVID-Fact)", columns, rows)


def _conflicts(report: Report, labellers: Mapping[str, Labeller], claim_sets: ClaimSets, sample: bool = False) -> None:
    rows: list[list[Cell]] = []
    by_label: list[list[Cell]] = []
    for method, labeller in labellers.items():
        for name, claims in claim_sets.items():
            labels = labels_by(labeller, pairs_of(claims))
            detected = detection(claims, labels)
            rows.append([name, method, len(claims), sum(claim.conflicting for claim in claims), *detected.cells()])
            report.figure(f"{_PREFIX[sample]}{method}_{name}_f1", detected.f1)
            shares = accuracy(true_labels(claims), labels)
            by_label.append([name, method, *_cells(shares)])
    report.table(
        f"Conflicts found{_SUFFIX[sample]}",
        ["sets of", "judge", "sets", "conflicting", "precision", "recall", "F1"],
        rows,
    )
    report.table(
        f"Accuracy on single documents of these sets{_SUFFIX[sample]}", ["pairs of", "judge", *Label], by_label
    )


def measure_language_model(report: Report, labellers: Mapping[str, Labeller], claim_sets: ClaimSets) -> None:
    """The same tables with a language model, on a sample."""
    chat = cached_chat(report, "language model")
    if chat is None:
        return
    size = report.options.extra.sample
    fnc = _fnc(report, size)
    sets = {name: sample_questions(claims, size) for name, claims in claim_sets.items()}
    pairs = list(dict.fromkeys([*fnc, *(pair for claims in sets.values() for pair in pairs_of(claims))]))
    if not asyncio.run(rehearse(report, chat, lambda stand_in: _judge_all(stand_in, pairs))):
        return
    judgements = dict(zip(pairs, asyncio.run(_judge_all(chat, pairs)), strict=True))
    beside = {"language model": lambda pairs: [judgements[pair].label for pair in pairs], **labellers}
    _four_labels(report, beside, fnc, sample=True)
    _conflicts(report, beside, sets, sample=True)
    unread = sum(judgement.note == UNREADABLE for judgement in judgements.values())
    columns = ["language model", "pairs", "s a pair", "not read"]
    report.table(
        "The language model's sample: cost",
        columns,
        [[chat.name, len(pairs), f"{chat.seconds / len(pairs):.2f}", unread]],
    )


async def _judge_all(chat: Chat, pairs: Sequence[Pair]) -> list[Judgement]:
    judge = ChatJudge(chat)
    try:
        return await judge.judge_all(pairs)
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
    raise SystemExit(run(BENCHMARK, measure, add_options=add_options))
