"""The compact reader on questions about exchanged subjects: RAMDocs, XQuAD-en and web results."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from answering.embedders import WordLlamaEmbedder
from answering.readers import CompactReader, Reader
from answering.text import squad_normalise
from benchmarks.data.splits import Part, ramdocs_examples
from benchmarks.data.squad import Example, find_answer, load_squad, same_answer
from benchmarks.data.web_results import WebResult, load_web_results
from benchmarks.harness import Cell, Report, progress
from benchmarks.subjects.exchange import Case, exchanged
from benchmarks.subjects.halves import Half

SEED = 11
QUICK = 20
AIM = 0.03
RAMDOCS, XQUAD, WEB = "RAMDocs", "XQuAD-en", "web results"


@dataclass(frozen=True, slots=True)
class Asked:
    """A case of a set, and whether an answer to it is right."""

    case: Case
    is_right: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Read:
    """What was read on a question as it is, about another subject, and about a near one; None for no answer."""

    asked: Asked
    plain: str | None
    other: str | None = None
    near: str | None = None
    has_other: bool = False
    has_near: bool = False

    def keeps(self, answer: str | None) -> bool:
        """Whether an answer to the exchanged question is the one to the question as it was."""
        return answer is not None and self.asked.is_right(answer)


async def measure(report: Report, half: Half) -> None:
    """One row a set."""
    rows: list[list[Cell]] = []
    reader = CompactReader(cache_size=1_000)
    for name, load in SETS.items():
        cases = [asked for asked in load(report) if half.has(asked.case.question)]
        if report.options.quick:
            cases = random.Random(SEED).sample(cases, min(QUICK, len(cases)))
        rows.append(_row(report, name, await _read_all(reader, cases)))
        progress(f"{name}: {len(cases)} questions read")
    await reader.aclose()
    rows.append(["aim", None, "not below today", None, f"at most {AIM}", None, None, None, None])
    columns = [
        "set", "questions", "read right", "other subject", "answered all the same", "as before",
        "near subject", "answered all the same", "as before",
    ]  # fmt: skip
    report.table("Questions whose passage answers them, and with their subject exchanged", columns, rows)


async def _read_all(reader: Reader, cases: Sequence[Asked]) -> list[Read]:
    readings = []
    for asked, about in zip(cases, await exchanged(WordLlamaEmbedder(), [a.case for a in cases]), strict=True):
        reading = Read(asked, await _answer(reader, asked.case.question, asked.case.passage))
        if about.other is not None:
            other = await _answer(reader, about.other, asked.case.passage)
            reading = replace(reading, other=other, has_other=True)
        if about.near is not None:
            near = await _answer(reader, about.near, asked.case.passage)
            reading = replace(reading, near=near, has_near=True)
        readings.append(reading)
    return readings


async def _answer(reader: Reader, question: str, passage: str) -> str | None:
    """The only place where the reader is used."""
    return (await reader.read(question, [passage])).answer


def _row(report: Report, name: str, readings: Sequence[Read]) -> list[Cell]:
    others = [reading for reading in readings if reading.has_other]
    nears = [reading for reading in readings if reading.has_near]
    figures = {
        "right": _share([reading.keeps(reading.plain) for reading in readings]),
        "other_answered": _share([reading.other is not None for reading in others]),
        "other_as_before": _share([reading.keeps(reading.other) for reading in others]),
        "near_answered": _share([reading.near is not None for reading in nears]),
        "near_as_before": _share([reading.keeps(reading.near) for reading in nears]),
    }
    for figure, share in figures.items():
        report.figure(f"exchange/{name}/{figure}", share)
    shares = {figure: f"{share:.3f}" for figure, share in figures.items()}
    return [
        name, len(readings), shares["right"], len(others), shares["other_answered"], shares["other_as_before"],
        len(nears), shares["near_answered"], shares["near_as_before"],
    ]  # fmt: skip


def _share(values: Sequence[bool]) -> float:
    return sum(values) / len(values) if values else float("nan")


def _ramdocs(report: Report) -> list[Asked]:
    report.folder("ramdocs")
    examples = ramdocs_examples(report.options.data, Part.REPORT)
    return [_asked(example, same_answer) for example in examples if example.span]


def _xquad(report: Report) -> list[Asked]:
    examples = load_squad(report.folder("reader_train") / "xquad.en.json.gz")
    return [_asked(example, _equal) for example in examples if example.span]


def _web(report: Report) -> list[Asked]:
    return [asked for result in load_web_results(report.folder("realtime_web")) if (asked := _held(result))]


def _asked(example: Example, equal: Callable[[str, str], bool]) -> Asked:
    assert example.span is not None  # noqa: S101  (those without are left out)
    case = Case(example.question, example.passage, example.span)
    return Asked(case, lambda answer: equal(answer, example.answer))


def _equal(answer: str, gold: str) -> bool:
    return squad_normalise(answer) == squad_normalise(gold)


def _held(result: WebResult) -> Asked | None:
    """The result where it holds an answer word for word."""
    places = [place for answer in result.answers if (place := find_answer(result.passage, answer))]
    return Asked(Case(result.question, result.passage, places[0]), result.accepts) if places else None


SETS: dict[str, Callable[[Report], list[Asked]]] = {RAMDOCS: _ramdocs, XQUAD: _xquad, WEB: _web}
