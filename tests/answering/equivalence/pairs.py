"""Pairs of answers with the policies that join them, written by hand in `pairs.tsv` under headings `# kind`."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from answering.equivalence import ClassPolicy


class Meets(StrEnum):
    """From which policy on two answers are one class."""

    EXACT = "exact"
    """Under every policy."""
    VALUES = "values"
    """Under VALUES and ROUNDED."""
    ROUNDED = "rounded"
    """Under ROUNDED alone."""
    CASED = "cased"
    """Under EXACT alone, which ignores case: 5 MW and 5 mW."""
    NEVER = "never"


POLICIES = {
    Meets.EXACT: frozenset(ClassPolicy),
    Meets.VALUES: frozenset(ClassPolicy) - {ClassPolicy.EXACT},
    Meets.ROUNDED: frozenset({ClassPolicy.ROUNDED}),
    Meets.CASED: frozenset({ClassPolicy.EXACT}),
    Meets.NEVER: frozenset[ClassPolicy](),
}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two answers, the kind of variation they show, and the policies that join them."""

    kind: str
    meets: Meets
    answer: str
    other: str

    def __str__(self) -> str:
        """What a test of this pair is called."""
        return f"{self.kind}: {self.answer} | {self.other}: {self.meets}"


def load_pairs() -> list[Pair]:
    """All pairs, in the order of the file."""
    pairs: list[Pair] = []
    kind = ""
    for line in Path(__file__).with_name("pairs.tsv").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            kind = line[2:]
        else:
            meets, answer, other = line.split("\t")
            pairs.append(Pair(kind, Meets(meets), answer, other))
    return pairs
