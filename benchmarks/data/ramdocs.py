"""RAMDocs' questions, and their documents dealt to sources of known reliability."""

import hashlib
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from answering.debates import SourceDocument
from benchmarks.data.splits import Part, part_of

SEED = 23
RELIABILITIES = (0.9, 0.9, 0.9, 0.9, 0.9, 0.1, 0.1, 0.1, 0.1)
"""RA-RAG's hammers and spammers."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question with all its documents; `kinds` are `correct`, `misinfo` and `noise`, in their order."""

    id: str
    text: str
    documents: tuple[SourceDocument, ...]
    kinds: tuple[str, ...]
    gold: tuple[str, ...]
    wrong: tuple[str, ...]


def load_questions(
    path: Path, most: int | None = None, *, seed: int = SEED, part: Part = Part.REPORT
) -> list[Question]:
    """Questions drawn by seed among those that no compact model was trained or calibrated on, or of another part."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    unseen = [row for row in rows if part_of(row["question"]) is part]
    random.Random(seed).shuffle(unseen)
    return [_question(row) for row in unseen[:most]]


def _question(row: dict[str, list[dict[str, str]]] | dict[str, list[str]]) -> Question:
    content = json.dumps(row, sort_keys=True)
    documents = [document for document in row["documents"] if isinstance(document, dict)]
    question = Question(
        id=hashlib.sha256(content.encode()).hexdigest()[:12],
        text=str(row["question"]),
        documents=tuple(SourceDocument(f"{place}", document["text"]) for place, document in enumerate(documents, 1)),
        kinds=tuple(document["type"] for document in documents),
        gold=tuple(map(str, row["gold_answers"])),
        wrong=tuple(map(str, row["wrong_answers"])),
    )
    return replace(question, documents=_dealt(question))


def _dealt(question: Question) -> tuple[SourceDocument, ...]:
    """Right documents come from sources as often as they are right, misinformation as often as they are wrong."""
    draw = random.Random(question.id)
    dealt = []
    for document, kind in zip(question.documents, question.kinds, strict=True):
        (source,) = draw.choices(range(len(RELIABILITIES)), _chances(kind))
        dealt.append(replace(document, source=f"source {source}", reliability=RELIABILITIES[source]))
    return tuple(dealt)


def _chances(kind: str) -> Sequence[float]:
    if kind == "correct":
        return RELIABILITIES
    if kind == "misinfo":
        return [1.0 - reliability for reliability in RELIABILITIES]
    return [1.0] * len(RELIABILITIES)
