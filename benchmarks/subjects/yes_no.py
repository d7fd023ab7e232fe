"""Questions for yes or no about countries, whose right answers two sources state in as many words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.harness import Cell, Report
from benchmarks.subjects.capitals import DEFAULT, PLAIN
from benchmarks.subjects.countries import Countries
from benchmarks.subjects.service import Reply, ask, plain_rag
from registry.corpora.model import Corpus
from registry.runtime import Runtime

CONTINENTS = ("Africa", "Asia", "Europe", "Oceania", "North America", "South America")
EXAMPLES = 20
_COAST = re.compile(r" is (?P<no>not )?landlocked\.")
_CONTINENT = re.compile(rf" is a country in (?P<continent>{'|'.join(CONTINENTS)})\.")


@dataclass(frozen=True, slots=True)
class YesNoQuestion:
    """A question, what it asks for, and whether yes is right."""

    text: str
    topic: str
    is_so: bool


async def measure(report: Report, runtime: Runtime, corpus: Corpus, countries: Countries, limit: int | None) -> None:
    """Ask every question, once the service and once plain RAG."""
    asked = questions(countries)
    asked = asked[:: max(len(asked) // limit, 1)] if limit else asked
    rows: list[list[Cell]] = []
    for method in (DEFAULT, PLAIN):
        replies = [await (ask if method == DEFAULT else plain_rag)(runtime, corpus, each.text) for each in asked]
        pairs = list(zip(asked, replies, strict=True))
        rows += list(_rows(report, method, pairs))
        wrong: list[list[Cell]] = [
            [reply.question, reply.answer] for each, reply in pairs if _is(reply, not each.is_so)
        ]
        report.table(f"Wrong answers: {method}", ["question", "reply"], wrong[:EXAMPLES])
    columns = ["method", "questions", "asked", "right", "wrong", "without an answer"]
    report.table("Yes or no: landlocked, and on this continent or on another", columns, rows)


def questions(countries: Countries) -> Sequence[YesNoQuestion]:
    """Whether each country is landlocked, on its continent, and on the next but one in the list."""
    found = dict.fromkeys(_stated(countries))
    return sorted(found, key=lambda question: question.text)


def _stated(countries: Countries) -> Iterator[YesNoQuestion]:
    for line in countries.lines:
        name = countries.names.get(line["external_id"])
        if name is None:
            continue
        if coast := _COAST.search(line["content"]):
            yield YesNoQuestion(f"Is {name} landlocked?", "landlocked", is_so=coast["no"] is None)
        if stated := _CONTINENT.search(line["content"]):
            own = stated["continent"]
            other = CONTINENTS[(CONTINENTS.index(own) + 2) % len(CONTINENTS)]
            yield YesNoQuestion(f"Is {name} in {own}?", "continent", is_so=True)
            yield YesNoQuestion(f"Is {name} in {other}?", "continent", is_so=False)


def _is(reply: Reply, is_so: bool) -> bool:
    return reply.answer == ("Yes" if is_so else "No")


def _rows(report: Report, method: str, pairs: Sequence[tuple[YesNoQuestion, Reply]]) -> Iterator[list[Cell]]:
    for topic in ("landlocked", "continent", None):
        for is_so in (True, False) if topic else (None,):
            of_kind = [pair for pair in pairs if pair[0].topic == (topic or pair[0].topic)]
            of_kind = [pair for pair in of_kind if is_so in (None, pair[0].is_so)]
            if not of_kind:
                continue
            right = sum(_is(reply, each.is_so) for each, reply in of_kind)
            wrong = sum(_is(reply, not each.is_so) for each, reply in of_kind)
            kind = f"{topic}, {'yes' if is_so else 'no'}" if topic else "all"
            yield [method, kind, len(of_kind), right, wrong, len(of_kind) - right - wrong]
            report.figure(f"yes_no/{method}/{kind}/right", right / len(of_kind))
            report.figure(f"yes_no/{method}/{kind}/wrong", wrong / len(of_kind))
