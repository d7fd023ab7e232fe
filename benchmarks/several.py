"""`python -m benchmarks.several`: several true answers to a query, on the authors of books.

Booksellers list authors; which of them did write the book? The latent truth model (`estimate_several`) is beside a
majority for each author, all authors that anybody names, and the service's default method, for which a list is one
answer. Its priors are those that the paper takes for books, also at half and at double their strength.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import cast

import numpy as np

from benchmarks.data.several_sets import SeveralSet, book_authors
from benchmarks.harness import Benchmark, Headline, Report, run
from benchmarks.harness.report import Cell
from estimator import estimate, estimate_several, from_records

OURS = "latent truth model"
MAJORITY, UNION, LISTS = "majority for each author", "all that anybody names", "one list as one answer: auto"
BENCHMARK = Benchmark(
    "several",
    "several true answers: authors of books",
    page="several",
    headlines=(
        Headline(
            "F1 of authors, 100 golden truths",
            f"golden, {OURS}.f1",
            {rival: f"golden, {rival}.f1" for rival in (MAJORITY, UNION, LISTS)},
        ),
        Headline(
            "lists that are exactly right, 100 golden truths",
            f"golden, {OURS}.exact",
            {rival: f"golden, {rival}.exact" for rival in (MAJORITY, UNION, LISTS)},
        ),
    ),
)
Answers = Mapping[str, set[str]]


def measure(report: Report) -> None:
    """Each method once, against both sets of truths."""
    books = book_authors(report.folder("truth_book"))
    methods: dict[str, Callable[[], Answers]] = {
        OURS: lambda: _latent(books, 1.0),
        MAJORITY: lambda: _supported(books, 0.5),
        UNION: lambda: _supported(books, 0.0),
        LISTS: lambda: _lists(books),
        f"{OURS}, priors of half the strength": lambda: _latent(books, 0.5),
        f"{OURS}, priors of double the strength": lambda: _latent(books, 2.0),
    }
    found = {name: method() for name, method in methods.items()}
    for name, truths in books.truths.items():
        rows = [[method, *_scores(report, f"{name}, {method}", truths, answers)] for method, answers in found.items()]
        title = f"{len(truths):,} {name} truths of {len(books.queries):,} books, {books.source_count} sellers"
        report.table(title, ["method", "precision", "recall", "F1", "exact lists"], rows)


def _scores(report: Report, name: str, truths: Mapping[str, frozenset[str]], found: Answers) -> list[Cell]:
    """Of the authors of all books with a known truth together, and the share of lists that are exactly right."""
    named = sum(len(found.get(book, ())) for book in truths)
    true = sum(map(len, truths.values()))
    both = sum(len(names & found.get(book, set())) for book, names in truths.items())
    exact = float(np.mean([found.get(book, set()) == names for book, names in truths.items()]))
    figures = {"precision": both / named, "recall": both / true, "f1": 2 * both / (named + true), "exact": exact}
    for figure, value in figures.items():
        report.figure(f"{name}.{figure}", value)
    return [f"{value:.3f}" for value in figures.values()]


def _latent(books: SeveralSet, strength: float) -> Answers:
    found = estimate_several(
        books.query,
        books.source,
        books.answer,
        query_count=len(books.queries),
        source_count=books.source_count,
        prior_strength=strength,
    )
    true = found.probability > 0.5
    return _grouped(books, zip(found.query[true].tolist(), found.answer[true].tolist(), strict=True))


def _supported(books: SeveralSet, least: float) -> Answers:
    """The authors whom more than this share of the sellers of a book name."""
    sellers = np.bincount(np.unique(np.column_stack((books.query, books.source)), axis=0)[:, 0])
    pairs, count = np.unique(np.column_stack((books.query, books.answer)), axis=0, return_counts=True)
    return _grouped(books, pairs[count > least * sellers[pairs[:, 0]]].tolist())


def _lists(books: SeveralSet) -> Answers:
    lists: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for query, source, answer in zip(
        *(each.tolist() for each in (books.query, books.source, books.answer)), strict=True
    ):
        lists[query, source].append(answer)
    votes = {pair: tuple(sorted(answers)) for pair, answers in lists.items()}
    named = from_records([query for query, _ in votes], [source for _, source in votes], list(votes.values()))
    chosen = estimate(named.votes).answer.tolist()
    pairs = [
        (cast("int", query), answer)
        for query, number in zip(named.queries, chosen, strict=True)
        if number >= 0
        for answer in cast("tuple[int, ...]", named.answers[number])
    ]
    return _grouped(books, pairs)


def _grouped(books: SeveralSet, pairs: Iterable[Iterable[int]]) -> Answers:
    grouped: defaultdict[str, set[str]] = defaultdict(set)
    for query, answer in pairs:
        grouped[books.queries[query]].add(books.answers[answer])
    return grouped


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
