"""Pairs of sentences whose relation people judged: premises are passages, hypotheses plain claims."""

import csv
import gzip
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from answering.judges.judge import Label
from answering.readers.answer_type import content_words
from benchmarks.training.judge.pairs import Example
from benchmarks.training.judge.questions import held_out

# `not_entailment` mixes what contradicts with what says neither.
_LABELS: dict[str, Label | None] = {
    "entailment": Label.SUPPORTS,
    "contradiction": Label.CONTRADICTS,
    "neutral": Label.IRRELEVANT,
    "not_entailment": None,
}
# SNLI calls any two sentences contradictory that cannot describe one picture; passages of a corpus show no one picture.
LEAST_SHARED = 0.34
# Captions are short and alike: more of them teach little.
CAPTION_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Statement:
    """A premise, a hypothesis, and the judgement of people."""

    premise: str
    hypothesis: str
    label: Label | None
    origin: str


def load_statements(folder: Path, *, kept: bool) -> list[Statement]:
    """All that people judged by rules like ours; only held-out premises, or only the others."""
    return [
        statement
        for file in sorted(folder.glob("*.csv.gz"))
        for statement in _statements(file)
        if held_out(statement.premise) is kept and _is_ours(statement)
    ]


def _statements(file: Path) -> Iterator[Statement]:
    with gzip.open(file, "rt", encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            premise, hypothesis = row["premise"].strip(), row["hypothesis"].strip()
            if premise and hypothesis:
                yield Statement(premise, hypothesis, _LABELS[row["label"]], file.name.removesuffix(".csv.gz"))


def _is_ours(statement: Statement) -> bool:
    if statement.label is not Label.CONTRADICTS:
        return True
    words = content_words(statement.hypothesis)
    return bool(words) and len(words & content_words(statement.premise)) / len(words) >= LEAST_SHARED


def statement_examples(statements: Sequence[Statement], generator: random.Random) -> Iterator[Example]:
    """Every statement, some among other premises; and some claims beside premises about something else."""
    for statement in statements:
        if statement.origin.startswith(("sick", "snli")) and generator.random() >= CAPTION_SHARE:
            continue
        passage = statement.premise
        if generator.random() < 0.3:
            passage = _among_others(passage, statements, generator)
        yield Example(statement.hypothesis, passage, statement.label, None, statement.origin)
        if generator.random() < 0.1:
            other = generator.choice(statements).premise
            if other != statement.premise:
                yield Example(statement.hypothesis, other, Label.IRRELEVANT, None, "another premise")


def _among_others(premise: str, statements: Sequence[Statement], generator: random.Random) -> str:
    others = [generator.choice(statements).premise for _ in range(generator.randint(1, 3))]
    mixed = [premise, *others]
    generator.shuffle(mixed)
    return " ".join(mixed)
