"""The compact reader beside language models: one question, one passage, after alignment.

Passages that hold an answer: is the reading that answer (by the service's classes), does it contain it, is it lost to
abstention? Passages that hold none: does the reader abstain? RAMDocs' quarter of questions that neither trained nor
calibrated the reader, and XQuAD's English paragraphs, never trained on. Rivals are GGUF files named, with colons
between them, in BENCHMARK_GGUF, on a sample, alone and after the filter of `PrefilteredReader`; other packs of the
compact reader (32 bits, a larger encoder) are folders named in BENCHMARK_READERS.
"""

import asyncio
import os
import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from answering.alignment import align
from answering.errors import ModelDamaged
from answering.readers import CompactReader, LlamaCppReader, Reader
from answering.readers.wrappers import PREFILTER_THRESHOLD
from answering.text import squad_normalise
from benchmarks.harness import CannotMeasureError, Cell, Report, run
from benchmarks.reader_cost import passages_per_second, start
from benchmarks.training.splits import Part, ramdocs_examples
from benchmarks.training.squad import Example, load_squad, same_answer

SEED = 11
SAMPLE = 150
ALIGNMENT = 0.9
THRESHOLDS = (0.0, 0.05, 0.1, 0.15, 0.215, 0.3, 0.4, 0.5)


@dataclass(frozen=True, slots=True)
class Read:
    """What a reader made of an example; an answer that is not aligned counts as none."""

    example: Example
    answer: str | None
    confidence: float | None
    milliseconds: float


def measure(report: Report) -> None:
    """Load, read, score, and what it costs."""
    packs = _packs()
    passages = ramdocs_examples_or_skip(report)
    sample = _sampled(passages, 40 if report.options.quick else SAMPLE)
    rows = [_ramdocs_row(name, asyncio.run(_read_all(reader, passages))) for name, reader in packs.items()]
    rows += [_ramdocs_row("compact, the sample", asyncio.run(_read_all(packs["compact"], sample)))]
    for rival in _rivals(report):
        alone = asyncio.run(_read_all(rival, sample))
        rows += [_ramdocs_row(rival.name, alone), _ramdocs_row(f"{rival.name}, screened", _screened(alone))]
    columns = ["who", "passages", "exact", "contained", "lost", "noise abstained", "ms a passage"]
    report.table("RAMDocs, questions never seen", columns, rows)
    for name, at in {"exact": 2, "contained": 3, "lost": 4, "noise_abstained": 5}.items():
        report.figure(name, float(str(rows[0][at])))
    _thresholds(report, "the same passages", passages)
    if not report.options.quick:
        choosing = ramdocs_examples(report.options.data, Part.CALIBRATION)
        _thresholds(report, "the calibrating quarter, which chose the screen's", choosing)
    _xquad(report, packs)
    _cost(report, passages)


def ramdocs_examples_or_skip(report: Report) -> list[Example]:
    """The reported quarter; skips the benchmark without the data."""
    report.folder("ramdocs")
    return ramdocs_examples(report.options.data, Part.REPORT)


def _packs() -> dict[str, Reader]:
    """The reader that ships, and others to compare with it."""
    others = {f"compact, {Path(path).name}": Path(path) for path in _named("BENCHMARK_READERS")}
    packs = {"compact": CompactReader(threads=1)} | {
        name: CompactReader(folder, threads=1) for name, folder in others.items()
    }
    try:
        for reader in packs.values():
            asyncio.run(reader.read("Is it warm?", ["It is warm."]))
    except ModelDamaged as error:
        raise CannotMeasureError(str(error)) from error
    return dict(packs)


def _named(variable: str) -> list[str]:
    return [path for path in os.environ.get(variable, "").split(":") if path]


def _rivals(report: Report) -> list[Reader]:
    paths = _named("BENCHMARK_GGUF")
    if not paths or report.options.quick:
        report.rival_skipped("language models", "name GGUF files in BENCHMARK_GGUF, without --quick")
        return []
    return [LlamaCppReader(path) for path in paths]


async def _read_all(reader: Reader, examples: Sequence[Example]) -> list[Read]:
    done = []
    for example in examples:
        began = time.perf_counter()
        reading = await reader.read(example.question, [example.passage])
        taken = (time.perf_counter() - began) * 1000
        aligned = align(reading.answer, [example.passage], ALIGNMENT).reason == "aligned"
        done.append(Read(example, reading.answer if aligned else None, reading.confidence, taken))
    return done


def _screened(alone: Sequence[Read]) -> list[Read]:
    """As `PrefilteredReader` has it: only where the compact reader finds something is the other one asked."""
    prefilter = CompactReader(threads=1, threshold=PREFILTER_THRESHOLD)
    seen = asyncio.run(_read_all(prefilter, [one.example for one in alone]))
    return [
        replace(read, milliseconds=first.milliseconds + read.milliseconds) if first.answer else first
        for first, read in zip(seen, alone, strict=True)
    ]


def _thresholds(report: Report, which: str, passages: Sequence[Example]) -> None:
    """What abstaining less or more would bring; the threshold that ships was chosen on other passages."""
    ever = asyncio.run(_read_all(CompactReader(threads=1, threshold=0.0), passages))
    rows = []
    for threshold in THRESHOLDS:
        bold = [read if (read.confidence or 0.0) >= threshold else replace(read, answer=None) for read in ever]
        rows.append([f"{threshold:.2f}", *_shares(bold)])
    columns = ["threshold", "exact", "contained", "lost", "noise abstained"]
    report.table(f"The compact reader at other thresholds, {which}", columns, rows)


def _ramdocs_row(who: str, done: Sequence[Read]) -> list[Cell]:
    mean = sum(read.milliseconds for read in done) / len(done)
    return [who, len(done), *_shares(done), f"{mean:.1f}"]


def _shares(done: Sequence[Read]) -> list[Cell]:
    """Exact, contained, lost, and noise abstained on."""
    holding = [read for read in done if read.example.span is not None]
    noise = [read for read in done if read.example.span is None]
    return [
        _share([same_answer(read.answer or "", read.example.answer) for read in holding]),
        _share([_contained(read) for read in holding]),
        _share([read.answer is None for read in holding]),
        _share([read.answer is None for read in noise]),
    ]


def _contained(read: Read) -> bool:
    return squad_normalise(read.example.answer) in squad_normalise(read.answer or "")


def _xquad(report: Report, packs: Mapping[str, Reader]) -> None:
    path = report.folder("reader_train") / "xquad.en.json.gz"
    examples = _sampled(load_squad(path), 150 if report.options.quick else 1190)
    rows = [_xquad_row(name, asyncio.run(_read_all(reader, examples))) for name, reader in packs.items()]
    report.table("XQuAD-en, never trained on", ["who", "questions", "EM", "F1", "lost"], rows)
    report.figure("xquad_em", float(str(rows[0][2])))
    report.figure("xquad_f1", float(str(rows[0][3])))


def _xquad_row(who: str, done: Sequence[Read]) -> list[Cell]:
    exact = _share([squad_normalise(read.answer or "") == squad_normalise(read.example.answer) for read in done])
    f1 = _share([_f1(read.answer or "", read.example.answer) for read in done])
    return [who, len(done), exact, f1, _share([read.answer is None for read in done])]


def _cost(report: Report, passages: Sequence[Example]) -> None:
    began, rate = start(), passages_per_second(passages)
    columns = ["import, s", "load and first reading, s", "MiB imported", "MiB loaded", "passages a second, all cores"]
    numbers = (began.import_seconds, began.load_seconds, began.imported_mib, began.loaded_mib, rate)
    report.table("Cost", columns, [[f"{number:.3g}" for number in numbers]])
    report.figure("load_seconds", began.load_seconds)
    report.figure("loaded_mib", began.loaded_mib)
    report.figure("passages_per_second", rate)


def _f1(said: str, wanted: str) -> float:
    one, other = squad_normalise(said).split(), squad_normalise(wanted).split()
    shared = sum((Counter(one) & Counter(other)).values())
    return 2 * shared / (len(one) + len(other)) if shared else 0.0


def _share(values: Sequence[float]) -> str:
    return f"{sum(values) / max(len(values), 1):.3f}"


def _sampled(examples: Sequence[Example], most: int) -> list[Example]:
    return random.Random(SEED).sample(list(examples), min(most, len(examples)))


if __name__ == "__main__":
    raise SystemExit(run("reader", measure))
