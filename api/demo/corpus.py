"""The demo corpus: what eleven publishers write about Velmarra, an invented island, and how much of it is right.

The island is invented so that no model can know the answers and nobody can dispute them. Two of the sources,
`velmarra-buzz` and `island-feed`, mostly repeat a third, `whispering-gull`, and its mistakes. Two others are right on
one topic and wrong on another: `salt-on-my-boots` knows nature and places, `hearthside-tales` people and history.
"""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import TypeVar

from pydantic import BaseModel

from registry.documents.schemas import DocumentLine
from registry.sources.schemas import SourceInput

Row = TypeVar("Row", bound=BaseModel)


class Showcase(StrEnum):
    """The feature that a question shows in the demo."""

    CLEAR = "clear"
    """Nearly all sources agree."""
    MAJORITY_WRONG = "majority-wrong"
    """Most sources that answer are wrong, the reliable ones are right."""
    UNANSWERED = "unanswered"
    """No document answers it."""


class DemoSource(SourceInput):
    """A publisher."""

    external_id: str


class DemoDocument(DocumentLine):
    """A published document; `external_id` is unique in the whole corpus."""

    external_id: str
    published_at: datetime


class DemoQuery(BaseModel):
    """A question to estimate reliabilities with; the first gold answer is the canonical spelling."""

    external_id: str
    text: str
    gold_answers: tuple[str, ...]
    topic: str
    """Topic that the estimation is told."""


class DemoQuestion(DemoQuery):
    """A question held out of the estimation; without gold answers where no document answers it."""

    showcase: Showcase | None


class DemoStatement(BaseModel):
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
        sources=_rows("sources", DemoSource),
        documents=_rows("documents", DemoDocument),
        queries=_rows("queries", DemoQuery),
        questions=_rows("questions", DemoQuestion),
        statements=_rows("statements", DemoStatement),
    )


def lines_of(name: str) -> list[str]:
    """The rows of a file, as JSON."""
    return files(__package__).joinpath("data", f"{name}.ndjson").read_text(encoding="utf-8").strip().split("\n")


def true_reliability() -> dict[str, float]:
    """The share of every source's statements that are right, in [0, 1]."""
    verdicts: defaultdict[str, list[bool]] = defaultdict(list)
    for statement in load_corpus().statements:
        verdicts[statement.source].append(statement.right)
    return {source: sum(right) / len(right) for source, right in verdicts.items()}


def _rows(name: str, model: type[Row]) -> tuple[Row, ...]:
    return tuple(map(model.model_validate_json, lines_of(name)))
