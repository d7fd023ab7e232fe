"""How good a judge is: accuracy by label, and whether it sees that the documents of a claim conflict."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from answering.judges import Label, Pair
from benchmarks.judge_sets import ClaimSet

Labels = Mapping[Pair, Label]
"""What a judge said of every pair."""


@dataclass(frozen=True, slots=True)
class Detection:
    """Conflicts found among sets of documents: true and false alarms, and what was missed."""

    hits: int
    alarms: int
    missed: int

    @property
    def precision(self) -> float:
        """Share of the reported conflicts that are some; 1 where none was reported."""
        reported = self.hits + self.alarms
        return self.hits / reported if reported else 1.0

    @property
    def recall(self) -> float:
        """Share of the conflicts that were reported; 1 where there is none."""
        conflicts = self.hits + self.missed
        return self.hits / conflicts if conflicts else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        total = 2 * self.hits + self.alarms + self.missed
        return 2 * self.hits / total if total else 1.0


def pairs_of(sets: Sequence[ClaimSet]) -> list[Pair]:
    """Every claim beside every document, each pair once."""
    return list(dict.fromkeys(Pair(one.claim, document.text) for one in sets for document in one.documents))


def detection(sets: Sequence[ClaimSet], labels: Labels) -> Detection:
    """A conflict is reported where some document supports the claim and some document contradicts it."""
    reported = [_is_reported(one, labels) for one in sets]
    outcomes = [(one.conflicting, found) for one, found in zip(sets, reported, strict=True)]
    return Detection(outcomes.count((True, True)), outcomes.count((False, True)), outcomes.count((True, False)))


def accuracy(known: Mapping[Pair, Label], labels: Labels) -> dict[Label, float]:
    """The share judged right of the pairs of every label; labels that no pair has are left out."""
    shares = {}
    for label in Label:
        hits = [labels[pair] is label for pair, true in known.items() if true is label]
        if hits:
            shares[label] = sum(hits) / len(hits)
    return shares


def known_labels(sets: Sequence[ClaimSet]) -> dict[Pair, Label]:
    """The pairs of which it is known what the document says."""
    return {
        Pair(one.claim, document.text): document.label
        for one in sets
        for document in one.documents
        if document.label is not None
    }


def _is_reported(one: ClaimSet, labels: Labels) -> bool:
    said = {labels[Pair(one.claim, document.text)] for document in one.documents}
    return {Label.SUPPORTS, Label.CONTRADICTS} <= said


def judged_by(judge: Callable[[Sequence[Pair]], Sequence[Label]], pairs: Sequence[Pair]) -> dict[Pair, Label]:
    """All pairs with what the judge says."""
    return dict(zip(pairs, judge(pairs), strict=True))
