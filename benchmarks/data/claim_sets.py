"""Claims with documents and what they say of them, from RAMDocs, ConflictNQ, RGB, FNC-1 and sets of stances.

The questions are split by `benchmarks.data.splits`. RAMDocs gives the answer of every document, so that single pairs
have labels too; the false passages of ConflictNQ were written for a false story and seldom state the false answer.
"""

import gzip
import hashlib
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from answering.equivalence import classify
from answering.judges import Label, Pair, claim_of
from benchmarks.data.splits import Part, part_of, rows_of_part

UNKNOWN = "unknown"
_FNC_LABELS = {
    "agree": Label.SUPPORTS,
    "disagree": Label.CONTRADICTS,
    "discuss": Label.REPORTS,
    "unrelated": Label.IRRELEVANT,
}
SEED = 5
DOCUMENTS = 3
"""Documents of a set with the same label, at most, where a data set has many."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text and its label for the claim, None where that is not known."""

    text: str
    label: Label | None


@dataclass(frozen=True, slots=True)
class ClaimSet:
    """A claim with documents; `conflicting` where some of them support it and some contradict it.

    `all_contradict` where some contradict it and none supports it.
    """

    question: str
    answer: str
    documents: tuple[Document, ...]
    conflicting: bool
    origin: str
    all_contradict: bool = False

    @property
    def claim(self) -> str:
        """The claim in the form the service uses; without an answer it is the statement itself."""
        return claim_of(self.question, self.answer) if self.answer else self.question


def load_ramdocs(folder: Path, part: Part) -> list[ClaimSet]:
    """Of every answer, three sets: all documents, those that do not contradict it, those that do not support it."""
    return [claims for row in rows_of_part(folder / "ramdocs_dev.jsonl", part) for claims in _ramdocs_sets(row)]


def load_conflictnq(folder: Path, part: Part) -> list[ClaimSet]:
    """Of the true and of the false answer, the same three sets."""
    rows = rows_of_part(folder / "conflict_nq_val.jsonl", part)
    return [claims for row in rows for claims in _conflictnq_sets(row)]


def load_rgb(folder: Path) -> list[ClaimSet]:
    """Of the right answer of RGB, the same three sets: web snippets, the same with a false answer, and others."""
    claim_sets: list[ClaimSet] = []
    for row in map(json.loads, (folder / "en_fact.json").read_text(encoding="utf-8").splitlines()):
        answer = row["answer"]
        while isinstance(answer, list):
            answer = answer[0]
        supporting, contradicting, noise = (
            _labelled(row[kind][:DOCUMENTS], label)
            for kind, label in (
                ("positive", Label.SUPPORTS),
                ("positive_wrong", Label.CONTRADICTS),
                ("negative", Label.IRRELEVANT),
            )
        )
        claim_sets += _three_sets(row["query"], answer, supporting, contradicting, noise, "rgb")
    return claim_sets


def load_stances(file: Path, source: str, part: Part | None = None) -> list[ClaimSet]:
    """Of every claim of a source, or of one part of its claims, three sets with at most `DOCUMENTS` a side."""
    sides = defaultdict[tuple[str, str], dict[Label, list[Document]]](lambda: defaultdict(list))
    for row in rows(file):
        if row["source"] == source and (part is None or part_of(row["claim"]) is part):
            key = row.get("question", row["claim"]), row.get("answer", "")
            sides[key][Label(row["label"])].append(Document(row["text"], Label(row["label"])))
    claim_sets = [
        claims
        for (question, answer), documents in sides.items()
        for claims in _three_sets(
            question,
            answer,
            documents[Label.SUPPORTS][:DOCUMENTS],
            documents[Label.CONTRADICTS][:DOCUMENTS],
            noise=[],
            origin=source,
        )
    ]
    return [claims for claims in claim_sets if claims.documents]


def load_fnc(file: Path, count: int) -> dict[Pair, Label]:
    """Up to `count` pairs of each label from the reported half of FNC-1: headlines as claims, articles as passages.

    FNC-1 has no licence: judges may be measured and rules chosen with it, on its other half, but no weights trained.
    """
    return sampled(
        {
            Pair(row["hypothesis"], row["premise"]): _FNC_LABELS[row["label"]]
            for row in rows(file)
            if hashlib.sha256(row["premise"].encode()).digest()[-1] % 2
        },
        count,
    )


def load_opinions(file: Path, part: Part) -> dict[Pair, Label]:
    """Perspectrum's opinions for and against the debated claims of one part."""
    return {Pair(row["claim"], row["text"]): Label(row["label"]) for row in rows(file) if part_of(row["claim"]) is part}


def load_findings(file: Path, part: Part) -> dict[Pair, Label]:
    """PubMedQA's abstracts and their conclusions beside the answers yes and no to the questions of one part.

    Papers that answer neither yes nor no are left out.
    """
    answers = {"supports": ("Yes", "No"), "contradicts": ("No", "Yes")}
    return {
        Pair(claim_of(row["claim"], answer), text): label
        for row in rows(file)
        if row["label"] in answers and part_of(row["claim"]) is part
        for answer, label in zip(answers[row["label"]], (Label.SUPPORTS, Label.CONTRADICTS), strict=True)
        for text in (row["text"], row["conclusion"])
    }


def load_covidfact(file: Path) -> dict[Pair, Label]:
    """COVID-Fact's claims, true ones and edited ones, with their evidence. No licence: measured with, never trained."""
    return {Pair(row["claim"], row["text"]): Label(row["label"]) for row in rows(file)}


def sampled(truth: Mapping[Pair, Label], count: int) -> dict[Pair, Label]:
    """Up to `count` pairs of each label, drawn with a fixed seed."""
    generator = random.Random(SEED)
    by_label = {label: [pair for pair, own in truth.items() if own is label] for label in Label}
    return {pair: label for label, same in by_label.items() for pair in generator.sample(same, min(count, len(same)))}


def sample_questions(claim_sets: Sequence[ClaimSet], count: int) -> list[ClaimSet]:
    """The sets of `count` questions, drawn with a fixed seed."""
    questions = sorted({claims.question for claims in claim_sets})
    chosen = set(random.Random(SEED).sample(questions, min(count, len(questions))))
    return [claims for claims in claim_sets if claims.question in chosen]


def rows(file: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _ramdocs_sets(row: dict[str, Any]) -> Iterator[ClaimSet]:
    answering = [document for document in row["documents"] if document["answer"] != UNKNOWN]
    noise = [
        Document(document["text"], Label.IRRELEVANT) for document in row["documents"] if document["answer"] == UNKNOWN
    ]
    classes = classify([document["answer"] for document in answering])
    for index, answer in enumerate(classes.classes):
        labelled = [
            Document(document["text"], Label.SUPPORTS if own == index else Label.CONTRADICTS)
            for document, own in zip(answering, classes.index, strict=True)
        ]
        supporting = [document for document in labelled if document.label is Label.SUPPORTS]
        contradicting = [document for document in labelled if document.label is Label.CONTRADICTS]
        yield from _three_sets(row["question"], answer.representative, supporting, contradicting, noise, "ramdocs")


def _conflictnq_sets(row: dict[str, Any]) -> Iterator[ClaimSet]:
    question, right, wrong = row["cleaned_question"], row["real_short_answer"], row["fake_short_answer"]
    real = [passage["passage"] for passage in row["real_passages"]]
    false = [passage["passage"] for passage in row["fake_passages"]]
    for answer, supporting, contradicting in (
        (right, _labelled(real, Label.SUPPORTS), _labelled(false, Label.CONTRADICTS, wrong)),
        (wrong, _labelled(false, Label.SUPPORTS, wrong), _labelled(real, Label.CONTRADICTS)),
    ):
        yield from _three_sets(question, answer, supporting, contradicting, [], "conflictnq")


def _labelled(texts: Sequence[str], label: Label, needed: str = "") -> list[Document]:
    """Documents with this label where they contain the words needed, else with none."""
    return [Document(text, label if needed.lower() in text.lower() else None) for text in texts]


def _three_sets(
    question: str,
    answer: str,
    supporting: Sequence[Document],
    contradicting: Sequence[Document],
    noise: Sequence[Document],
    origin: str,
) -> Iterator[ClaimSet]:
    """All documents, those that do not support, those that do not contradict; no set twice."""
    if contradicting:
        yield ClaimSet(question, answer, (*supporting, *contradicting, *noise), conflicting=True, origin=origin)
        against = (*contradicting, *noise)
        yield ClaimSet(question, answer, against, conflicting=False, origin=origin, all_contradict=True)
    yield ClaimSet(question, answer, (*supporting, *noise), conflicting=False, origin=origin)
