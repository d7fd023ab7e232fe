"""A harvest: everything the service heard in one world, and the truth beside it. All methods are scored on it."""

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
class Said:
    """What one source said to one question. A misaligned answer is kept, but counts as none."""

    status: ReadingStatus
    answer: str | None

    def vote(self, *, aligned: bool = True) -> str | None:
        """The answer that may vote; with `aligned` off also one that stands in no passage."""
        counts = self.status is ReadingStatus.ANSWERED or (not aligned and self.status is ReadingStatus.MISALIGNED)
        return self.answer if counts else None


@dataclass(frozen=True, slots=True)
class Question:
    """A question of the world: the truth, what each source was given on it, and what each was heard to say."""

    text: str
    golds: tuple[str, ...]
    is_test: bool
    time: float
    """When it was written about, in [0, 1)."""
    stances: tuple[str, ...]
    told: tuple[str | None, ...]
    said: tuple[Said, ...]
    poisoned: bool
    pooled: Mapping[str, str | None]
    """The answers of the rivals that know no sources, by `method/panel`; empty where they were not asked."""


@dataclass(frozen=True)
class Harvest:
    """One world, heard out. Source i of a question is source i of `reliabilities`."""

    setting: str
    seed: int
    reader: str
    reliabilities: tuple[float, ...]
    """The share of truths that each source was made with; for one that changes, the share it came to."""
    panels: Mapping[str, tuple[int, ...]]
    """Which sources make up which part of the figure: `N=5`, `spammers=3`."""
    questions: tuple[Question, ...]
    checks: Mapping[str, float]
    """Figures of the run: readings, seconds, and how often a replayed answer was the service's own."""

    @cached_property
    def keys(self) -> Mapping[str, str]:
        """The class of every answer that was said or is right."""
        said = {one.answer for question in self.questions for one in question.said if one.answer}
        golds = {gold for question in self.questions for gold in question.golds}
        pooled = {answer for question in self.questions for answer in question.pooled.values() if answer}
        return {answer: answer_key(answer) for answer in said | golds | pooled}

    @cached_property
    def told_keys(self) -> Mapping[str, str]:
        """The class of every answer that a source was given to tell."""
        return {told: answer_key(told) for question in self.questions for told in question.told if told}

    @property
    def estimation(self) -> Sequence[Question]:
        """The questions whose readings estimate reliability."""
        return [question for question in self.questions if not question.is_test]

    @property
    def test(self) -> Sequence[Question]:
        """The questions that are answered."""
        return [question for question in self.questions if question.is_test]


def save(harvest: Harvest, path: Path) -> None:
    """Write it, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    unfinished.write_bytes(gzip.compress(json.dumps(asdict(harvest)).encode(), mtime=0))
    unfinished.replace(path)


def load(path: Path) -> Harvest:
    """Read what `save` wrote."""
    found: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
    found["reliabilities"] = tuple(found["reliabilities"])
    found["panels"] = {name: tuple(panel) for name, panel in found["panels"].items()}
    found["questions"] = tuple(map(_question, found["questions"]))
    return Harvest(**found)


def _question(found: dict[str, Any]) -> Question:
    said = tuple(Said(ReadingStatus(one["status"]), one["answer"]) for one in found["said"])
    lists: dict[str, Any] = {name: tuple(found[name]) for name in ("golds", "stances", "told")}
    return Question(**(found | lists | {"said": said}))
