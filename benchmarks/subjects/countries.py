"""The country data set: documents of eleven sources, the questions of its estimation, and what is right."""

import gzip
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.subjects.halves import Half
from benchmarks.subjects.statements import Relation, Statement, statements
from benchmarks.subjects.truth import capitals, normalised, right_statements

# Fewer sources are a mistake of one of them and no country.
LEAST_SOURCES = 5
_QUESTIONS: Mapping[Relation, str] = {
    Relation.CAPITAL: r"What is the capital of (.+)\?",
    Relation.CURRENCY: r"What is the currency of (.+)\?",
    Relation.CALLING_CODE: r"What is the international calling code of (.+)\?",
    Relation.AREA: r"How large is the area of (.+) in square kilometres\?",
    Relation.POPULATION: r"How many people live in (.+)\?",
}


@dataclass(frozen=True, slots=True)
class Query:
    """A question about a country."""

    text: str
    country: str
    """ISO code."""
    relation: Relation
    golds: tuple[str, ...] = ()


@dataclass(frozen=True)
class Countries:
    """Documents as lines of an import, and queries; `titles` are the names of each country by its code."""

    lines: Sequence[Mapping[str, Any]]
    queries: Sequence[Query]
    right: Mapping[Statement, bool]
    """Of each statement that can be judged whether it is right."""
    titles: Mapping[str, frozenset[str]]

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The name of each country in questions, with its article."""
        return {query.country: subject(query.text) for query in self.queries}

    @cached_property
    def capital_queries(self) -> Sequence[Query]:
        """One for every country."""
        return [query for query in self.queries if query.relation is Relation.CAPITAL]

    def of(self, half: Half, limit: int | None = None) -> "Countries":
        """The same documents with the queries of one half of the countries, of at most so many of them."""
        codes = [code for code in sorted(self.titles) if half.has(code)][:limit]
        return replace(self, queries=[query for query in self.queries if query.country in codes])


def subject(question: str) -> str:
    """The country that a query of the data set asks about, with its article. Raises `ValueError` for another text.

    >>> subject("How many people live in the Maldives?")
    'the Maldives'
    """
    return _asked(question)[1]


def load(folder: Path) -> Countries:
    """Everything, with a capital question for every country."""
    with gzip.open(folder / "documents.ndjson.gz", "rt", encoding="utf-8") as file:
        documents = [json.loads(line) for line in file]
    titles: dict[str, set[str]] = {}
    sources: dict[str, set[str]] = {}
    for document in documents:
        titles.setdefault(document["external_id"], set()).add(document["title"])
        sources.setdefault(document["external_id"], set()).add(document["source"])
    titles = {code: names for code, names in titles.items() if len(sources[code]) >= LEAST_SOURCES}
    stated = list(dict.fromkeys(_statements(documents)))
    with (folder / "queries.ndjson").open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    queries = _queries(rows, stated, titles)
    golds = {query.country: query.golds for query in queries if query.golds}
    return Countries(
        [_line(document) for document in documents],
        queries,
        right_statements(stated, golds),
        {code: frozenset(names) for code, names in titles.items()},
    )


def _line(document: Mapping[str, Any]) -> dict[str, Any]:
    fields = dict(document)
    media_type = fields.pop("content_type", None)
    return fields if media_type is None else {**fields, "media_type": media_type}


def _statements(documents: Sequence[Mapping[str, Any]]) -> Iterator[Statement]:
    for document in documents:
        yield from statements(document["source"], document["external_id"], document["content"])


def _queries(
    rows: Sequence[Mapping[str, Any]], stated: Sequence[Statement], titles: Mapping[str, set[str]]
) -> list[Query]:
    """Those given, then a capital question for each country that has none."""
    code_of = {normalised(title): code for code, names in titles.items() for title in names}
    given = [_given(row, code_of) for row in rows]
    golds = capitals(stated, {query.country: query.golds for query in given if query.golds})
    names = {query.country: subject(query.text) for query in given}
    asked = {query.country for query in given if query.relation is Relation.CAPITAL}
    added = [
        Query(f"What is the capital of {names.get(code) or min(titles[code], key=len)}?", code, Relation.CAPITAL)
        for code in sorted(titles.keys() - asked)
    ]
    return [
        replace(query, golds=golds[query.country]) if query.relation is Relation.CAPITAL else query
        for query in (*given, *added)
    ]


def _given(row: Mapping[str, Any], code_of: Mapping[str, str]) -> Query:
    relation, name = _asked(row["text"])
    code = code_of[normalised(name.removeprefix("the "))]
    return Query(row["text"], code, relation, tuple(row.get("gold_answers", ())))


def _asked(question: str) -> tuple[Relation, str]:
    for relation, pattern in _QUESTIONS.items():
        if match := re.fullmatch(pattern, question):
            return relation, match[1]
    message = f"not a question of the country data set: {question!r}"
    raise ValueError(message)
