"""Crowdsourced labels with gold answers: six public sets in one format."""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from estimator import VoteMatrix, from_records

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class LabelledSet:
    """Votes and (M,) gold answers, -1 where there is none."""

    votes: VoteMatrix
    gold: Integers

    def accuracy(self, answer: Integers) -> float:
        """Share of the queries with gold that are answered rightly."""
        has_gold = self.gold >= 0
        return float((answer == self.gold)[has_gold].mean())


def load_crowd(folder: Path) -> LabelledSet:
    """Read `label.csv` and `truth.csv`; of a worker who labels an item twice the last label counts."""
    last = {(row["item"], row["worker"]): int(row["label"]) for row in _rows(folder / "label.csv")}
    items, workers = zip(*last, strict=True)
    named = from_records(items, workers, list(last.values()))
    query, source, answer = named.votes.triples()
    # The gold answers are numbered by the labels themselves.
    labels = np.array([int(str(label)) for label in named.answers])
    votes = VoteMatrix.from_triples(
        query, source, labels[answer], query_count=len(named.queries), source_count=len(named.sources)
    )
    truths = {row["item"]: int(row["truth"]) for row in _rows(folder / "truth.csv")}
    return LabelledSet(votes, np.array([truths.get(str(item), -1) for item in named.queries]))


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))
