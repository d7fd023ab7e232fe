"""Claims among documents that agree, disagree or say neither: RAMDocs and ConflictNQ, in parts by question.

A quarter of the questions is reported and used for nothing else (`benchmarks.training.splits`). RAMDocs says of every
document which answer it gives, so it also judges single pairs; ConflictNQ's false passages were written for a false
story, and seldom say the false answer.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from answering.equivalence import ClassPolicy, classify
from answering.judges import Label, claim_of
from benchmarks.training.splits import Part, part_of

UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Document:
    """A text and what it says about the claim, None where that is not known."""

    text: str
    label: Label | None


@dataclass(frozen=True, slots=True)
class ClaimSet:
    """A claim among documents; `conflicting` where some of them support it and some contradict it."""

    question: str
    answer: str
    documents: tuple[Document, ...]
    conflicting: bool
    origin: str

    @property
    def claim(self) -> str:
        """The claim in the form the service uses."""
        return claim_of(self.question, self.answer)


def load_ramdocs(folder: Path, part: Part) -> list[ClaimSet]:
    """Of every answer given, three sets: all documents, those that do not disagree, those that do not agree."""
    return [made for row in _rows(folder / "ramdocs_dev.jsonl", part) for made in _ramdocs_sets(row)]


def load_conflictnq(folder: Path, part: Part) -> list[ClaimSet]:
    """Of the real and of the false answer, the same three sets."""
    rows = _rows(folder / "conflict_nq_val.jsonl", part)
    return [made for row in rows for made in _conflictnq_sets(row)]


def _rows(file: Path, part: Part) -> Iterator[dict[str, Any]]:
    for line in file.read_text(encoding="utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        if part_of(row["question"]) is part:
            yield row


def _ramdocs_sets(row: dict[str, Any]) -> Iterator[ClaimSet]:
    said = [document for document in row["documents"] if document["answer"] != UNKNOWN]
    noise = [
        Document(document["text"], Label.IRRELEVANT) for document in row["documents"] if document["answer"] == UNKNOWN
    ]
    classes = classify([document["answer"] for document in said], ClassPolicy.FUZZY)
    for place, answer in enumerate(classes.classes):
        agreeing = [
            Document(one["text"], Label.SUPPORTS) for one, at in zip(said, classes.index, strict=True) if at == place
        ]
        other = [
            Document(one["text"], Label.CONTRADICTS) for one, at in zip(said, classes.index, strict=True) if at != place
        ]
        yield from _three(row["question"], answer.representative, agreeing, other, noise, "ramdocs")


def _conflictnq_sets(row: dict[str, Any]) -> Iterator[ClaimSet]:
    question, right, wrong = row["cleaned_question"], row["real_short_answer"], row["fake_short_answer"]
    real = [passage["passage"] for passage in row["real_passages"]]
    false = [passage["passage"] for passage in row["fake_passages"]]
    for answer, agreeing, other in (
        (right, _labelled(real, Label.SUPPORTS), _labelled(false, Label.CONTRADICTS, wrong)),
        (wrong, _labelled(false, Label.SUPPORTS, wrong), _labelled(real, Label.CONTRADICTS)),
    ):
        yield from _three(question, answer, agreeing, other, [], "conflictnq")


def _labelled(texts: Sequence[str], label: Label, needed: str = "") -> list[Document]:
    """Documents with this label where the words needed stand in them; of the others it is not known."""
    return [Document(text, label if needed.lower() in text.lower() else None) for text in texts]


def _three(
    question: str,
    answer: str,
    agreeing: Sequence[Document],
    other: Sequence[Document],
    noise: Sequence[Document],
    origin: str,
) -> Iterator[ClaimSet]:
    """One set more or less conflicting than the others; the same set never twice."""
    if other:
        yield ClaimSet(question, answer, (*agreeing, *other, *noise), conflicting=True, origin=origin)
        yield ClaimSet(question, answer, (*other, *noise), conflicting=False, origin=origin)
    yield ClaimSet(question, answer, (*agreeing, *noise), conflicting=False, origin=origin)
