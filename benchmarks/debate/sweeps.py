"""RAMDocs by the number of documents of a right answer, and of misinformation: `python -m benchmarks.debate.sweeps`.

MADAM-RAG (arXiv:2504.13079) section 6.2 gives one of two right answers one document and the other one to three; section
6.3 gives both one, and adds none to three documents that state the same wrong answer. Misinformation of the question
comes first; then right documents whose answer is exchanged for the wrong one. Questions are those that trained no
model. With `--model` (a GGUF file or URL#name, or BENCHMARK_CHAT) debates and the concatenated prompt are measured too,
on `--questions` of each sweep, alone with those that need none.
"""

import argparse
import asyncio
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from answering.debates.protocol import SourceDocument
from answering.equivalence import answer_key
from answering.judges.compact import CompactJudge
from answering.readers import CompactReader
from answering.text import tokenize
from benchmarks.data.ramdocs import Question, load_questions, with_sources
from benchmarks.data.splits import Part
from benchmarks.debate import BENCHMARK
from benchmarks.debate.asking import add_asking_options, ask_all
from benchmarks.debate.evidence import CachingReader
from benchmarks.debate.scores import score
from benchmarks.debate.strategies import (
    AUTO,
    CONCATENATED,
    EVERY_READING,
    MAJORITY,
    SELECTED,
    StrategyRunner,
    with_selected_sources,
)
from benchmarks.harness import Cell, Report, bootstrap_mean, progress, run
from benchmarks.harness.plots import PLOTS, Panel, PlotStyle, draw_panels

QUICK_QUESTIONS = 8
MOST = 3
WITHOUT_MODEL = (MAJORITY, EVERY_READING)
SECONDS = 600.0
BY_MODEL = (CONCATENATED, "madam T=1", "astute", AUTO)
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#444444", "#999933")


@dataclass(frozen=True, slots=True)
class Sweep:
    """Variants of the same questions, by the number that is varied."""

    title: str
    varied: str
    variants: Mapping[int, Sequence[Question]]


def imbalanced(questions: Sequence[Question]) -> Sweep:
    """Two right answers, one with a single document and the other with one to three (section 6.2)."""
    variants = defaultdict[int, list[Question]](list)
    for question in questions:
        by_answer = _right_documents(question)
        frequent = next((answer for answer, documents in by_answer.items() if len(documents) >= MOST), None)
        rare = next((answer for answer in by_answer if answer != frequent), None)
        if frequent is None or rare is None:
            continue
        for count in range(1, MOST + 1):
            kept = [*by_answer[frequent][:count], by_answer[rare][0]]
            variants[count].append(_variant(question, f"{count}", kept, (frequent, rare)))
    return Sweep("Documents of one of two right answers", "documents", variants)


def misinformed(questions: Sequence[Question]) -> Sweep:
    """Two right answers with one document each, and none to three with the same wrong answer (section 6.3)."""
    variants = defaultdict[int, list[Question]](list)
    for question in questions:
        by_answer = _right_documents(question)
        if len(by_answer) < 2:
            continue
        gold = tuple(by_answer)[:2]
        wrong = _wrong_answer(question, questions)
        false = [*_false_documents(question, wrong), *_exchanged(by_answer, wrong)]
        if len(false) < MOST:
            continue
        right = [by_answer[answer][0] for answer in gold]
        for count in range(MOST + 1):
            variants[count].append(_variant(question, f"false {count}", right, gold, false[:count], (wrong,)))
    return Sweep("Documents with misinformation", "documents", variants)


def _right_documents(question: Question) -> Mapping[str, list[SourceDocument]]:
    documents = defaultdict[str, list[SourceDocument]](list)
    for document, kind, answer in zip(question.documents, question.kinds, question.stated, strict=True):
        if kind == "correct":
            documents[answer].append(document)
    return documents


def _false_documents(question: Question, wrong: str) -> Iterator[SourceDocument]:
    for document, kind, answer in zip(question.documents, question.kinds, question.stated, strict=True):
        if kind == "misinfo" and answer == wrong:
            yield document


def _exchanged(by_answer: Mapping[str, Sequence[SourceDocument]], wrong: str) -> Iterator[SourceDocument]:
    """Right documents with the wrong answer where their own stood; those that state it in other words are left out."""
    for answer, documents in by_answer.items():
        pattern = re.compile(rf"(?<!\w){re.escape(answer)}(?!\w)", re.IGNORECASE)
        for document in documents:
            text, count = pattern.subn(lambda _: wrong, document.text)
            if count:
                yield replace(document, text=text)


def _wrong_answer(question: Question, questions: Sequence[Question]) -> str:
    """Its own wrong answer, else one to the question most like it that is of the same kind (name, number, date)."""
    gold = {answer_key(answer) for answer in question.gold}
    kinds = {_kind(answer) for answer in question.gold}
    words = set(tokenize(question.text))
    alike = sorted(questions, key=lambda other: -len(words & set(tokenize(other.text))))
    answers = (*question.wrong, *(answer for other in alike for answer in other.gold if _kind(answer) in kinds))
    return next(answer for answer in answers if answer_key(answer) not in gold)


def _kind(answer: str) -> str:
    return answer_key(answer).split(":")[0]


def _variant(
    question: Question,
    name: str,
    right: Sequence[SourceDocument],
    gold: tuple[str, ...],
    false: Sequence[SourceDocument] = (),
    wrong: tuple[str, ...] = (),
) -> Question:
    documents = [replace(document, id=str(number)) for number, document in enumerate((*right, *false), 1)]
    kinds = ("correct",) * len(right) + ("misinfo",) * len(false)
    variant = replace(
        question, id=f"{question.id} {name}", documents=tuple(documents), kinds=kinds, gold=gold, wrong=wrong
    )
    return replace(variant, documents=with_sources(variant))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this part."""
    add_asking_options(parser, None)


def measure(report: Report) -> None:
    """Both sweeps, without a language model and with one."""
    path = report.folder("ramdocs") / "ramdocs_dev.jsonl"
    asyncio.run(_measure(report, path))


async def _measure(report: Report, path: Path) -> None:
    questions = [*load_questions(path), *load_questions(path, part=Part.CALIBRATION)]
    sweeps = [imbalanced(questions), misinformed(questions)]
    runner = StrategyRunner(CachingReader(CompactReader()), CompactJudge(), None)
    most = QUICK_QUESTIONS if report.options.quick else report.options.extra.questions
    try:
        panels = [await _sweep(report, runner, sweep, most) for sweep in sweeps]
    finally:
        await runner.aclose()
    if report.options.save is not None:
        by_model = any(name in panels[0].curves for name in BY_MODEL)
        plot = "debate-sweeps-model.png" if by_model else "debate-sweeps.png"
        _draw(panels, (*WITHOUT_MODEL, *BY_MODEL), PLOTS / plot)


async def _sweep(report: Report, runner: StrategyRunner, sweep: Sweep, most: int | None) -> Panel:
    """One table, a row a strategy; the curves of all documents."""
    asked = [question for variants in sweep.variants.values() for question in variants[:most]]
    by_model = await ask_all(report, runner, asked, [*BY_MODEL, *with_selected_sources(BY_MODEL)])
    names = (*WITHOUT_MODEL, *(BY_MODEL if by_model else ()))
    done = by_model.done if by_model else {}
    curves = defaultdict[str, list[float]](list)
    cells = defaultdict[str, list[Cell]](list)
    for count, variants in sweep.variants.items():
        for name in (*names, *with_selected_sources(names)):
            scores = [
                score(
                    (done.get(question.id, {}).get(name) or await runner.outcome(name, question, SECONDS)).answers,
                    question.gold,
                    question.wrong,
                )
                for question in variants[:most]
                if not by_model or question.id in done
            ]
            strict, recall = (bootstrap_mean([getattr(each, of) for each in scores]) for of in ("strict", "recall"))
            report.figure(f"sweeps/{sweep.title}/{name}/{count}", strict.mean)
            cells[_shown(name)].append(f"{strict}; {recall.mean:.3f}")
            curves[_shown(name)].append(strict.mean)
            progress(f"{sweep.title}: {name}, {count}")
    number = min(len(variants[:most]) for variants in sweep.variants.values())
    model = f", {by_model.model}" if by_model else ""
    title = f"{sweep.title} (RAMDocs, {number} questions{model}): strict with its 95 % interval; recall"
    columns = ["strategy", *(f"{count} {sweep.varied}" for count in sweep.variants)]
    report.table(title, columns, [[name, *row] for name, row in cells.items()])
    return Panel(sweep.title, list(sweep.variants), curves)


def _shown(name: str) -> str:
    return name.replace(SELECTED, ", selected")


def _draw(panels: Sequence[Panel], names: Sequence[str], path: Path) -> None:
    lines = dict[str, tuple[str, str]]()
    for name, colour in zip(names, COLOURS, strict=False):
        lines |= {name: (colour, "-"), _shown(f"{name}{SELECTED}"): (colour, "--")}
    style = PlotStyle("documents", "strictly right", lines)
    draw_panels(panels, style, path)


if __name__ == "__main__":
    raise SystemExit(run(replace(BENCHMARK, name="debate.sweeps"), measure, add_options=add_options))
