"""Pairs of sentences whose relation people judged: premises are passages, hypotheses plain claims."""

import csv
import gzip
import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from answering.judges.judge import Label
from answering.questions.answer_type import content_words
from benchmarks.training.judge.pairs import Example
from benchmarks.training.judge.questions import held_out

# `not_entailment` and `False` mix what contradicts with what says neither.
_LABELS: dict[str, Label | None] = {
    "entailment": Label.SUPPORTS,
    "contradiction": Label.CONTRADICTS,
    "neutral": Label.IRRELEVANT,
    "not_entailment": None,
    "True": Label.SUPPORTS,
    "False": None,
}
# Of the folder `more`. Not `fnc1`, which has no licence to train with, nor `condaqa`, whose hypotheses are questions.
MORE = ("cad_nli", "conjnli", "dnc", "fever", "fever_symmetric", "feverous", "med", "mnli", "snli")
# SNLI calls any two sentences contradictory that cannot describe one picture; passages of a corpus show no one picture.
LEAST_SHARED = 0.34
# How many of a set come in a pass; all where not given. Captions and the sentences of `dnc` and `med`, which are made
# by patterns, are short and alike: more of them teach little.
SHARES = {
    "sick_dev": 0.5, "sick_train": 0.5, "snli_dev": 0.5, "snli": 0.2, "cad_nli": 0.5, "dnc": 0.1, "med": 0.3,
}  # fmt: skip
# A link of a wiki is its text; brackets are written as in treebanks.
_LINK = re.compile(r"\[\[(?:[^\]|]*\|)?([^\]]*)\]\]")
_BRACKET = re.compile(r"-[LR][RSC]B-")


@dataclass(frozen=True, slots=True)
class Statement:
    """A premise, a hypothesis, and the judgement of people."""

    premise: str
    hypothesis: str
    label: Label | None
    origin: str


def load_statements(folder: Path, *, kept: bool) -> list[Statement]:
    """All that people judged by rules like ours; only held-out premises, or only the others."""
    more = [file for file in sorted(folder.glob("more/*.jsonl.gz")) if _set_name(file) in MORE]
    return [
        statement
        for file in [*sorted(folder.glob("*.csv.gz")), *more]
        for statement in _statements(file)
        if held_out(statement.premise) is kept and _is_ours(statement)
    ]


def _statements(file: Path) -> Iterator[Statement]:
    with gzip.open(file, "rt", encoding="utf-8", newline="") as lines:
        rows: Iterable[dict[str, str]] = csv.DictReader(lines) if ".csv" in file.name else map(json.loads, lines)
        for row in rows:
            premise, hypothesis = _plain(row["premise"]), _plain(row["hypothesis"])
            if premise and hypothesis:
                yield Statement(premise, hypothesis, _LABELS[row["label"]], _set_name(file))


def _set_name(file: Path) -> str:
    return file.name.split(".")[0]


def _plain(text: str) -> str:
    return " ".join(_BRACKET.sub(" ", _LINK.sub(r"\1", text)).split())


def _is_ours(statement: Statement) -> bool:
    if statement.label is not Label.CONTRADICTS:
        return True
    words = content_words(statement.hypothesis)
    return bool(words) and len(words & content_words(statement.premise)) / len(words) >= LEAST_SHARED


def statement_examples(statements: Sequence[Statement], generator: random.Random) -> Iterator[Example]:
    """Every statement, some among other premises; and some claims beside premises about something else."""
    for statement in statements:
        if generator.random() >= SHARES.get(statement.origin, 1.0):
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
