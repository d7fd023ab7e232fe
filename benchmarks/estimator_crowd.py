"""Crowdsourced labels with gold: six public sets, our methods and every peer of crowd-kit's that ends in time.

Every peer runs in a process of its own, so that it can be ended.
"""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.estimator_rivals import RIVALS, SLOW_RIVALS, judged_within, rival_present
from benchmarks.harness import CannotMeasureError, Report
from estimator import Method, VoteMatrix, estimate, from_records

Integers = NDArray[np.int64]

SETS = ("rte", "trec", "web", "product", "sentiment", "zencrowd_us")
QUICK_SETS = ("zencrowd_us",)
OURS = (Method.MAJORITY, Method.WAWA, Method.IWMV, Method.BAYES, Method.CONFUSION)
# GLAD and M-MSR take many minutes on large sets; a peer that takes longer than this is left out, and said to be.
_LIMIT, _QUICK_LIMIT = 60.0, 6.0


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
    quick = report.options.quick
    peers = [*RIVALS, *({} if quick else SLOW_RIVALS)] if rival_present(report) else []
    limit = _QUICK_LIMIT if quick else _LIMIT
    rows = []
    for name in QUICK_SETS if quick else SETS:
        one = load(folder / name)
        chosen = estimate(one.votes, Method.AUTO)
        found = {str(method): one.accuracy(estimate(one.votes, method).answer) for method in OURS}
        found |= {str(Method.AUTO): one.accuracy(chosen.answer)} | _peers(one, peers, limit)
        for who, accuracy in found.items():
            report.figure(f"crowd.{name}.{who}", accuracy)
        cells = [f"{found[who]:.4f}" if who in found else f"over {limit:.0f} s" for who in (*OURS, Method.AUTO, *peers)]
        rows.append([name, f"{one.votes.vote_count:,}", *cells, chosen.method])
    columns = ["set", "votes", *OURS, Method.AUTO, *peers, "auto took"]
    report.table("Crowdsourced labels: accuracy against gold", columns, rows)


def _peers(one: LabelledSet, peers: Sequence[str], limit: float) -> dict[str, float]:
    """The accuracy of those that end in `limit` seconds."""
    verdicts = {name: judged_within(limit, name, one.votes) for name in peers}
    return {name: one.accuracy(verdict.answer) for name, verdict in verdicts.items() if verdict is not None}
