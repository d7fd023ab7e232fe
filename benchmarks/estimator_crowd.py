"""Crowdsourced labels with gold: six public sets, our methods and every peer of crowd-kit's that ends in time."""

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.estimator_rivals import RIVALS, SLOW_RIVALS, contestant, rival_present
from benchmarks.harness import CannotMeasureError, Report
from estimator import Method, VoteMatrix, estimate, from_records

Integers = NDArray[np.int64]

SETS = ("rte", "trec", "web", "product", "sentiment", "zencrowd_us")
QUICK_SETS = ("zencrowd_us",)
OURS = (Method.MAJORITY, Method.WAWA, Method.IWMV, Method.BAYES, Method.CONFUSION, Method.AUTO)
# GLAD and MACE take minutes on more votes than this.
_SLOW_LIMIT = 21_000


@dataclass(frozen=True, slots=True, eq=False)
class LabelledSet:
    """Votes and gold: (M,) the answer that is right, -1 where nobody says."""

    votes: VoteMatrix
    gold: Integers

    def accuracy(self, answer: Integers) -> float:
        """Share of the queries with gold that are answered rightly."""
        known = self.gold >= 0
        return float((answer == self.gold)[known].mean())


def load(folder: Path) -> LabelledSet:
    """Read `label.csv` and `truth.csv`; of a worker who labels an item twice the last label counts."""
    last = {(row["item"], row["worker"]): int(row["label"]) for row in _rows(folder / "label.csv")}
    items, workers = zip(*last, strict=True)
    labels = list(last.values())
    named = from_records(items, workers, labels)
    votes = VoteMatrix.from_triples(
        *_named_labels(named.votes, named.answers), query_count=len(named.queries), source_count=len(named.sources)
    )
    truths = {row["item"]: int(row["truth"]) for row in _rows(folder / "truth.csv")}
    gold = np.array([truths.get(str(item), -1) for item in named.queries])
    return LabelledSet(votes, gold)


def _named_labels(votes: VoteMatrix, answers: Iterable[object]) -> tuple[Integers, Integers, Integers]:
    """Votes with the labels' own numbers, which say -1 for no gold."""
    query, source, answer = votes.triples()
    return query, source, np.array([int(str(one)) for one in answers])[answer]


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def crowd(report: Report) -> None:
    """One row a set, one column a method; the last says what auto took."""
    try:
        folder = report.folder("crowd")
    except CannotMeasureError as absent:
        report.rival_skipped("crowd sets", str(absent))
        return
    peers = rival_present(report)
    rows = []
    names = [*OURS, *(RIVALS | SLOW_RIVALS if peers else {})]
    for name in QUICK_SETS if report.options.quick else SETS:
        one = load(folder / name)
        found = _accuracies(one, quick=report.options.quick, peers=peers)
        chosen = estimate(one.votes, Method.AUTO).method
        for who, accuracy in found.items():
            report.figure(f"crowd.{name}.{who}", accuracy)
        rows.append([name, *(f"{found[who]:.4f}" if who in found else "" for who in names), chosen])
    report.table("Crowdsourced labels: accuracy against gold", ["set", *names, "auto took"], rows)


def _accuracies(one: LabelledSet, *, quick: bool, peers: bool) -> Mapping[str, float]:
    found = {str(method): one.accuracy(estimate(one.votes, method).answer) for method in OURS}
    if not peers:
        return found
    rivals = RIVALS if quick or one.votes.vote_count > _SLOW_LIMIT else RIVALS | SLOW_RIVALS
    return found | {name: one.accuracy(contestant(method)(one.votes).answer) for name, method in rivals.items()}
