"""Questions of RealtimeQA with the results of a web search (by way of RobustRAG, arXiv:2405.15556); evaluation only."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from answering.text import squad_normalise
from benchmarks.data.squad import same_answer


@dataclass(frozen=True, slots=True)
class WebResult:
    """A question, one of its search results (title and text), and the accepted spellings of the answer."""

    question: str
    passage: str
    answers: tuple[str, ...]

    @property
    def holds_answer(self) -> bool:
        """Whether the passage holds one of the spellings, word for word."""
        return any(_holds(self.passage, answer) for answer in self.answers)

    def accepts(self, answer: str) -> bool:
        """Whether an answer holds one of the spellings, or is of its answer class."""
        return any(_holds(answer, right) or same_answer(answer, right) for right in self.answers)


def load_web_results(folder: Path) -> list[WebResult]:
    """Every search result of every question."""
    with gzip.open(folder / "questions.json.gz", "rt", encoding="utf-8") as file:
        return [result for row in json.load(file) for result in _results(row)]


def _results(row: dict[str, Any]) -> Iterator[WebResult]:
    answers = (*row["correct answer"], *row["expanded answer"])
    for result in row["context"]:
        yield WebResult(row["question"], f"{result.get('title', '')}\n{result.get('text', '')}", answers)


def _holds(text: str, answer: str) -> bool:
    return f" {squad_normalise(answer)} " in f" {squad_normalise(text)} "
