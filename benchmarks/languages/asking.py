"""`python -m benchmarks.languages.asking`: questions in other languages, where a search has to find what answers them.

Of each language some 220 passages, each of a source of its own, are one corpus. Half of the questions are on one of
them, half on passages that are not there. The service reads with the multilingual reader what its search finds (with
the embedder `e5`); naive RAG has the same reader read the ten nearest passages at once. How many answers are right,
how many questions that nothing answers are answered, and how sure are the answers? An answer is right if it is of one
answer class with the expected one, contains it, or the reverse, word by word. French, Italian and Japanese chose the
least certainty below which the service gives no answer; the other languages judge it.
"""

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from unittest.mock import patch

import numpy as np

from answering.embedders import Embedder
from answering.embedders.e5 import E5Embedder
from answering.errors import ModelRefused
from answering.readers import Reader, ReaderKind
from answering.readers.multilingual import MultilingualReader
from answering.text.language import language_name
from answering.voting import certainty
from benchmarks.data.language_sets import FOLDER
from benchmarks.data.squad import Example, same_answer
from benchmarks.harness import Benchmark, Cell, Headline, Report, database, progress, run
from benchmarks.harness.given import Counts, Given
from benchmarks.languages.reading import reported
from benchmarks.languages.retrieval import SETS, dictionary, hash_of
from benchmarks.multisource.service import asked
from benchmarks.web.questions import overlaps
from registry.answers.schemas import AnswerParameters
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusInput
from registry.documents.imports import import_documents_of_sources
from registry.platform.settings import AnswerJudge
from registry.runtime import Runtime

LANGUAGES: Mapping[str, Sequence[str]] = {"chose": ("fr", "it", "ja"), "judged": ("de", "es", "tr", "zh")}
PASSAGES, QUESTIONS = 220, 30
QUICK_PASSAGES, QUICK = 40, 2
# Of a set with fewer passages so many stay for the questions that nothing answers.
KEPT_ASIDE = 13
NEAREST = 10
DEFAULT, NAIVE = "the service", f"naive RAG, {NEAREST} nearest"
# Least certainty; half of it is below the threshold of the reader.
SETTINGS: Mapping[str, float] = {
    DEFAULT: certainty.LEAST_IN_OTHER_LANGUAGES,
    "all that the reader gives": 0.0,
    "least certainty 0.35": 0.35,
    "least certainty 0.45": 0.45,
    "least certainty 0.7": 0.7,
}
BENCHMARK = Benchmark(
    "languages.asking",
    "questions in other languages that one or none of many sources answers",
    page="languages",
    headlines=(
        Headline(
            "right answers of 120, four languages",
            "judged/right",
            {"naive RAG": f"judged/{NAIVE}/right"},
            form=".0f",
        ),
        Headline(
            "answers to 120 questions that nothing answers",
            "judged/unknown",
            {"naive RAG": f"judged/{NAIVE}/unknown"},
            higher_is_better=False,
            form=".0f",
        ),
        Headline(
            "calibration error of confidence",
            "judged/error",
            {"naive RAG": f"judged/{NAIVE}/error"},
            higher_is_better=False,
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """The passages of a language, and questions on them and on others."""

    passages: Sequence[str]
    known: Sequence[Example]
    unknown: Sequence[Example]

    @classmethod
    def of(cls, data: Path, language: str, most: int, count: int) -> "Asked":
        """The first passages of a language by hash, with one question on each, and questions on later ones."""
        questions: defaultdict[str, list[Example]] = defaultdict(list)
        for example in reported(data, SETS[language]):
            if example.answer:
                questions[example.passage].append(example)
        passages = sorted(questions, key=hash_of)
        size = min(most, len(passages) - KEPT_ASIDE)
        first = [min(questions[passage], key=lambda one: hash_of(one.question)) for passage in passages[:count]]
        others = chain.from_iterable(questions[passage] for passage in passages[size:])
        return cls(passages[:size], first, sorted(others, key=lambda one: hash_of(one.question))[:count])


@dataclass(frozen=True, slots=True)
class Answered:
    """The answers to the questions of a language, and those to the questions that nothing answers."""

    known: Sequence[Given]
    unknown: Sequence[Given]

    @classmethod
    def of(cls, known: Sequence[Given], unknown: Sequence[Given]) -> "Answered":
        """No answer to a question that nothing answers is right, whatever it contains."""
        return cls(known, [Given(False, one.confidence) for one in unknown])

    @classmethod
    def joined(cls, parts: Iterable["Answered"]) -> "Answered":
        """Those of several languages."""
        parts = list(parts)
        return cls([one for each in parts for one in each.known], [one for each in parts for one in each.unknown])


async def publish_all(runtime: Runtime, language: str, passages: Sequence[str]) -> Corpus:
    """A corpus of all passages, each of a source of its own."""
    async with runtime.database.begin() as session:
        corpus = await corpora.create(session, CorpusInput(name=language, text_search=dictionary(language)))
    results = import_documents_of_sources(runtime, corpus, _lines(passages))
    assert not [result.error async for result in results if result.error]  # noqa: S101
    return corpus


async def _lines(passages: Sequence[str]) -> AsyncIterator[bytes]:
    for number, passage in enumerate(passages):
        yield json.dumps({"source": f"site{number}.example", "external_id": "page", "content": passage}).encode()


async def answered(runtime: Runtime, corpus: Corpus, examples: Sequence[Example], least: float) -> list[Given]:
    """The answers of the service with this least certainty; it remembers its readings."""
    answers = []
    with patch.object(certainty, "LEAST_IN_OTHER_LANGUAGES", least):
        for example in examples:
            result, _ = await asked(runtime, corpus, example.question, AnswerParameters())
            answers += [_given(example, answer, result.confidence) for answer in result.answers[:1]]
    return answers


async def naive(embedder: Embedder, reader: Reader, asked_of: Asked) -> Answered:
    """What the reader answers from the passages nearest to each question by cosine similarity."""
    stored = np.asarray(await embedder.embed(asked_of.passages, passages=True))
    answers: dict[bool, list[Given]] = {True: [], False: []}
    for is_known, examples in ((True, asked_of.known), (False, asked_of.unknown)):
        questions = np.asarray(await embedder.embed([example.question for example in examples]))
        for example, row in zip(examples, questions @ stored.T, strict=True):
            nearest = [asked_of.passages[place] for place in np.argsort(-row, kind="stable")[:NEAREST]]
            reading = await reader.read(example.question, nearest)
            if reading.answer is not None:
                answers[is_known].append(_given(example, reading.answer, reading.confidence or 0.0))
    return Answered.of(answers[True], answers[False])


def _given(example: Example, answer: str, confidence: float) -> Given:
    right = same_answer(answer, example.answer, example.question) or overlaps(answer, [example.answer])
    return Given(right, confidence)


async def _of_language(
    runtime: Runtime, embedder: Embedder, reader: Reader, language: str, asked_of: Asked
) -> dict[str, Answered]:
    corpus = await publish_all(runtime, language, asked_of.passages)
    found = {}
    for name, least in SETTINGS.items():
        known = await answered(runtime, corpus, asked_of.known, least)
        found[name] = Answered.of(known, await answered(runtime, corpus, asked_of.unknown, least))
    found[NAIVE] = await naive(embedder, reader, asked_of)
    progress(f"{language_name(language)}: {len(asked_of.passages)} passages")
    return found


async def _measure(report: Report, embedder: Embedder, reader: Reader) -> None:
    quick = report.options.quick
    most, count = (QUICK_PASSAGES, QUICK) if quick else (PASSAGES, QUESTIONS)
    options = {"conflict_judge": AnswerJudge.NONE, "reader": ReaderKind.MULTILINGUAL}
    with database.temporary_server() as (url, _):
        async with database.opened(url, reader, embedder, **options) as runtime:
            for half, languages in LANGUAGES.items():
                found = {}
                for language in languages[:1] if quick else languages:
                    asked_of = Asked.of(report.options.data, language, most, count)
                    found[language] = await _of_language(runtime, embedder, reader, language, asked_of)
                _tabulate(report, half, found)


def _tabulate(report: Report, half: str, found: Mapping[str, Mapping[str, Answered]]) -> None:
    columns = [
        "right",
        "wrong",
        "of these above 0.5",
        "answers to what nothing answers",
        "of these above 0.5",
        "mean confidence",
        "calibration error",
    ]
    rows: list[list[Cell]] = []
    for name in (*SETTINGS, NAIVE):
        of_all = Answered.joined(of[name] for of in found.values())
        prefix = half if name == DEFAULT else f"{half}/{name}"
        every = Counts.of([*of_all.known, *of_all.unknown])
        figures = {"right": every.right, "wrong": Counts.of(of_all.known).wrong, "unknown": len(of_all.unknown)}
        for figure, value in (figures | {"confidence": every.mean, "error": every.error}).items():
            report.figure(f"{prefix}/{figure}", value)
        rows.append([name, *_cells(of_all)])
    names = ", ".join(map(language_name, found))
    report.table(f"{names}, which {half} the least certainty", ["method", *columns], rows)
    of_each: list[list[Cell]] = [
        [language_name(language), name, *_cells(of[name])]
        for language, of in found.items()
        for name in (DEFAULT, NAIVE)
    ]
    report.table("By language", ["language", "method", *columns], of_each)


def _cells(answers: Answered) -> list[Cell]:
    known, unknown = Counts.of(answers.known), Counts.of(answers.unknown)
    every = Counts.of([*answers.known, *answers.unknown])
    counts = [known.right, known.wrong, known.surely_wrong, len(answers.unknown), unknown.surely_wrong]
    return [*counts, f"{every.mean:.2f}", f"{every.error:.3f}"]


def measure(report: Report) -> None:
    """Ask the questions of all languages and report the answers; without the extra `languages` nothing is measured."""
    report.folder(FOLDER)
    try:
        embedder, reader = E5Embedder(), MultilingualReader()
    except ModelRefused as absent:
        report.rival_skipped("the multilingual reader", str(absent))
        return
    asyncio.run(_measure(report, embedder, reader))


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
