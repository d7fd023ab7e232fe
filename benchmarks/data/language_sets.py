"""Questions on passages in ten languages, one list, with their licences; some sets train, the others only measure."""

import gzip
import hashlib
import json
from collections.abc import Iterator, Set
from dataclasses import dataclass
from pathlib import Path

from benchmarks.data.squad import Example

FOLDER = "multilingual_reading"
# One passage in so many of the sets that train is reported on, and another one chooses thresholds.
PARTS = 5
REPORTED, DEVELOPMENT = 0, 1


@dataclass(frozen=True, slots=True)
class LanguageSet:
    """A file `NAME.jsonl.gz`."""

    name: str
    language: str
    licence: str
    trains: bool = False
    """Whether its licence lets weights be trained on it, and it holds no examination of another set."""


LANGUAGE_SETS = (
    LanguageSet("xquad_de", "de", "CC BY-SA 4.0"),
    LanguageSet("xquad_es", "es", "CC BY-SA 4.0"),
    LanguageSet("piaf", "fr", "MIT", trains=True),
    # A translation of the development set of SQuAD.
    LanguageSet("squad_it_test", "it", "CC BY-SA 4.0"),
    LanguageSet("tquad_dev", "tr", "none"),
    LanguageSet("arcd", "ar", "MIT", trains=True),
    LanguageSet("persianqa_test", "fa", "GPL-3.0"),
    LanguageSet("korquad_dev", "ko", "CC BY-ND 2.0 KR"),
    LanguageSet("jaquad_dev", "ja", "CC BY-SA 3.0", trains=True),
    LanguageSet("jsquad_valid", "ja", "CC BY-SA 4.0", trains=True),
    LanguageSet("cmrc2018_dev", "zh", "CC BY-SA 4.0", trains=True),
    LanguageSet("drcd_dev", "zh-tw", "CC BY-SA 3.0", trains=True),
    LanguageSet("drcd_test", "zh-tw", "CC BY-SA 3.0", trains=True),
)


def load_language_set(data: Path, kind: LanguageSet) -> Iterator[Example]:
    """Every question, with the first of its answers; no span where the passage does not answer."""
    with gzip.open(data / FOLDER / f"{kind.name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            spans = [(answer["start"], answer["start"] + len(answer["text"])) for answer in row["answers"]]
            yield Example(row["question"], row["context"], spans[0] if spans else None, kind.name)


def part_of_passage(passage: str) -> int:
    """The part of a passage, from 0, by its hash."""
    return hashlib.sha256(passage.encode()).digest()[0] % PARTS


def training_sets(data: Path) -> Iterator[list[Example]]:
    """The questions that may train, set by set: those on three of five passages."""
    return _sets_that_train(data, set(range(PARTS)) - {REPORTED, DEVELOPMENT})


def development_sets(data: Path) -> Iterator[list[Example]]:
    """Questions on another fifth of the passages, to choose settings by."""
    return _sets_that_train(data, {DEVELOPMENT})


def _sets_that_train(data: Path, parts: Set[int]) -> Iterator[list[Example]]:
    for kind in LANGUAGE_SETS:
        if kind.trains:
            yield [one for one in load_language_set(data, kind) if part_of_passage(one.passage) in parts]
