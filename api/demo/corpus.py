"""The demo corpus: what eleven publishers write about Velmarra, an invented island, and how much of it is right.

The island is invented so that no model can know the answers and nobody can dispute them. Two of the sources,
`velmarra-buzz` and `island-feed`, mostly repeat a third, `whispering-gull`, and its mistakes. Two others are right on
one topic and wrong on another: `salt-on-my-boots` knows nature and places, `hearthside-tales` people and history.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any


class MediaType(StrEnum):
    """The media type of the content of a document."""

    TEXT = "text/plain"
    MARKDOWN = "text/markdown"
    HTML = "text/html"


class Showcase(StrEnum):
    """The feature that a question shows in the demo."""

    CLEAR = "clear"
    """Nearly all sources agree."""
    MAJORITY_WRONG = "majority-wrong"
    """Most sources that answer are wrong, the reliable ones are right."""
    UNANSWERED = "unanswered"
    """No document answers it."""


@dataclass(frozen=True, slots=True)
class DemoSource:
    """A publisher."""

    external_id: str
    name: str
    url: str
    description: str


@dataclass(frozen=True, slots=True)
class DemoDocument:
    """A published document; `external_id` is unique in the whole corpus."""

    source: str
    external_id: str
    title: str
    url: str
    media_type: MediaType
    content: str
    published_at: datetime


@dataclass(frozen=True, slots=True)
class DemoQuery:
    """A question to estimate reliabilities with; the first gold answer is the canonical spelling."""

    external_id: str
    text: str
    gold_answers: tuple[str, ...]
    kind: str
    topic: str
    """Topic that the estimation is told."""


@dataclass(frozen=True, slots=True)
class DemoQuestion(DemoQuery):
    """A question held out of the estimation; without gold answers where no document answers it."""

    showcase: Showcase | None


@dataclass(frozen=True, slots=True)
class DemoStatement:
    """A statement of a document on a query or a held-out question, in the document's own spelling."""

    source: str
    document: str
    query: str
    answer: str
    right: bool


@dataclass(frozen=True, slots=True)
class DemoCorpus:
    """The whole corpus, in the order of its files."""

    sources: tuple[DemoSource, ...]
    documents: tuple[DemoDocument, ...]
    queries: tuple[DemoQuery, ...]
    questions: tuple[DemoQuestion, ...]
    statements: tuple[DemoStatement, ...]

    def showcase(self, showcase: Showcase) -> DemoQuestion:
        """The question that shows this in the demo."""
        return next(question for question in self.questions if question.showcase is showcase)


@cache
def load_corpus() -> DemoCorpus:
    """Read the corpus from the files of this package."""
    return DemoCorpus(
        sources=tuple(DemoSource(**row) for row in _rows("sources")),
        documents=tuple(map(_document, _rows("documents"))),
        queries=tuple(map(_query, _rows("queries"))),
        questions=tuple(map(_question, _rows("questions"))),
        statements=tuple(DemoStatement(**row) for row in _rows("statements")),
    )


def true_reliability(topics: Collection[str] | None = None) -> dict[str, float]:
    """The share of every source's statements that are right, in [0, 1]; with `topics`, of those on them."""
    corpus = load_corpus()
    return share_right(
        {query.external_id for query in (*corpus.queries, *corpus.questions) if topics is None or query.topic in topics}
    )


def share_right(asked: Collection[str]) -> dict[str, float]:
    """The share of statements on these queries and questions that are right, for every source with one."""
    verdicts: defaultdict[str, list[bool]] = defaultdict(list)
    for statement in load_corpus().statements:
        if statement.query in asked:
            verdicts[statement.source].append(statement.right)
    return {source: sum(right) / len(right) for source, right in verdicts.items()}


def _rows(name: str) -> Iterator[dict[str, Any]]:
    text = files(__package__).joinpath("data", f"{name}.ndjson").read_text(encoding="utf-8")
    return map(json.loads, text.strip().split("\n"))


def _document(row: dict[str, Any]) -> DemoDocument:
    published_at = datetime.fromisoformat(row["published_at"])
    return DemoDocument(**{**row, "media_type": MediaType(row["media_type"]), "published_at": published_at})


def _query(row: dict[str, Any]) -> DemoQuery:
    return DemoQuery(**{**row, "gold_answers": tuple(row["gold_answers"])})


def _question(row: dict[str, Any]) -> DemoQuestion:
    showcase = Showcase(row["showcase"]) if row["showcase"] else None
    return DemoQuestion(**{**row, "gold_answers": tuple(row["gold_answers"]), "showcase": showcase})
