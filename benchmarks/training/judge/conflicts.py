"""Pairs from the trained part of RAMDocs and ConflictNQ: text as the web has it, which no other set resembles."""

from collections.abc import Iterator
from pathlib import Path

from answering.judges.judge import Label
from benchmarks.data.claim_sets import ClaimSet, load_conflictnq, load_ramdocs
from benchmarks.data.splits import Part
from benchmarks.training.judge.pairs import Example


def conflict_examples(data: Path) -> list[Example]:
    """Every claim with every document that has a label."""
    sets = [
        *load_ramdocs(data / "ramdocs", Part.TRAINING),
        *load_conflictnq(data / "conflictnq", Part.TRAINING),
    ]
    # Of the three sets of a claim one holds all its documents, and comes first.
    fullest: dict[tuple[str, str], ClaimSet] = {}
    for claims in sets:
        fullest.setdefault((claims.question, claims.answer), claims)
    return [example for claims in fullest.values() for example in _examples(claims)]


def _examples(claims: ClaimSet) -> Iterator[Example]:
    for document in claims.documents:
        if document.label is not None:
            at = document.text.lower().find(claims.answer.lower())
            has_span = document.label is Label.SUPPORTS and at >= 0
            span = (at, at + len(claims.answer)) if has_span else None
            yield Example(claims.claim, document.text, document.label, span, claims.origin)
