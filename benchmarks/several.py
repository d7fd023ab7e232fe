"""`python -m benchmarks.several`: several true answers to a query, on the authors of books and on RAMDocs.

Booksellers list authors; which of them did write the book? The latent truth model (`estimate_several`) is beside a
majority for each author, all authors that anybody names, and the service's default method, for which a list is one
answer. The service takes the same lists as votes in a corpus whose answers are `several`: an import, a run, and the
consensus on every book. The priors are set by hand, and stand here also at half and at double their strength.
"""

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Hashable, Iterable, Mapping
from typing import TypeAlias, cast

import numpy as np
from sqlalchemy.engine import URL

from answering.voting import CastVote, Electorate, ListedVote, Voter
from benchmarks.data.several_sets import SeveralSet, book_authors, ramdocs_answers
from benchmarks.harness import Benchmark, Headline, Report, database, run
from benchmarks.harness.report import Cell
from estimator import NamedVotes, estimate, estimate_several, from_records
from estimator.methods import method_named
from registry.corpora import store as corpora
from registry.corpora.schemas import CorpusInput
from registry.estimations import service as estimation
from registry.estimations.schemas import EstimationParameters
from registry.platform.enums import AnswerPolicy, Trigger
from registry.votes.service import import_votes
from registry.votes.summaries import consensus_of_all
from tests.fakes.scripted_reader import ScriptedReader

OURS = "latent truth model"
SERVICE = f"{OURS}, by the service"
BY_ITEM = "each author by weighted votes, as in answers"
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
Answers: TypeAlias = Mapping[str, set[str]]
Probabilities: TypeAlias = Mapping[tuple[str, str], float]
"""By book and name."""


def measure(report: Report) -> None:
    """Each method once, against both sets of truths."""
    _measure(report, "books", book_authors(report.folder("truth_book")))
    _measure(report, "questions of RAMDocs", ramdocs_answers(report.folder("ramdocs")))


def _measure(report: Report, what: str, books: SeveralSet) -> None:
    methods: dict[str, Callable[[], Answers]] = {
        OURS: lambda: _latent(books, 1.0),
        SERVICE: lambda: _true(_by_service(report, what, books)),
        MAJORITY: lambda: _supported(books, 0.5),
        UNION: lambda: _supported(books, 0.0),
        LISTS: lambda: _lists(books),
        BY_ITEM: lambda: _by_item(books),
        f"{OURS}, priors of half the strength": lambda: _latent(books, 0.5),
        f"{OURS}, priors of double the strength": lambda: _latent(books, 2.0),
    }
    found = {name: method() for name, method in methods.items()}
    for name, truths in books.truths.items():
        rows = [[method, *_scores(report, f"{name}, {method}", truths, answers)] for method, answers in found.items()]
        title = f"{len(truths):,} {name} truths of {len(books.queries):,} {what}, {books.source_count} sources"
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
    return _true(_probabilities(books, strength))


def _probabilities(books: SeveralSet, strength: float) -> Probabilities:
    found = estimate_several(
        books.query,
        books.source,
        books.answer,
        query_count=len(books.queries),
        source_count=books.source_count,
        prior_strength=strength,
    )
    columns = (found.query.tolist(), found.answer.tolist(), found.probability.tolist())
    return {(books.queries[query], books.answers[name]): value for query, name, value in zip(*columns, strict=True)}


def _true(probabilities: Probabilities) -> Answers:
    grouped: defaultdict[str, set[str]] = defaultdict(set)
    for (book, name), probability in probabilities.items():
        if probability > 0.5:
            grouped[book].add(name)
    return grouped


def _by_service(report: Report, what: str, books: SeveralSet) -> Probabilities:
    """By the consensus of the service, and how far that is from the estimator's."""
    with database.temporary_server() as (url, _):
        found = asyncio.run(_through_the_service(url, books))
    alone = _probabilities(books, 1.0)
    report.figure(f"{what}, service.answers_missing", len(alone.keys() - found.keys()))
    report.figure(f"{what}, service.answers_added", len(found.keys() - alone.keys()))
    furthest = max(abs(found[each] - alone[each]) for each in found.keys() & alone.keys())
    report.figure(f"{what}, service.furthest", furthest)
    return found


async def _through_the_service(url: URL, books: SeveralSet) -> Probabilities:
    lists: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    columns = (books.query.tolist(), books.source.tolist(), books.answer.tolist())
    for query, source, answer in zip(*columns, strict=True):
        lists[books.queries[query], f"seller {source}"].append(books.answers[answer])

    async def lines() -> AsyncIterator[bytes]:
        for (book, seller), names in lists.items():
            yield json.dumps({"source": seller, "query": book, "answer": names}).encode()

    found: dict[tuple[str, str], float] = {}
    async with database.opened(url, ScriptedReader()) as runtime:
        async with runtime.database.begin() as session:
            corpus = await corpora.create(session, CorpusInput(name="books", answers=AnswerPolicy.SEVERAL))
        async for result in import_votes(runtime, corpus, lines()):
            if result.status != "created":
                raise RuntimeError(result.error)
        queued = await estimation.start(runtime, corpus, EstimationParameters(), Trigger.COMMAND)
        await estimation.run(runtime, queued.id)
        async for batch in consensus_of_all(runtime.database, corpus):
            for summary in batch:
                for each in summary.several or ():
                    found[summary.query or "", each.answer] = each.probability
    return found


def _supported(books: SeveralSet, least: float) -> Answers:
    """The authors whom more than this share of the sellers of a book name."""
    sellers = np.bincount(np.unique(np.column_stack((books.query, books.source)), axis=0)[:, 0])
    pairs, count = np.unique(np.column_stack((books.query, books.answer)), axis=0, return_counts=True)
    return _grouped(books, pairs[count > least * sellers[pairs[:, 0]]].tolist())


def _by_item(books: SeveralSet) -> Answers:
    """By the reliabilities and copy groups that votes for whole lists tell."""
    lists = _whole_lists(books)
    named = _named(lists)
    found = estimate(named.votes)
    columns = (found.reliability.tolist(), found.lower.tolist(), found.upper.tolist(), found.groups.tolist())
    voters = [
        Voter(seller, reliability, lower, upper, copy_group=group)
        for seller, reliability, lower, upper, group in zip(named.sources, *columns, strict=True)
    ]
    weigh = method_named(found.method).vote_weight
    electorate = Electorate(voters, prior=0.5, prior_lower=0.5, labels=found.labels, weigh=weigh)
    of_book: defaultdict[int, dict[Hashable, dict[str, str]]] = defaultdict(dict)
    for (book, seller), names in lists.items():
        of_book[book][seller] = {str(name): books.answers[name] for name in names}
    grouped: dict[str, set[str]] = {}
    for book, listed in of_book.items():
        count = electorate.count([CastVote(seller, " ".join(authors), "") for seller, authors in listed.items()])
        vote = ListedVote.of(count, listed)
        grouped[books.queries[book]] = {line.answer for line in vote.won} if vote else set()
    return grouped


def _whole_lists(books: SeveralSet) -> dict[tuple[int, int], tuple[int, ...]]:
    """By book and seller."""
    lists: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for query, source, answer in zip(
        *(each.tolist() for each in (books.query, books.source, books.answer)), strict=True
    ):
        lists[query, source].append(answer)
    return {pair: tuple(sorted(answers)) for pair, answers in lists.items()}


def _named(lists: Mapping[tuple[int, int], tuple[int, ...]]) -> NamedVotes:
    return from_records([query for query, _ in lists], [source for _, source in lists], list(lists.values()))


def _lists(books: SeveralSet) -> Answers:
    named = _named(_whole_lists(books))
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
