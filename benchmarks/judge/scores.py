"""Scores of a judge: accuracy by label, and conflicts detected among the documents of a claim."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from answering.judges import Label, Pair
from benchmarks.data.claim_sets import ClaimSet

Labels = Mapping[Pair, Label]
"""The label that a judge gave every pair."""


@dataclass(frozen=True, slots=True)
class Detection:
    """Conflicts detected among sets of documents."""

    true_positives: int
    false_positives: int
    false_negatives: int

    @classmethod
    def of(cls, outcomes: Iterable[tuple[bool, bool]]) -> "Detection":
        """Count pairs of whether a set has a conflict and whether one was reported."""
        counted = list(outcomes)
        return cls(counted.count((True, True)), counted.count((False, True)), counted.count((True, False)))

    @property
    def precision(self) -> float:
        """Share of the reported conflicts that are some; 1 where none was reported."""
        reported = self.true_positives + self.false_positives
        return self.true_positives / reported if reported else 1.0

    @property
    def recall(self) -> float:
        """Share of the conflicts that were reported; 1 where there is none."""
        conflicts = self.true_positives + self.false_negatives
        return self.true_positives / conflicts if conflicts else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        total = 2 * self.true_positives + self.false_positives + self.false_negatives
        return 2 * self.true_positives / total if total else 1.0

    def cells(self) -> list[str]:
        """Precision, recall and F1 with three decimals."""
        return [f"{share:.3f}" for share in (self.precision, self.recall, self.f1)]


def pairs_of(claim_sets: Sequence[ClaimSet]) -> list[Pair]:
    """Every claim with every document, each pair once."""
    return list(
        dict.fromkeys(Pair(claims.claim, document.text) for claims in claim_sets for document in claims.documents)
    )


def detection(claim_sets: Sequence[ClaimSet], labels: Labels) -> Detection:
    """A conflict is reported where some document supports the claim and some document contradicts it."""
    return Detection.of((claims.conflicting, _is_reported(claims, labels)) for claims in claim_sets)


def _is_reported(claims: ClaimSet, labels: Labels) -> bool:
    return {Label.SUPPORTS, Label.CONTRADICTS} <= {
        labels[Pair(claims.claim, document.text)] for document in claims.documents
    }


def accuracy(truth: Labels, labels: Labels) -> dict[Label, float]:
    """The share judged right of the pairs of every label; labels that no pair has are left out."""
    shares = {}
    for label in Label:
        right = [labels[pair] is label for pair, true in truth.items() if true is label]
        if right:
            shares[label] = sum(right) / len(right)
    return shares


def macro_f1(truth: Labels, labels: Labels) -> float:
    """The mean F1 of the four labels."""
    scores = []
    for label in Label:
        both = sum(true is label and labels[pair] is label for pair, true in truth.items())
        either = sum((true is label) + (labels[pair] is label) for pair, true in truth.items())
        scores.append(2 * both / either if either else 1.0)
    return sum(scores) / len(scores)


def true_labels(claim_sets: Sequence[ClaimSet]) -> dict[Pair, Label]:
    """The pairs whose label the data set gives."""
    return {
        Pair(claims.claim, document.text): document.label
        for claims in claim_sets
        for document in claims.documents
        if document.label is not None
    }


def labels_by(judge: Callable[[Sequence[Pair]], Sequence[Label]], pairs: Sequence[Pair]) -> dict[Pair, Label]:
    """All pairs with the labels of a judge."""
    return dict(zip(pairs, judge(pairs), strict=True))
