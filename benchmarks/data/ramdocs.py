"""Questions of RAMDocs (arXiv:2504.13079), with their documents dealt to sources of known reliability."""

import hashlib
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from answering.debates.protocol import SourceDocument
from benchmarks.data.splits import Part, rows_of_part

SEED = 23
RELIABILITIES = (0.9, 0.9, 0.9, 0.9, 0.9, 0.1, 0.1, 0.1, 0.1)
"""Hammers and spammers of RA-RAG (arXiv:2410.22954)."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its documents, each of a kind (`correct`, `misinfo`, `noise`) and with the answer it states."""

    id: str
    text: str
    documents: tuple[SourceDocument, ...]
    kinds: tuple[str, ...]
    stated: tuple[str, ...]
    gold: tuple[str, ...]
    wrong: tuple[str, ...]


def load_questions(
    path: Path, limit: int | None = None, *, seed: int = SEED, part: Part = Part.REPORT
) -> list[Question]:
    """Up to `limit` questions of a part in random order; no compact model was trained or calibrated on the default."""
    rows = list(rows_of_part(path, part))
    random.Random(seed).shuffle(rows)
    return [_question(row) for row in rows[:limit]]


def _question(row: dict[str, list[dict[str, str]]] | dict[str, list[str]]) -> Question:
    content = json.dumps(row, sort_keys=True)
    documents = [document for document in row["documents"] if isinstance(document, dict)]
    question = Question(
        id=hashlib.sha256(content.encode()).hexdigest()[:12],
        text=str(row["question"]),
        documents=tuple(SourceDocument(f"{number}", document["text"]) for number, document in enumerate(documents, 1)),
        kinds=tuple(document["type"] for document in documents),
        stated=tuple(document["answer"] for document in documents),
        gold=tuple(map(str, row["gold_answers"])),
        wrong=tuple(map(str, row["wrong_answers"])),
    )
    return replace(question, documents=with_sources(question))


def with_sources(question: Question) -> tuple[SourceDocument, ...]:
    """The documents, dealt to sources: right ones in proportion to their reliability, misinformation to their error."""
    generator = random.Random(question.id)
    documents = []
    for document, kind in zip(question.documents, question.kinds, strict=True):
        (source,) = generator.choices(range(len(RELIABILITIES)), _source_weights(kind))
        documents.append(replace(document, source=f"source {source}", reliability=RELIABILITIES[source]))
    return tuple(documents)


def _source_weights(kind: str) -> Sequence[float]:
    if kind == "correct":
        return RELIABILITIES
    if kind == "misinfo":
        return [1.0 - reliability for reliability in RELIABILITIES]
    return [1.0] * len(RELIABILITIES)
