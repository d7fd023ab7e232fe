"""Questions on paragraphs with answer spans, from files in the SQuAD format and from RAMDocs."""

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from answering.equivalence import ClassPolicy, answer_key
from answering.text import squad_normalise


@dataclass(frozen=True, slots=True)
class Example:
    """A question and a passage; [start, end) is the answer's place in the passage, None where it holds none.

    `context` is what the passage stands below, such as the title of its page.
    """

    question: str
    passage: str
    span: tuple[int, int] | None
    topic: str
    context: str = ""

    @property
    def answer(self) -> str:
        """The answer's text, empty without one."""
        return self.passage[slice(*self.span)] if self.span else ""


def load_articles(path: Path) -> list[dict[str, Any]]:
    """The articles of a file in the SQuAD format, `.json` or `.json.gz`."""
    content = path.read_bytes()
    articles: list[dict[str, Any]] = json.loads(gzip.decompress(content) if path.suffix == ".gz" else content)["data"]
    return articles


def load_squad(path: Path) -> list[Example]:
    """Every question of the file, with the answer that most annotators chose, the shortest of equals."""
    return [
        Example(question["question"].strip(), paragraph["context"], _agreed(question["answers"]), _topic(path, article))
        for article in load_articles(path)
        for paragraph in article["paragraphs"]
        for question in paragraph["qas"]
        if question["answers"]
    ]


def load_ramdocs(path: Path) -> list[Example]:
    """Every (question, document) pair whose answer stands in the document, and the noise documents."""
    return [
        example
        for row in map(json.loads, path.read_text("utf-8").splitlines())
        for document in row["documents"]
        if (example := _ramdocs_example(row["question"], document)) is not None
    ]


def find_answer(passage: str, answer: str) -> tuple[int, int] | None:
    """Where the passage first contains the answer as whole words, in any case."""
    match = re.search(rf"(?<!\w){re.escape(answer.strip())}(?!\w)", passage, re.IGNORECASE) if answer.strip() else None
    return match.span() if match else None


def same_answer(answer: str, gold: str, question: str | None = None) -> bool:
    """Whether two answers, to a question if it is given, are of one answer class."""
    key, other = (answer_key(each, ClassPolicy.VALUES, question) for each in (answer, gold))
    return bool(gold) and key == other


def token_f1(answer: str, gold: str) -> float:
    """The harmonic mean of precision and recall of words (Rajpurkar et al. 2016, arXiv:1606.05250)."""
    words, gold_words = squad_normalise(answer).split(), squad_normalise(gold).split()
    shared = sum((Counter(words) & Counter(gold_words)).values())
    return 2 * shared / (len(words) + len(gold_words)) if shared else 0.0


def sentences(passage: str) -> Iterator[tuple[int, int]]:
    """Rough [start, end) of the passage's sentences."""
    start = 0
    for match in re.finditer(r"(?<=[.!?])\s+", passage):
        yield start, match.end()
        start = match.end()
    if start < len(passage):
        yield start, len(passage)


def _ramdocs_example(question: str, document: dict[str, Any]) -> Example | None:
    if document["type"] == "noise":
        return Example(question, document["text"], None, "ramdocs")
    span = find_answer(document["text"], document["answer"])
    return Example(question, document["text"], span, "ramdocs") if span else None


def _agreed(answers: list[dict[str, Any]]) -> tuple[int, int]:
    counts = Counter(answer["text"] for answer in answers)
    best = min(answers, key=lambda answer: (-counts[answer["text"]], len(answer["text"])))
    return best["answer_start"], best["answer_start"] + len(best["text"])


def _topic(path: Path, article: dict[str, Any]) -> str:
    return f"{path.stem}:{article.get('title', '')}"
