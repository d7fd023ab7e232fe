"""`python -m benchmarks.languages.reading`: readers in eleven languages, on public sets of questions on passages.

Of each language questions are drawn by their hashes, of the sets on which the multilingual reader was trained only such
on passages that neither trained it nor chose its settings. Each question is read from its passage, and from the nearest
of the drawn ones that does not hold the answer. Of passages with an answer: the share read right (the same answer
class), the mean F1 of words (of characters in Chinese and Japanese), the share given up; of the others: the share given
up. The sets of German, Spanish, Italian, Turkish, Persian and Korean trained nothing.
"""

import argparse
import asyncio
import hashlib
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, fields
from itertools import groupby
from pathlib import Path
from statistics import fmean

from answering.errors import ModelRefused
from answering.readers import ChatReader, CompactReader, Reader
from answering.readers.multilingual import MultilingualReader
from answering.text.language import ENGLISH, language_name
from benchmarks.data.language_sets import (
    FOLDER,
    LANGUAGE_SETS,
    REPORTED,
    LanguageSet,
    load_language_set,
    part_of_passage,
)
from benchmarks.data.squad import Example, load_squad, same_answer, token_f1
from benchmarks.harness import Benchmark, Cell, Headline, Report, run
from benchmarks.harness.language_model import StandIn, add_model_options, foretell, language_model

ENGLISH_SET = Path("reader_train/xquad.en.json.gz")
QUESTIONS, QUICK, BY_MODEL = 200, 8, 10
LETTERS = 3
WITHOUT_BLANKS = frozenset({"zh", "ja"})
BENCHMARK = Benchmark(
    "languages.reading",
    "readers in eleven languages",
    page="languages",
    headlines=(
        Headline(
            "answers read right, mean of ten languages", "multilingual.exact", {"compact": "compact.exact"}, aim=0.4
        ),
        Headline("the same, F1", "multilingual.f1", {"compact": "compact.f1"}),
        Headline("passages without the answer given up", "multilingual.silent", {"compact": "compact.silent"}),
    ),
)


@dataclass(frozen=True, slots=True)
class Quality:
    """What a reader makes of the passages of a language; shares."""

    exact: float
    f1: float
    lost: float
    silent: float
    milliseconds: float


def samples(data: Path, count: int) -> Iterator[tuple[str, list[Example]]]:
    """Questions of each language, each with its passage and one that does not answer it."""
    yield ENGLISH, _drawn(load_squad(data / ENGLISH_SET), count)
    for language, kinds in groupby(LANGUAGE_SETS, key=lambda kind: kind.language.partition("-")[0]):
        yield language, _drawn((one for kind in kinds for one in reported(data, kind)), count)


def reported(data: Path, kind: LanguageSet) -> Iterator[Example]:
    """The questions of a set on passages that trained nothing and chose no setting."""
    examples = load_language_set(data, kind)
    return (one for one in examples if not kind.trains or part_of_passage(one.passage) == REPORTED)


def _drawn(examples: Iterable[Example], count: int) -> list[Example]:
    answered = sorted((one for one in examples if one.span), key=lambda one: _hash(one.question + one.passage))
    passages = {one.passage: _letters(one.passage) for one in answered[:count]}
    return [each for one in answered[:count] for each in (one, _on_another(one, passages))]


def _on_another(example: Example, passages: Mapping[str, Set[str]]) -> Example:
    """The question with the passage that shares most sequences of letters with it, of those without the answer."""
    asked = _letters(example.question)
    others = (one for one in passages if example.answer not in one)
    return Example(example.question, max(others, key=lambda one: len(asked & passages[one])), None, example.topic)


def _letters(value: str) -> frozenset[str]:
    return frozenset(value[at : at + LETTERS] for at in range(len(value) - LETTERS + 1))


def _hash(value: str) -> bytes:
    return hashlib.sha256(value.encode()).digest()


def measure(report: Report) -> None:
    """One table a reader, one row a language; the mean is over the languages that are not English."""
    report.folder(FOLDER)
    drawn = dict(samples(report.options.data, QUICK if report.options.quick else QUESTIONS))
    for name, reader in _readers(report, drawn).items():
        of_model = name not in {"compact", "multilingual"}
        rows: list[list[Cell]] = []
        found = {
            language: asyncio.run(_quality(reader, language, examples[: 2 * BY_MODEL] if of_model else examples))
            for language, examples in drawn.items()
        }
        for language, quality in found.items():
            rows.append([language_name(language), *(f"{value:.2f}" for value in _shares(quality))])
            report.figure(f"{name}.exact.{language}", quality.exact)
        others = [quality for language, quality in found.items() if language != ENGLISH]
        for field in fields(Quality):
            report.figure(f"{name}.{field.name}", fmean(getattr(quality, field.name) for quality in others))
        columns = ["language", "read right", "F1", "answer given up", "no answer given up", "ms a passage"]
        report.table(f"{name}: {QUESTIONS} questions a language, each on two passages", columns, rows)


def _shares(quality: Quality) -> list[float]:
    return [getattr(quality, field.name) for field in fields(Quality)]


def _readers(report: Report, drawn: Mapping[str, Sequence[Example]]) -> dict[str, Reader]:
    readers: dict[str, Reader] = {"compact": CompactReader(threads=1)}
    try:
        readers["multilingual"] = MultilingualReader(threads=1)
    except ModelRefused as absent:
        report.rival_skipped("multilingual", str(absent))
    if report.options.extra.model and not report.options.quick:
        chat = language_model(report.options.extra.model)
        stand_in = StandIn(chat.name)
        for language, examples in drawn.items():
            asyncio.run(_quality(ChatReader(stand_in), language, examples[: 2 * BY_MODEL]))
        if foretell(report, stand_in.usage):
            readers[chat.name] = ChatReader(chat)
    return readers


async def _quality(reader: Reader, language: str, examples: Sequence[Example]) -> Quality:
    began = time.perf_counter()
    answers = [(await reader.read(example.question, [example.passage])).answer for example in examples]
    milliseconds = (time.perf_counter() - began) * 1000 / len(examples)
    pairs = list(zip(examples, answers, strict=True))
    answered = [(example, answer or "") for example, answer in pairs if example.span]
    return Quality(
        exact=fmean(same_answer(answer, example.answer, example.question) for example, answer in answered),
        f1=fmean(token_f1(_words(answer, language), _words(example.answer, language)) for example, answer in answered),
        lost=fmean(not answer for _, answer in answered),
        silent=fmean(answer is None for example, answer in pairs if not example.span),
        milliseconds=milliseconds,
    )


def _words(text: str, language: str) -> str:
    return " ".join(text) if language in WITHOUT_BLANKS else text


def add_options(parser: argparse.ArgumentParser) -> None:
    """A language model that reads ten questions a language."""
    add_model_options(parser)


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure, add_options=add_options))
