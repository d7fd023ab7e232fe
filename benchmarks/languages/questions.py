"""The questions of `questions.tsv`."""

import csv
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

QUESTIONS = Path(__file__).with_name("questions.tsv")


@dataclass(frozen=True, slots=True)
class Item:
    """A question of one language."""

    language: str
    question: str
    passage: str
    statement: str
    answer: str
    wrong: str

    @property
    def false_statement(self) -> str:
        """The statement with the wrong answer."""
        return self.statement.replace(self.answer, self.wrong)


def items() -> Iterator[tuple[str, list[Item]]]:
    """The questions of each language."""
    with QUESTIONS.open(encoding="utf-8", newline="") as file:
        rows = [Item(**row) for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    for language, group in itertools.groupby(rows, key=attrgetter("language")):
        yield language, list(group)
