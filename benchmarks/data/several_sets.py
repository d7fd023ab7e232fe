"""Two public sets of claims with several true answers: the authors of books, by their surnames, and RAMDocs.

Books: a query is a book, and an answer a surname in a seller's list of its authors (`benchmarks.data.author_names`);
the first list of a seller with a name in it counts, as in `benchmarks.data.truth_sets`. True are all surnames in the
list of the truth.

RAMDocs (Wang et al. 2025, arXiv:2504.13079): a query is an ambiguous question, and an answer what a document is known
to state, right or wrong, so that nothing is read. Documents are dealt to nine sources, five of which are right nine
times in ten and four once (`benchmarks.data.ramdocs`); a source gives all that its documents state.
"""

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.data.author_names import surnames
from benchmarks.data.ramdocs import load_questions
from benchmarks.data.splits import Part
from benchmarks.data.truth_sets import isbn13

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class SeveralSet:
    """V answers of N sources to M queries, and which are true."""

    query: Integers
    source: Integers
    answer: Integers
    queries: tuple[str, ...]
    answers: tuple[str, ...]
    source_count: int
    truths: Mapping[str, Mapping[str, frozenset[str]]]
    """By name of a set of truths, the true answers of some of the queries."""


def book_authors(folder: Path) -> SeveralSet:
    """The set `truth_book`."""
    with gzip.open(folder / "book.txt.gz", "rt", encoding="utf-8", errors="replace") as lines:
        rows = [line.rstrip("\r\n").split("\t") for line in lines]
    first: dict[tuple[str, str], frozenset[str]] = {}
    for source, isbn, _, authors in rows:
        names = frozenset(surnames(authors))
        if names:
            first.setdefault((isbn13(isbn), source), names)
    claims = [(query, source, name) for (query, source), names in first.items() for name in sorted(names)]
    queries = {query for query, _, _ in claims}
    return _numbered(claims, {name: _truths(folder / f"book_{name}.txt", queries) for name in ("golden", "silver")})


def ramdocs_answers(folder: Path) -> SeveralSet:
    """The set `ramdocs`."""
    questions = [each for part in Part for each in load_questions(folder / "ramdocs_dev.jsonl", part=part)]
    claims = {
        (question.id, document.source or "", stated.casefold())
        for question in questions
        for document, kind, stated in zip(question.documents, question.kinds, question.stated, strict=True)
        if kind != "noise"
    }
    truths = {question.id: frozenset(map(str.casefold, question.gold)) for question in questions}
    return _numbered(sorted(claims), {"gold": truths})


def _numbered(claims: Sequence[tuple[str, str, str]], truths: Mapping[str, Mapping[str, frozenset[str]]]) -> SeveralSet:
    queries, sources, answers = (tuple(sorted(set(column))) for column in zip(*claims, strict=True))
    places = [{each: number for number, each in enumerate(names)} for names in (queries, sources, answers)]
    numbered = ([place[row[column]] for row in claims] for column, place in enumerate(places))
    query, source_number, answer = (np.array(column, dtype=np.int64) for column in numbered)
    return SeveralSet(query, source_number, answer, queries, answers, len(sources), truths)


def _truths(path: Path, queries: set[str]) -> dict[str, frozenset[str]]:
    rows = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if "\t" in line)
    truths = {isbn13(isbn.strip()): frozenset(surnames(authors)) for isbn, authors in rows}
    return {isbn: names for isbn, names in truths.items() if isbn in queries and names}
