"""Current-affairs questions with the results of a web search, and the score of an answer to one."""

import gzip
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tld import get_fld

from answering.text import tokenize


@dataclass(frozen=True, slots=True)
class WebResult:
    """A result of the search: title and text as the search engine shows them."""

    site: str
    """The registered domain of its address."""
    title: str
    text: str

    @property
    def content(self) -> str:
        """The title, then the text."""
        return f"{self.title}\n{self.text}".strip()


@dataclass(frozen=True)
class WebQuestion:
    """A question, the results for it, and a wrong answer with texts that state it."""

    id: str
    text: str
    golds: tuple[str, ...]
    wrong: str
    wrong_texts: tuple[str, ...]
    results: tuple[WebResult, ...]

    @cached_property
    def has_answer(self) -> bool:
        """Whether a right answer stands in any of the results."""
        pages = [tokenize(result.content) for result in self.results]
        return any(_occurs(tokenize(gold), page) for gold in self.golds for page in pages)

    def is_right(self, answer: str | None) -> bool:
        """Whether the answer contains a right one, or a right one contains the answer."""
        return answer is not None and overlaps(answer, self.golds)

    def is_wrong(self, answer: str | None) -> bool:
        """Whether the answer is the wrong one by the same measure, and not a right one."""
        return answer is not None and not self.is_right(answer) and overlaps(answer, [self.wrong])


def load(path: Path, limit: int | None = None) -> list[WebQuestion]:
    """The first questions of a file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [_question(fields) for fields in json.load(file)[:limit]]


def _question(fields: dict[str, Any]) -> WebQuestion:
    return WebQuestion(
        id=str(fields["id"]),
        text=fields["question"],
        golds=(*fields["correct answer"], *fields["expanded answer"]),
        wrong=fields["incorrect answer"],
        wrong_texts=tuple(fields["incorrect_context"]),
        results=tuple(
            WebResult(
                get_fld(result["link"], fail_silently=True) or result["link"],
                result["title"],
                result.get("text") or "",
            )
            for result in fields["context"]
        ),
    )


def overlaps(answer: str, others: Iterable[str]) -> bool:
    """Whether the answer contains one of the others, or the reverse, word by word."""
    words = tokenize(answer)
    return any(_occurs(other, words) or _occurs(words, other) for other in map(tokenize, others))


def _occurs(part: Sequence[str], whole: Sequence[str]) -> bool:
    """Whether the words stand side by side in the others; no words never do."""
    size = len(part)
    return size > 0 and any(whole[start : start + size] == part for start in range(len(whole) - size + 1))
