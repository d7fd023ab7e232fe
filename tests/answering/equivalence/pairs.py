"""Pairs of answers and when they meet, written by hand in `pairs.tsv`: a pair a line, `# kind` above its pairs."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from answering.equivalence import ClassPolicy


class Meets(StrEnum):
    """From which policy on two answers meet."""

    EXACT = "exact"
    """Under every policy."""
    VALUES = "values"
    """Under VALUES and FUZZY."""
    FUZZY = "fuzzy"
    """Under FUZZY alone."""
    CASED = "cased"
    """Under EXACT alone, which ignores case: 5 MW and 5 mW."""
    NEVER = "never"


POLICIES = {
    Meets.EXACT: frozenset(ClassPolicy),
    Meets.VALUES: frozenset({ClassPolicy.VALUES, ClassPolicy.FUZZY}),
    Meets.FUZZY: frozenset({ClassPolicy.FUZZY}),
    Meets.CASED: frozenset({ClassPolicy.EXACT}),
    Meets.NEVER: frozenset[ClassPolicy](),
}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two answers, what kind of variation they show, and when they meet."""

    kind: str
    meets: Meets
    one: str
    other: str

    def __str__(self) -> str:
        """What a test of this pair is called."""
        return f"{self.kind}: {self.one} | {self.other}: {self.meets}"


def load_pairs() -> list[Pair]:
    """All pairs, in the order of the file."""
    pairs: list[Pair] = []
    kind = ""
    for line in Path(__file__).with_name("pairs.tsv").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            kind = line[2:]
        else:
            meets, one, other = line.split("\t")
            pairs.append(Pair(kind, Meets(meets), one, other))
    return pairs
