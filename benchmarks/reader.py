"""The compact reader beside language models: one question, one passage, after alignment.

Passages that hold an answer: is the reading that answer (by the service's classes), does it contain it, is it lost to
abstention? Passages that hold none: does the reader abstain? RAMDocs' quarter of questions that neither trained nor
calibrated the reader, and XQuAD's English paragraphs, never trained on. Rivals are GGUF files named, with colons
between them, in BENCHMARK_GGUF, on a sample.
"""

import asyncio
import os
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from answering.alignment import align
from answering.errors import ModelDamaged
from answering.readers import CompactReader, LlamaCppReader, Reader
from answering.text import squad_normalise
from benchmarks.harness import CannotMeasureError, Cell, Report, run
from benchmarks.training.splits import Part, ramdocs_examples
from benchmarks.training.squad import Example, load_squad, same_answer

SEED = 11
SAMPLE = 150
ALIGNMENT = 0.9


@dataclass(frozen=True, slots=True)
class Read:
    """What a reader made of an example; an answer that is not aligned counts as none."""

    example: Example
    answer: str | None
    milliseconds: float


def measure(report: Report) -> None:
    """Load, read, score."""
    began = time.perf_counter()
    compact = _compact()
    report.figure("load_seconds", time.perf_counter() - began)
    passages = ramdocs_examples_or_skip(report)
    sample = _sampled(passages, 40 if report.options.quick else SAMPLE)
    rows = [_ramdocs_row("compact, all", asyncio.run(_read_all(compact, passages)))]
    rows += [_ramdocs_row("compact", asyncio.run(_read_all(compact, sample)))]
    for rival in _rivals(report):
        rows.append(_ramdocs_row(rival.name, asyncio.run(_read_all(rival, sample))))
    columns = ["who", "passages", "exact", "contained", "lost", "noise abstained", "ms a passage"]
    report.table("RAMDocs, questions never seen", columns, rows)
    report.figure("exact", float(str(rows[0][2])))
    report.figure("noise_abstained", float(str(rows[0][5])))
    _xquad(report, compact)


def ramdocs_examples_or_skip(report: Report) -> list[Example]:
    """The reported quarter; skips the benchmark without the data."""
    report.folder("ramdocs")
    return ramdocs_examples(report.options.data, Part.REPORT)


def _compact() -> CompactReader:
    try:
        reader = CompactReader(threads=1)
        asyncio.run(reader.read("Is it warm?", ["It is warm."]))
    except ModelDamaged as error:
        raise CannotMeasureError(str(error)) from error
    return reader


def _rivals(report: Report) -> list[Reader]:
    paths = [path for path in os.environ.get("BENCHMARK_GGUF", "").split(":") if path]
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
        done.append(Read(example, reading.answer if aligned else None, taken))
    return done


def _ramdocs_row(who: str, done: Sequence[Read]) -> list[Cell]:
    holding = [read for read in done if read.example.span is not None]
    noise = [read for read in done if read.example.span is None]
    shares = [
        _share([same_answer(read.answer or "", read.example.answer) for read in holding]),
        _share([_contained(read) for read in holding]),
        _share([read.answer is None for read in holding]),
        _share([read.answer is None for read in noise]),
    ]
    times = sorted(read.milliseconds for read in done)
    return [who, len(done), *shares, f"{times[len(times) // 2]:.1f}"]


def _contained(read: Read) -> bool:
    return squad_normalise(read.example.answer) in squad_normalise(read.answer or "")


def _xquad(report: Report, reader: Reader) -> None:
    path = report.folder("reader_train") / "xquad.en.json.gz"
    done = asyncio.run(_read_all(reader, _sampled(load_squad(path), 150 if report.options.quick else 1190)))
    exact = _share([squad_normalise(read.answer or "") == squad_normalise(read.example.answer) for read in done])
    f1 = _share([_f1(read.answer or "", read.example.answer) for read in done])
    lost = _share([read.answer is None for read in done])
    report.table(
        "XQuAD-en, never trained on",
        ["who", "questions", "EM", "F1", "lost"],
        [["compact", len(done), exact, f1, lost]],
    )
    report.figure("xquad_em", float(exact))


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
