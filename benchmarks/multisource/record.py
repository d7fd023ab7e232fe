"""The record of one corpus: the reading of every source for every question, with the truth."""

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from answering.equivalence import answer_key
from answering.voting import ReadingStatus


@dataclass(frozen=True, slots=True)
class RecordedReading:
    """The reading of one source for one question; a misaligned answer is kept, but is no vote."""

    status: ReadingStatus
    answer: str | None
    confidence: float | None = None
    """Of the reader in the answer; None in older records."""

    def vote(self, *, aligned: bool = True) -> str | None:
        """The answer that may vote; with `aligned` off also one that stands in no passage."""
        counts = self.status is ReadingStatus.ANSWERED or (not aligned and self.status is ReadingStatus.MISALIGNED)
        return self.answer if counts else None


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its right answers, what each source published on it, and the reading of each."""

    text: str
    golds: tuple[str, ...]
    is_test: bool
    time: float
    """The publication time of documents on it, in [0, 1)."""
    stances: tuple[str, ...]
    published: tuple[str | None, ...]
    readings: tuple[RecordedReading, ...]
    poisoned: bool
    pooled: Mapping[str, str | None]
    """The answers of the rivals without sources, by `method/subset`; empty where they were not measured."""


@dataclass(frozen=True)
class CorpusRecord:
    """The readings of one corpus. Source i of a question is source i of `reliabilities`."""

    setting: str
    seed: int
    reader: str
    reliabilities: tuple[float, ...]
    """The true reliability of each source; of one that changes, its share of right answers."""
    subsets: Mapping[str, tuple[int, ...]]
    """The sources of each point of a figure: `N=5`, `spammers=3`."""
    questions: tuple[Question, ...]
    checks: Mapping[str, float]
    """Figures of the run: readings, seconds, and how often a replayed answer was the service's own."""

    @cached_property
    def keys(self) -> Mapping[str, str]:
        """The answer class of every reading and every right answer."""
        answers = {reading.answer for question in self.questions for reading in question.readings if reading.answer}
        golds = {gold for question in self.questions for gold in question.golds}
        pooled = {answer for question in self.questions for answer in question.pooled.values() if answer}
        return {answer: answer_key(answer) for answer in answers | golds | pooled}

    @cached_property
    def published_keys(self) -> Mapping[str, str]:
        """The answer class of every published answer."""
        return {text: answer_key(text) for question in self.questions for text in question.published if text}

    @property
    def estimation(self) -> Sequence[Question]:
        """The questions whose readings estimate reliability."""
        return [question for question in self.questions if not question.is_test]

    @property
    def test(self) -> Sequence[Question]:
        """The questions that are answered."""
        return [question for question in self.questions if question.is_test]


def save(record: CorpusRecord, path: Path) -> None:
    """Write the record; an interrupted write leaves no file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    unfinished.write_bytes(gzip.compress(json.dumps(asdict(record)).encode(), mtime=0))
    unfinished.replace(path)


def load(path: Path) -> CorpusRecord:
    """Read a record that `save` wrote."""
    fields: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
    fields["reliabilities"] = tuple(fields["reliabilities"])
    fields["subsets"] = {name: tuple(subset) for name, subset in fields["subsets"].items()}
    fields["questions"] = tuple(map(_question, fields["questions"]))
    return CorpusRecord(**fields)


def _question(fields: dict[str, Any]) -> Question:
    readings = tuple(
        RecordedReading(ReadingStatus(reading["status"]), reading["answer"], reading.get("confidence"))
        for reading in fields["readings"]
    )
    lists: dict[str, Any] = {name: tuple(fields[name]) for name in ("golds", "stances", "published")}
    return Question(**(fields | lists | {"readings": readings}))
