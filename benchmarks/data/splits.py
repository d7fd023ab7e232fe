"""Which data train, which calibrate, and which are reported, decided by hashes."""

import hashlib
import json
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any

from benchmarks.data.squad import Example, load_ramdocs, load_squad

SHIFTS = ("new_wiki", "amazon_reviews", "reddit")
# One paragraph in so many of SQuADShifts is kept for development.
DEVELOPMENT_SHARE = 20


class Part(StrEnum):
    """A part of RAMDocs' or ConflictNQ's questions: half of them train, a quarter calibrates, a quarter is reported.

    Reader and judge share the split, since the training of the judge starts from the weights of the reader.
    """

    TRAINING = "training"
    CALIBRATION = "calibration"
    REPORT = "report"


def training_examples(data: Path) -> list[Example]:
    """SQuADShifts but for its development part."""
    return [example for example in _shifts(data) if not is_development(example)]


def development_examples(data: Path) -> list[Example]:
    """A twentieth of SQuADShifts' paragraphs, never trained on."""
    return [example for example in _shifts(data) if is_development(example)]


def rows_of_part(path: Path, part: Part) -> Iterator[dict[str, Any]]:
    """The rows of a file of JSON lines whose `question` belongs to a part."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        if part_of(row["question"]) is part:
            yield row


def ramdocs_examples(data: Path, part: Part) -> list[Example]:
    """Passages of the questions of one part."""
    rows = load_ramdocs(data / "ramdocs" / "ramdocs_dev.jsonl")
    return [example for example in rows if part_of(example.question) is part]


def part_of(question: str) -> Part:
    """The part a question belongs to."""
    digest = hashlib.sha256(question.encode()).digest()
    if digest[0] % 2 == 0:
        return Part.TRAINING
    return Part.REPORT if digest[1] % 2 else Part.CALIBRATION


def _shifts(data: Path) -> list[Example]:
    files = [data / "reader_train" / f"squadshifts_{name}_v1.0.json.gz" for name in SHIFTS]
    return [example for file in files for example in load_squad(file)]


def is_development(example: Example) -> bool:
    """Whether a passage is kept from training, by its hash."""
    return hashlib.sha256(example.passage.encode()).digest()[0] % DEVELOPMENT_SHARE == 0
