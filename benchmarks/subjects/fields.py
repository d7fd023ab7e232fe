"""Fields of the Factbooks in plain words: does what is answered stand in the field of that country?"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from benchmarks.harness import Cell, Report
from benchmarks.subjects.capitals import DEFAULT, PLAIN
from benchmarks.subjects.countries import Countries
from benchmarks.subjects.service import Reply, ask, plain_rag
from registry.corpora.model import Corpus
from registry.runtime import Runtime

QUESTIONS: Mapping[str, str] = {
    "Area": "What is the area of {}?",
    "Climate": "What is the climate of {}?",
    "Coastline": "How long is the coastline of {}?",
    "Government type": "What type of government does {} have?",
    "Independence": "When did {} become independent?",
    "Languages": "What languages are spoken in {}?",
    "Location": "Where is {}?",
    "National holiday": "What is the national holiday of {}?",
    "Religions": "Which religions are there in {}?",
}
# Countries asked about.
MOST, MOST_QUICKLY = 30, 1
CONFIDENT = 0.5
EXAMPLES = 30
# A line of a fact sheet: Area of Malta: total: 316 sq km.
_LINE = re.compile(r"^([A-Z][a-z]+(?: [a-z]+){0,2}) of (?:the )?[A-Z][^:\n]*: (.+)$", re.MULTILINE)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")


async def measure(report: Report, runtime: Runtime, corpus: Corpus, countries: Countries) -> None:
    """Ask for every field that any Factbook has of a country, once the service and once plain RAG."""
    stated = values(countries)
    most = MOST_QUICKLY if report.options.quick else MOST
    codes = sorted(countries.names)[:: max(len(countries.names) // most, 1)][:most]
    asked = [(code, field) for field in QUESTIONS for code in codes if stated[code][field]]
    rows: list[list[Cell]] = []
    for method in (DEFAULT, PLAIN):
        pairs = []
        for code, field in asked:
            question = QUESTIONS[field].format(countries.names[code])
            reply = await (ask if method == DEFAULT else plain_rag)(runtime, corpus, question)
            pairs.append((field, reply, bool(reply.answer) and agrees(reply.answer or "", stated[code][field])))
        rows += _rows(report, method, pairs)
        others = sorted((reply for _, reply, right in pairs if reply.answers and not right), key=_by_confidence)
        examples: list[list[Cell]] = [[reply.question, reply.answer, f"{reply.confidence:.2f}"] for reply in others]
        report.table(f"Other answers: {method}", ["question", "reply", "confidence"], examples[:EXAMPLES])
    columns = ["method", "field", "asked", "answered", "in the field", f"others above {CONFIDENT}"]
    report.table("Fields of the Factbooks, asked for in plain words", columns, rows)


def values(countries: Countries) -> defaultdict[str, defaultdict[str, list[str]]]:
    """What the lines of fact sheets state, by the code of a country and by field."""
    stated: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for line in countries.lines:
        for field, value in _LINE.findall(line["content"]):
            stated[line["external_id"]][field].append(value)
    return stated


def agrees(answer: str, fields: Sequence[str]) -> bool:
    """Whether the first item of an answer, of a number the number alone, stands in one of the fields, word for word."""
    folded = _folded(answer)
    number = re.match(r"[\d.]*\d(?= ?[a-z])", folded)
    first = number[0] if number else re.split(r"[;,(]", folded)[0].strip()
    return bool(first) and any(re.search(rf"(?<!\w){re.escape(first)}(?!\w)", _folded(field)) for field in fields)


def _folded(text: str) -> str:
    return _THOUSANDS.sub("", text.casefold().replace(" and ", " "))


def _by_confidence(reply: Reply) -> float:
    return -reply.confidence


def _rows(report: Report, method: str, pairs: Sequence[tuple[str, Reply, bool]]) -> list[list[Cell]]:
    rows: list[list[Cell]] = []
    for field in (*QUESTIONS, None):
        of_field = [(reply, right) for name, reply, right in pairs if field in (name, None)]
        if not of_field:
            continue
        answered = [(reply, right) for reply, right in of_field if reply.answers]
        right = sum(right for _, right in answered)
        confident = sum(reply.confidence > CONFIDENT for reply, right in answered if not right)
        rows.append([method, field or "all", len(of_field), len(answered), right, confident])
        name = f"fields/{method}/{field or 'all'}"
        report.figure(f"{name}/right", right / len(of_field))
        report.figure(f"{name}/others", (len(answered) - right) / len(of_field))
        report.figure(f"{name}/others_confident", confident / len(of_field))
    return rows
