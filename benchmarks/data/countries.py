"""What eleven data sets on countries state, taken by rules: five facts on 97 countries, in the words of each set.

Every set has one pattern for a fact, or a few, so no reader is needed, and none of its errors counts.
"""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import regex

_TAG = regex.compile(r"<[^>]+>")
_NUMBER = r"[\d.,]*\d"
_QUESTIONS = {
    "capital": "What is the capital of {}?",
    "area": "How large is the area of {} in square kilometres?",
    "currency": "What is the currency of {}?",
    "calling code": "What is the international calling code of {}?",
    "population": "How many people live in {}?",
}
# By fact, patterns with the value as their only group.
_PATTERNS = {
    "capital": (
        r"Capital of .{1,40}?: (?:name: )?([^;\n(]+?)(?:;| geographic| \(|\n|$)",
        r"Capital: ([^\n]+?)(?<!\bSt)\.(?:\s|$)",
        r"[Cc]apital(?: city)? (?:of .{1,60}? )?is ([^\n]+?)(?<!\bSt)\.(?:\s|$)",
        r"^(.+) is the capital city of",
    ),
    "area": (
        rf"Area of .{{1,40}}?: total ?: ({_NUMBER} sq km)",
        rf"(?:area of|covers|, on|surface area of .{{1,40}}? is) ({_NUMBER} (?:square kilomet(?:er|re)s|km²|km2))",
    ),
    "currency": (
        r"Currency of .{1,40}?: (?:1 )?([^=;\n]+?) =",
        r"Exchange rates of .{1,40}?: (?:Currency: )?([^:;\n]+?) per US",
        r"pay with (?:the )?([^.\n]+)\.",
        r"(The [^.]+?) is the money",
        r"(?:Its currency|currency in use) is ([^.\n]+)\.",
        r"uses ([^.\n]+?) as its currency",
    ),
    "calling code": (
        r"(?:[Cc]alling code|dial|phone code|phone prefix|start with)(?: of .{1,60}?)?(?: is|:)? (\+?[\d-]*\d)",
    ),
    "population": (
        rf"Population(?: of .{{1,40}}?)?: (?:total: )?({_NUMBER})",
        rf"({_NUMBER}) people live",
        rf"(?:has|population of) ({_NUMBER})(?: inhabitants|\.)",
    ),
}


@dataclass(frozen=True, slots=True)
class CountryFact:
    """A question on a country, and what each set answers that states it."""

    kind: str
    question: str
    answers: tuple[str, ...]
    was_looked_at: bool
    """Whether it is in the half with which the rules of answer equivalence were made."""


def load_facts(folder: Path) -> list[CountryFact]:
    """All facts of all countries; of those in the queries, and of the others, every other one was looked at."""
    by_country: defaultdict[str, dict[str, str]] = defaultdict(dict)
    titles: dict[str, str] = {}
    with gzip.open(folder / "documents.ndjson.gz", "rt", encoding="utf-8") as file:
        for document in map(json.loads, file):
            by_country[document["external_id"]][document["source"]] = _TAG.sub("\n", document["content"])
            titles.setdefault(document["external_id"], document["title"])
            if document["source"] == "mledoze":
                titles[document["external_id"]] = document["title"]
    queries = (folder / "queries.ndjson").read_text(encoding="utf-8").splitlines()
    line_of = {_plain(json.loads(line)["text"]): number for number, line in enumerate(queries, 1)}
    numbered = enumerate(_questions(by_country, titles))
    return [
        CountryFact(kind, question, answers, bool(line_of.get(_plain(question), number) % 2))
        for number, (kind, question, answers) in numbered
    ]


def _questions(
    by_country: Mapping[str, Mapping[str, str]], titles: Mapping[str, str]
) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    for code, texts in sorted(by_country.items()):
        for kind, question in _QUESTIONS.items():
            answers = (stated(text, kind) for text in texts.values())
            yield kind, question.format(titles[code]), tuple(answer for answer in answers if answer)


def stated(text: str, kind: str) -> str | None:
    """What a text states; None if it says nothing of this fact.

    >>> stated("Its currency is the Euro.", "currency")
    'the Euro'
    """
    for pattern in _PATTERNS[kind]:
        if match := regex.search(pattern, text, regex.MULTILINE):
            return str(match[1])
    return None


def _plain(question: str) -> str:
    """The question without the article in front of some names."""
    return question.replace("of the ", "of ").replace("in the ", "in ")
