"""`python -m benchmarks.reader`: the compact reader beside language models, one question and one passage at a time.

Of passages with an answer: the share of readings of its answer class (exact), that contain it, and that abstain (lost);
of passages without: the share of abstentions. The data are the quarter of RAMDocs that neither trained nor calibrated
the reader, the English part of XQuAD and search results of RealtimeQA, never trained on; readings of the first two
are counted after alignment. Rivals are the GGUF files named in BENCHMARK_GGUF, separated by colons, and the language
model of `--model` (a file or URL#name), on a sample of each set, of RAMDocs also behind `PrefilteredReader`; other
packs of the compact reader (32 bits, a larger encoder) are folders named in BENCHMARK_READERS. `--sample` is the number
of passages of each set that language models read.
"""

import argparse
import asyncio
import os
import random
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from answering.alignment import align
from answering.errors import ModelDamaged, UnreadableReply
from answering.models import Usage
from answering.readers import ChatReader, CompactReader, Reader, Reading
from answering.readers.wrappers import PREFILTER_THRESHOLD
from answering.text import squad_normalise
from benchmarks.data.splits import Part, ramdocs_examples
from benchmarks.data.squad import Example, load_squad, same_answer, token_f1
from benchmarks.data.web_results import WebResult, load_web_results
from benchmarks.harness import CannotMeasureError, Cell, Report, run
from benchmarks.harness.language_model import StandIn, add_model_options, foretell, language_model
from benchmarks.harness.options import count
from benchmarks.reader import BENCHMARK
from benchmarks.reader.cost import measure_start, passages_per_second

SEED = 11
SETS = 3
"""Of which language models read a sample."""
SAMPLE = 150
ALIGNMENT = 0.9
THRESHOLDS = (0.0, 0.05, 0.1, 0.15, 0.215, 0.3, 0.4, 0.5)


@dataclass(frozen=True, slots=True)
class ExampleReading:
    """The reading of an example; an answer that is not aligned counts as none."""

    example: Example
    answer: str | None
    confidence: float | None
    milliseconds: float


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this benchmark."""
    add_model_options(parser)
    help_text = f"passages that language models read (default {SAMPLE})"
    parser.add_argument("--sample", type=count, default=SAMPLE, help=help_text)


def measure(report: Report) -> None:
    """All parts of the benchmark."""
    packs = _packs()
    report.folder("ramdocs")
    passages = ramdocs_examples(report.options.data, Part.REPORT)
    sample = _sampled(passages, _sample_size(report))
    rows = [_row(report, name, "", asyncio.run(_read_all(reader, passages))) for name, reader in packs.items()]
    rows.append(
        _row(report, "compact, the sample", "sample.compact.", asyncio.run(_read_all(packs["compact"], sample)))
    )
    rivals = _rivals(report)
    if rivals:
        stand_in = StandIn("stand-in")
        asyncio.run(_read_all(ChatReader(stand_in), sample))
        rivals = rivals if foretell(report, stand_in.usage, 1 / (SETS * len(rivals))) else {}
    for name, path in rivals.items():
        alone = asyncio.run(_read_by_model(path, sample))
        rows.append(_row(report, name, f"sample.{name}.", alone))
        rows.append(_row(report, f"{name}, screened", f"sample.{name}, screened.", _screened(alone)))
    columns = ["reader", "passages", "exact", "contained", "lost", "noise abstained", "ms a passage"]
    report.table("RAMDocs, unseen questions", columns, rows)
    _thresholds(report, "the same passages", passages)
    if not report.options.quick:
        calibration = ramdocs_examples(report.options.data, Part.CALIBRATION)
        _thresholds(report, "the calibration quarter, on which that of the screen was chosen", calibration)
    _xquad(report, packs, rivals)
    _web(report, packs, rivals)
    _cost(report, passages)


def _packs() -> dict[str, Reader]:
    """The reader of the package, and others to compare with it."""
    others = {f"compact, {Path(path).name}": Path(path) for path in _named("BENCHMARK_READERS")}
    packs = {"compact": CompactReader(threads=1)} | {
        name: CompactReader(folder, threads=1) for name, folder in others.items()
    }
    try:
        for reader in packs.values():
            asyncio.run(reader.read("Who built the mill?", ["Tora Myhre built the mill."]))
    except ModelDamaged as error:
        raise CannotMeasureError(str(error)) from error
    return dict(packs)


def _named(variable: str) -> list[str]:
    return [path for path in os.environ.get(variable, "").split(":") if path]


def _rivals(report: Report) -> dict[str, str]:
    """Paths or addresses of language models by name."""
    paths = [*_named("BENCHMARK_GGUF"), *filter(None, [report.options.extra.model])]
    if not paths or report.options.quick:
        report.rival_skipped("language models", "name files in BENCHMARK_GGUF or one with --model, without --quick")
        return {}
    return {path.rpartition("#")[2].rpartition("/")[2].removesuffix(".gguf"): path for path in paths}


def _sample_size(report: Report) -> int:
    return 40 if report.options.quick else int(report.options.extra.sample)


@asynccontextmanager
async def _model(path: str) -> AsyncIterator[Reader]:
    reader = ChatReader(language_model(path))
    try:
        yield reader
    finally:
        await reader.aclose()


async def _read_by_model(path: str, examples: Sequence[Example]) -> list[ExampleReading]:
    async with _model(path) as reader:
        return await _read_all(reader, examples)


async def _read_all(reader: Reader, examples: Sequence[Example]) -> list[ExampleReading]:
    readings = []
    for example in examples:
        began = time.perf_counter()
        reading = await _read(reader, example.question, example.passage)
        taken = (time.perf_counter() - began) * 1000
        aligned = align(reading.answer, [example.passage], ALIGNMENT).reason == "aligned"
        readings.append(ExampleReading(example, reading.answer if aligned else None, reading.confidence, taken))
    return readings


async def _read(reader: Reader, question: str, passage: str) -> Reading:
    """The reading; a reply of a language model that cannot be read is none."""
    try:
        return await reader.read(question, [passage])
    except UnreadableReply:
        return Reading.abstention(Usage())


def _screened(alone: Sequence[ExampleReading]) -> list[ExampleReading]:
    """The readings of `PrefilteredReader`: the other reader is asked only where the compact one finds an answer."""
    screen = CompactReader(threads=1, threshold=PREFILTER_THRESHOLD)
    compact = asyncio.run(_read_all(screen, [reading.example for reading in alone]))
    return [
        replace(reading, milliseconds=first.milliseconds + reading.milliseconds) if first.answer else first
        for first, reading in zip(compact, alone, strict=True)
    ]


def _thresholds(report: Report, which: str, passages: Sequence[Example]) -> None:
    """The shares at other thresholds; the threshold of the package was chosen on other passages."""
    readings = asyncio.run(_read_all(CompactReader(threads=1, threshold=0.0), passages))
    rows = []
    for threshold in THRESHOLDS:
        kept = [
            reading if (reading.confidence or 0.0) >= threshold else replace(reading, answer=None)
            for reading in readings
        ]
        rows.append([f"{threshold:.2f}", *_shares(kept).values()])
    columns = ["threshold", "exact", "contained", "lost", "noise abstained"]
    report.table(f"The compact reader at other thresholds, {which}", columns, rows)


def _row(report: Report, name: str, prefix: str, readings: Sequence[ExampleReading]) -> list[Cell]:
    shares = _shares(readings)
    milliseconds = sum(reading.milliseconds for reading in readings) / len(readings)
    if prefix or name == "compact":
        for figure, share in shares.items():
            report.figure(f"{prefix}{figure}", float(share))
        report.figure(f"{prefix}milliseconds", milliseconds)
    return [name, len(readings), *shares.values(), f"{milliseconds:.1f}"]


def _shares(readings: Sequence[ExampleReading]) -> dict[str, str]:
    answerable = [reading for reading in readings if reading.example.span is not None]
    noise = [reading for reading in readings if reading.example.span is None]
    return {
        "exact": _share([same_answer(reading.answer or "", reading.example.answer) for reading in answerable]),
        "contained": _share([_contained(reading) for reading in answerable]),
        "lost": _share([reading.answer is None for reading in answerable]),
        "noise_abstained": _share([reading.answer is None for reading in noise]),
    }


def _contained(reading: ExampleReading) -> bool:
    return squad_normalise(reading.example.answer) in squad_normalise(reading.answer or "")


def _xquad(report: Report, packs: Mapping[str, Reader], rivals: Mapping[str, str]) -> None:
    path = report.folder("reader_train") / "xquad.en.json.gz"
    examples = _sampled(load_squad(path), 150 if report.options.quick else 1190)
    rows = [_xquad_row(name, asyncio.run(_read_all(reader, examples))) for name, reader in packs.items()]
    sample = _sampled(examples, _sample_size(report))
    sampled = {"compact": asyncio.run(_read_all(packs["compact"], sample))}
    sampled |= {name: asyncio.run(_read_by_model(path, sample)) for name, path in rivals.items()}
    sample_rows = {name: _xquad_row(f"{name}, the sample", readings) for name, readings in sampled.items()}
    report.table(
        "XQuAD-en, never trained on", ["reader", "questions", "EM", "F1", "lost"], [*rows, *sample_rows.values()]
    )
    for prefix, row in {"": rows[0], **{f"sample.{name}.": row for name, row in sample_rows.items()}}.items():
        report.figure(f"{prefix}xquad_em", float(str(row[2])))
        report.figure(f"{prefix}xquad_f1", float(str(row[3])))


def _xquad_row(name: str, readings: Sequence[ExampleReading]) -> list[Cell]:
    exact = [squad_normalise(reading.answer or "") == squad_normalise(reading.example.answer) for reading in readings]
    f1 = [token_f1(reading.answer or "", reading.example.answer) for reading in readings]
    return [name, len(readings), _share(exact), _share(f1), _share([reading.answer is None for reading in readings])]


def _web(report: Report, packs: Mapping[str, Reader], rivals: Mapping[str, str]) -> None:
    results = load_web_results(report.folder("realtime_web"))
    results = random.Random(SEED).sample(results, 200 if report.options.quick else len(results))
    rows = [_web_row(name, asyncio.run(_read_results(reader, results))) for name, reader in packs.items()]
    # Half of the sample holds the answer.
    each = _sample_size(report) // 2
    sample = [result for holds in (True, False) for result in [r for r in results if r.holds_answer is holds][:each]]
    sampled = {"compact": asyncio.run(_read_results(packs["compact"], sample))}
    sampled |= {name: asyncio.run(_results_by_model(path, sample)) for name, path in rivals.items()}
    sample_rows = {name: _web_row(f"{name}, the sample", readings) for name, readings in sampled.items()}
    columns = ["reader", "results that hold the answer", "right", "abstains", "wrong", "others", "answered"]
    report.table("Web search results, never trained on", columns, [*rows, *sample_rows.values()])
    for prefix, row in {"": rows[0], **{f"sample.{name}.": row for name, row in sample_rows.items()}}.items():
        report.figure(f"{prefix}web_right", float(str(row[2])))
        report.figure(f"{prefix}web_others_answered", float(str(row[6])))


async def _read_results(reader: Reader, results: Sequence[WebResult]) -> list[tuple[WebResult, str | None]]:
    return [(result, (await _read(reader, result.question, result.passage)).answer) for result in results]


async def _results_by_model(path: str, results: Sequence[WebResult]) -> list[tuple[WebResult, str | None]]:
    async with _model(path) as reader:
        return await _read_results(reader, results)


def _web_row(name: str, readings: Sequence[tuple[WebResult, str | None]]) -> list[Cell]:
    holding = [(result, answer) for result, answer in readings if result.holds_answer]
    right = [answer is not None and result.accepts(answer) for result, answer in holding]
    abstains = [answer is None for _, answer in holding]
    wrong = [not good and not none for good, none in zip(right, abstains, strict=True)]
    others = [answer is not None for result, answer in readings if not result.holds_answer]
    return [name, len(holding), _share(right), _share(abstains), _share(wrong), len(others), _share(others)]


def _cost(report: Report, passages: Sequence[Example]) -> None:
    start, rate = measure_start(), passages_per_second(passages)
    columns = ["import, s", "load and first reading, s", "MiB imported", "MiB loaded", "passages a second, all cores"]
    numbers = (start.import_seconds, start.load_seconds, start.imported_mib, start.loaded_mib, rate)
    report.table("Cost", columns, [[f"{number:.3g}" for number in numbers]])
    report.figure("load_seconds", start.load_seconds)
    report.figure("loaded_mib", start.loaded_mib)
    report.figure("passages_per_second", rate)


def _share(values: Sequence[float]) -> str:
    return f"{sum(values) / max(len(values), 1):.3f}"


def _sampled(examples: Sequence[Example], limit: int) -> list[Example]:
    return random.Random(SEED).sample(list(examples), min(limit, len(examples)))


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure, add_options=add_options))
