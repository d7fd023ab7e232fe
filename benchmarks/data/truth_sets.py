"""Two public sets of claims that real sites make about the same things, with what is true.

Books: booksellers name the authors of computer-science books (Yin et al. 2008; the golden truths read off 100 covers by
Dong et al. 2009). A query is an ISBN, ISBN-10 turned into ISBN-13. A claim is the set of surnames in a seller's author
list (`author_names`), so that order, given names and layout do not count, and a missing author does; a seller's first
list with a name in it counts. Right is exactly the set of the truth, read the same way.

Birthplaces: web sites name where people were born (Jung et al., EDBT 2019). A claim is a place without case and outer
blanks. Right is any place on the path from the true one up to its country: the set asks for no depth.
"""

import csv
import gzip
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.data.author_names import surnames
from estimator import VoteMatrix

Claim = tuple[str, str, str]  # source, query, answer


@dataclass(frozen=True, slots=True, eq=False)
class TruthSet:
    """Votes, with the answers that are right."""

    name: str
    votes: VoteMatrix
    sources: tuple[str, ...]
    accepted: Mapping[int, frozenset[int]]
    """Ids of the right answers of a query whose truth is known, those nobody gave left out."""

    def precision(self, answer: NDArray[np.int64]) -> float:
        """Share of the queries with votes and a known truth whose answer (M,) is right."""
        return sum(int(answer[query]) in right for query, right in self.accepted.items()) / len(self.accepted)

    @property
    def reachable(self) -> float:
        """Share of those queries that somebody answers rightly: nobody who counts votes can do better."""
        return sum(bool(right) for right in self.accepted.values()) / len(self.accepted)


def birthplaces(folder: Path) -> TruthSet:
    """The set `truth_birthplaces`."""
    claims = [(row["src"], row["obj"], place_key(row["value"])) for row in _rows(folder / "claims.csv")]
    truths = {
        row["obj"]: frozenset(map(place_key, row["value"].split(","))) for row in _rows(folder / "groundtruths.csv")
    }
    return assembled("birthplaces", claims, truths)


def books(folder: Path) -> tuple[TruthSet, TruthSet]:
    """The set `truth_book`, against its golden truths and its silver ones."""
    with gzip.open(folder / "book.txt.gz", "rt", encoding="utf-8", errors="replace") as lines:
        rows = [line.rstrip("\r\n").split("\t") for line in lines]
    claims = [(source, isbn13(isbn), _names(authors)) for source, isbn, _, authors in rows]
    golden = _truths(folder / "book_golden.txt")
    return (
        assembled("books, golden", claims, golden),
        assembled("books, silver", claims, _truths(folder / "book_silver.txt")),
    )


def place_key(name: str) -> str:
    """A place without case and outer blanks."""
    return name.strip().casefold()


def isbn13(isbn: str) -> str:
    """An ISBN of 10 or 13 digits as one of 13."""
    if len(isbn) != 10:
        return isbn
    digits = "978" + isbn[:9]
    check = -sum(int(digit) * (1, 3)[position % 2] for position, digit in enumerate(digits)) % 10
    return f"{digits}{check}"


def _names(authors: str) -> str:
    return ";".join(sorted(surnames(authors)))


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _truths(path: Path) -> dict[str, frozenset[str]]:
    lines = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if "\t" in line)
    return {isbn13(isbn.strip()): frozenset({_names(authors)}) for isbn, authors in lines}


def assembled(name: str, claims: Iterable[Claim], truths: Mapping[str, frozenset[str]]) -> TruthSet:
    """Numbers for names; the first claim of a source on a query that says anything counts."""
    first: dict[tuple[str, str], str] = {}
    for source, query, answer in claims:
        if answer:
            first.setdefault((query, source), answer)
    queries, sources, answers = (
        _numbers(values) for values in ((q for q, _ in first), (s for _, s in first), first.values())
    )
    votes = VoteMatrix.from_triples(
        [queries[query] for query, _ in first],
        [sources[source] for _, source in first],
        [answers[answer] for answer in first.values()],
        query_count=len(queries),
        source_count=len(sources),
    )
    claimed = {(queries[query], answers[answer]) for (query, _), answer in first.items()}
    accepted = {
        queries[query]: frozenset(
            answers[answer] for answer in right if answer in answers and (queries[query], answers[answer]) in claimed
        )
        for query, right in truths.items()
        if query in queries
    }
    return TruthSet(name, votes, tuple(sources), accepted)


def _numbers(values: Iterable[str]) -> dict[str, int]:
    return {value: number for number, value in enumerate(sorted(set(values)))}
