"""`python -m benchmarks.news`: questions on the news, where a search has to find which of many sources answer.

Quiz questions on the news of a year are asked of the articles found for all of them, each article a source of its own;
most questions are answered by none or one of them. The service reads what its search over all sources finds; naive RAG
has the same reader read the ten nearest articles at once. How many answers are right, and how sure are they? The factor
by which the service lowers the odds of such readings, and the certainty below which it gives no answer, were chosen on
2023 and the web results of `benchmarks.web`; 2024 judges them. An answer is right if it contains the right choice, or
the reverse, word by word; only questions whose right choice has at most three words are asked.
"""

import asyncio
import gzip
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from answering.readers import CompactReader, Reader
from answering.voting import certainty
from benchmarks.harness import Benchmark, Cell, Headline, Report, progress, run
from benchmarks.harness.given import Counts, Given
from benchmarks.multisource.runner import opened_service
from benchmarks.multisource.service import asked, publish
from benchmarks.web.questions import overlaps
from registry.answers.schemas import AnswerParameters
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusInput
from registry.documents.schemas import DocumentInput
from registry.runtime import Runtime

QUESTIONS, QUICK = 150, 6
YEARS: Mapping[str, int] = {"chose": 2023, "judged": 2024}
MOST_WORDS = 3
NEAREST = 10
DEFAULT, NAIVE = "the service", f"naive RAG, {NEAREST} nearest"
# Factor of the odds and least certainty; with neither, with half and with double.
SETTINGS: Mapping[str, tuple[float, float]] = {
    DEFAULT: (certainty.FOUND_BY_SEARCH, certainty.LEAST_CERTAINTY),
    "the reader's own confidence": (1.0, 0.0),
    "odds times 0.225": (0.225, certainty.LEAST_CERTAINTY),
    "odds times 0.9": (0.9, certainty.LEAST_CERTAINTY),
    "least certainty 0.1": (certainty.FOUND_BY_SEARCH, 0.1),
    "least certainty 0.4": (certainty.FOUND_BY_SEARCH, 0.4),
}
BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
BENCHMARK = Benchmark(
    "news",
    "questions that few of many sources answer, and how sure the answers are",
    page="news",
    headlines=(
        Headline("right answers, 2024", "judged/right", {"naive RAG": f"judged/{NAIVE}/right"}),
        Headline(
            "wrong answers above 0.5, 2024",
            "judged/wrong_above_half",
            {"the reader's own confidence": "judged/the reader's own confidence/wrong_above_half",
             "naive RAG": f"judged/{NAIVE}/wrong_above_half"},
            higher_is_better=False,
            form=".0f",
        ),
        Headline(
            "calibration error of confidence, 2024",
            "judged/error",
            {"the reader's own confidence": "judged/the reader's own confidence/error",
             "naive RAG": f"judged/{NAIVE}/error"},
            higher_is_better=False,
        ),
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Article:
    """An article as its site published it, cut to passages."""

    url: str
    title: str
    text: str
    published_at: datetime | None


@dataclass(frozen=True, slots=True)
class NewsQuestion:
    """A question, its right answer, when it was asked, and the articles that a search engine found for it."""

    text: str
    right: str
    asked_at: datetime
    articles: tuple[Article, ...]


def load(folder: Path, year: int, limit: int) -> list[NewsQuestion]:
    """The first questions of a year by hash, with at least one article."""
    articles: defaultdict[str, list[Article]] = defaultdict(list)
    for row in _lines(folder / f"articles_{year}.jsonl.gz"):
        date = row["publish_date"] and _date(row["publish_date"])
        articles[row["question_id"]].append(Article(row["url"], row["title"], "\n\n".join(row["passages"]), date))
    rows = [row for row in _lines(folder / "questions.jsonl.gz") if row["question_id"] in articles]
    rows.sort(key=lambda row: hashlib.sha256(row["question_id"].encode()).digest())
    questions = []
    for row in rows:
        right = [row["choices"][index] for index in row["gold"]]
        if len(right) == 1 and len(right[0].split()) <= MOST_WORDS and right[0].strip(".").lower() not in _YES_OR_NO:
            asked_at = _date(row["date"])
            questions.append(NewsQuestion(row["question"], right[0], asked_at, tuple(articles[row["question_id"]])))
    return questions[:limit]


_YES_OR_NO = frozenset({"true", "false", "yes", "no"})


def _date(text: str) -> datetime:
    return datetime.fromisoformat(text[:10]).replace(hour=12, tzinfo=UTC)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


async def publish_all(runtime: Runtime, name: str, questions: Sequence[NewsQuestion]) -> Corpus:
    """A corpus of all articles, each of a source of its own."""
    async with runtime.database.begin() as session:
        corpus = await corpora.create(session, CorpusInput(name=name))
    for number, article in enumerate(_distinct(questions)):
        document = DocumentInput(
            external_id="page", title=article.title[:200], content=article.text, published_at=article.published_at
        )
        await publish(runtime, corpus, f"site{number}.example", [document])
    return corpus


def _distinct(questions: Sequence[NewsQuestion]) -> list[Article]:
    return list({article.url: article for question in questions for article in question.articles}.values())


async def answered(
    runtime: Runtime, corpus: Corpus, questions: Sequence[NewsQuestion], factor: float, least: float
) -> list[Given | None]:
    """The answers of the service with these settings; it remembers its readings."""
    answers: list[Given | None] = []
    with patch.multiple(certainty, FOUND_BY_SEARCH=factor, LEAST_CERTAINTY=least):
        for question in questions:
            parameters = AnswerParameters(asked_at=question.asked_at)
            result, _ = await asked(runtime, corpus, question.text, parameters)
            answer = next(iter(result.answers), None)
            right = answer is not None and overlaps(answer, [question.right])
            answers.append(None if answer is None else Given(right, result.confidence))
    return answers


async def naive(runtime: Runtime, reader: Reader, questions: Sequence[NewsQuestion]) -> list[Given | None]:
    """What one reader answers from the articles nearest to each question by cosine similarity."""
    texts = [f"{article.title}\n{article.text}" for article in _distinct(questions)]
    vectors = np.asarray(await runtime.embedder.embed([*texts, *(question.text for question in questions)]))
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    answers: list[Given | None] = []
    for question, row in zip(questions, vectors[len(texts) :] @ vectors[: len(texts)].T, strict=True):
        reading = await reader.read(
            question.text, [texts[place] for place in np.argsort(-row, kind="stable")[:NEAREST]]
        )
        right = reading.answer is not None and overlaps(reading.answer, [question.right])
        answers.append(None if reading.answer is None else Given(right, reading.confidence or 0.0))
    return answers


async def _measure(report: Report) -> None:
    folder, quick = report.folder("realtime_news"), report.options.quick
    reader = CompactReader()
    async with opened_service(reader) as runtime:
        for half, year in YEARS.items():
            questions = load(folder, year, QUICK if quick else QUESTIONS)
            corpus = await publish_all(runtime, half, questions)
            progress(f"{year}: {len(_distinct(questions))} articles")
            answers = {}
            for name, (factor, least) in SETTINGS.items():
                answers[name] = await answered(runtime, corpus, questions, factor, least)
                progress(f"{year}: {name}")
            answers[NAIVE] = await naive(runtime, reader, questions)
            _tabulate(report, half, len(questions), answers)


def _tabulate(report: Report, half: str, total: int, answers: Mapping[str, Sequence[Given | None]]) -> None:
    rows: list[list[Cell]] = []
    for name, each in answers.items():
        counts = Counts.of([answer for answer in each if answer is not None])
        prefix = half if name == DEFAULT else f"{half}/{name}"
        figures = {
            "right": counts.right / total,
            "wrong": counts.wrong / total,
            "wrong_above_half": counts.surely_wrong,
        }
        for figure, value in (figures | {"confidence": counts.mean, "error": counts.error}).items():
            report.figure(f"{prefix}/{figure}", value)
        mean, error = f"{counts.mean:.2f}", f"{counts.error:.3f}"
        rows.append([name, counts.right, counts.wrong, counts.surely_wrong, mean, error])
    columns = ["method", "right", "wrong", "wrong above 0.5", "mean confidence", "calibration error"]
    report.table(f"{total} questions on the news of {YEARS[half]}, which {half} the settings", columns, rows)
    bins: list[list[Cell]] = [
        [f"{low:.1f} to {high:.1f}", *_in_bin(answers[DEFAULT], low, high)] for low, high in pairwise(BINS)
    ]
    report.table(f"Answers of the service, {YEARS[half]}", ["confidence", "answers", "right"], bins)


def _in_bin(answers: Sequence[Given | None], low: float, high: float) -> list[Cell]:
    within = [each.is_right for each in answers if each and low <= each.confidence < high]
    return [len(within), f"{np.mean(within):.2f}" if within else ""]


def measure(report: Report) -> None:
    """Ask the questions of both years and report the answers."""
    asyncio.run(_measure(report))


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
