"""The judge on claims it never saw: accuracy by label, conflicts found among documents, pairs a second.

Beside it, in the same run, judging by words (the answer stands in the passage: supports; most words of the question do:
contradicts), the weights in the folder BENCHMARK_JUDGE where it is set, and, where BENCHMARK_MODEL_URL and
BENCHMARK_MODEL name one, a language model on a sample.
"""

import asyncio
import os
import random
import re
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from answering.errors import ModelDamaged
from answering.judges import Judge, Label, OpenAIJudge, Pair
from answering.judges.compact import CompactJudge
from answering.readers.sentence_selection import question_coverage
from answering.text import squad_normalise
from benchmarks.harness import CannotMeasureError, Cell, Report, run, timed
from benchmarks.judge_scores import accuracy, detection, judged_by, known_labels, pairs_of
from benchmarks.judge_sets import ClaimSet, load_conflictnq, load_ramdocs
from benchmarks.training.judge_data import held_out_examples, xquad_examples
from benchmarks.training.judge_pairs import Example
from benchmarks.training.splits import Part

SEED = 5
MODEL_SETS = 25
Judging = Callable[[Sequence[Pair]], list[Label]]


def measure(report: Report) -> None:
    """Load, judge, score, time."""
    compact = _compact(report)
    judges: dict[str, Judging] = {"compact": partial(_labels, compact), "words": by_words}
    if other := os.environ.get("BENCHMARK_JUDGE"):
        judges["other weights"] = partial(_labels, CompactJudge(Path(other)))
    _held_out(report, judges)
    sets = {
        "ramdocs": load_ramdocs(report.folder("ramdocs"), Part.REPORT),
        "conflictnq": load_conflictnq(report.folder("conflictnq"), Part.REPORT),
    }
    if report.options.quick:
        sets = {name: some_questions(found, 25) for name, found in sets.items()}
    _conflicts(report, judges, sets)
    _language_model(report, judges, sets)
    _speed(report, sets)


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
    return [one.label for one in asyncio.run(judge.judge_all(pairs))]


def _held_out(report: Report, judges: Mapping[str, Judging]) -> None:
    report.folder("reader_train"), report.folder("judge_train")
    most = 250 if report.options.quick else 1000
    rows: list[list[Cell]] = []
    for name, examples in (
        ("XQuAD, an unseen set", xquad_examples(report.options.data, SEED)),
        ("SQuADShifts and NLI, unseen paragraphs and premises", held_out_examples(report.options.data, SEED)),
    ):
        known = _known(examples[:most])
        for who, judging in judges.items():
            shares = accuracy(known, judged_by(judging, list(known)))
            rows.append([name, who, len(known), *(f"{shares[label]:.3f}" for label in Label), f"{_mean(shares):.3f}"])
            report.figure(f"{who}_{name.split()[0].rstrip(',').lower()}_accuracy", _mean(shares))
    report.table("Accuracy by label", ["pairs of", "who", "pairs", *Label, "mean"], rows)


def _conflicts(report: Report, judges: Mapping[str, Judging], sets: Mapping[str, Sequence[ClaimSet]]) -> None:
    rows: list[list[Cell]] = []
    labelled: list[list[Cell]] = []
    for who, judging in judges.items():
        for name, found in sets.items():
            labels = judged_by(judging, pairs_of(found))
            seen = detection(found, labels)
            conflicting = sum(one.conflicting for one in found)
            rows.append([name, who, len(found), conflicting, *_three(seen.precision, seen.recall, seen.f1)])
            report.figure(f"{who}_{name}_f1", seen.f1)
            shares = accuracy(known_labels(found), labels)
            labelled.append([name, who, *(f"{shares[label]:.3f}" if label in shares else None for label in Label)])
    report.table("Conflicts found", ["sets of", "who", "sets", "conflicting", "precision", "recall", "F1"], rows)
    report.table("Accuracy on single documents of these sets", ["pairs of", "who", *Label], labelled)


def _language_model(report: Report, judges: Mapping[str, Judging], sets: Mapping[str, Sequence[ClaimSet]]) -> None:
    url, model = os.environ.get("BENCHMARK_MODEL_URL"), os.environ.get("BENCHMARK_MODEL")
    if not url or not model:
        report.rival_skipped("language model", "BENCHMARK_MODEL_URL and BENCHMARK_MODEL name none")
        return
    sample = [
        one for found in sets.values() for one in some_questions(found, 4 if report.options.quick else MODEL_SETS)
    ]
    pairs, began = pairs_of(sample), time.perf_counter()
    labels = {model: dict(zip(pairs, asyncio.run(_asked(url, model, pairs)), strict=True))}
    milliseconds = (time.perf_counter() - began) * 1000 / len(pairs)
    labels |= {who: judged_by(judging, pairs) for who, judging in judges.items()}
    rows: list[list[Cell]] = []
    for who, said in labels.items():
        seen = detection(sample, said)
        mean = _mean(accuracy(known_labels(sample), said))
        rows.append([who, len(sample), *_three(seen.precision, seen.recall, seen.f1), f"{mean:.3f}"])
    report.table(
        f"Beside a language model ({milliseconds:.0f} ms a pair)",
        ["who", "sets", "precision", "recall", "F1", "accuracy"],
        rows,
    )


async def _asked(url: str, model: str, pairs: Sequence[Pair]) -> list[Label]:
    judge = OpenAIJudge(base_url=url, model=model, concurrency=2, timeout=120)
    try:
        return [one.label for one in await judge.judge_all(pairs)]
    finally:
        await judge.aclose()


def _speed(report: Report, sets: Mapping[str, Sequence[ClaimSet]]) -> None:
    pairs = pairs_of(sets["ramdocs"])[: 60 if report.options.quick else 200]
    rows: list[list[Cell]] = []
    for threads in (1, 2):
        judge = CompactJudge(threads=threads)
        _labels(judge, pairs[:8])
        seconds = timed(partial(_labels, judge, pairs), repeats=3, warmups=0).median
        rows.append([threads, f"{len(pairs) / seconds:.0f}", f"{seconds * 1000 / len(pairs):.1f}"])
        report.figure(f"pairs_a_second_{threads}", len(pairs) / seconds)
    report.table("Speed on RAMDocs' documents, all at once", ["threads", "pairs a second", "ms a pair"], rows)


def by_words(pairs: Sequence[Pair]) -> list[Label]:
    """The label that words alone suggest."""
    return [_label_by_words(pair) for pair in pairs]


def _label_by_words(pair: Pair) -> Label:
    question, _, answer = pair.claim.rpartition("? ")
    words, passage = squad_normalise(answer or pair.claim), squad_normalise(pair.passage)
    if re.search(rf"(?<!\w){re.escape(words)}(?!\w)", passage):
        return Label.SUPPORTS
    return Label.CONTRADICTS if question_coverage(question or pair.claim, pair.passage) >= 0.6 else Label.IRRELEVANT


def _known(examples: Sequence[Example]) -> dict[Pair, Label]:
    return {Pair(one.claim, one.passage): one.label for one in examples if one.label is not None}


def some_questions(sets: Sequence[ClaimSet], count: int) -> list[ClaimSet]:
    """The sets of so many questions, drawn by a seed."""
    questions = sorted({one.question for one in sets})
    chosen = set(random.Random(SEED).sample(questions, min(count, len(questions))))
    return [one for one in sets if one.question in chosen]


def _mean(shares: Mapping[Label, float]) -> float:
    return sum(shares.values()) / len(shares)


def _three(*shares: float) -> list[str]:
    return [f"{share:.3f}" for share in shares]


if __name__ == "__main__":
    raise SystemExit(run("judge", measure))
