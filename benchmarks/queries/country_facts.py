"""Facts on countries that rules can ask for, in the sentences of a real data set, each with what a person would ask.

Of the sentences of encyclopaedias that other synthetic corpora are drawn from, rules ask only one in eighteen.
"""

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

from answering.questions.writing import written_questions
from benchmarks.multisource.facts import WRONG_ANSWERS, Fact, says

SOURCE: Final = "samayo country-json"
# What the facts are on; where a document states the value; a sentence with it; what a person asks for it.
SUBJECTS: Final = (
    (
        "Capital cities",
        r"(.+) is the capital city of",
        "{value} is the capital city of {name}.",
        "What is the capital of {name}?",
    ),
    (
        "Areas",
        r"The surface area of .+ is ([\d,]+)",
        "The surface area of {name} is {value} square kilometres.",
        "How large is the area of {name} in square kilometres?",
    ),
    (
        "Years of independence",
        r".+ became independent in (\d+)",
        "{name} became independent in {value}.",
        "Since which year has {name} been independent?",
    ),
    (
        "Population",
        r".+ has a population of ([\d,]+)",
        "About {value} people live in {name}.",
        "What is the population of {name}?",
    ),
    (
        "Currency",
        r"Its currency is the (.+)\.",
        "The currency of {name} is the {value}.",
        "What do people in {name} pay with?",
    ),
    (
        "Life expectancy",
        r"Life expectancy is ([\d.]+)",
        "Life expectancy in {name} is {value} years.",
        "How long can somebody in {name} expect to live?",
    ),
)


def country_facts(folder: Path) -> list[Fact]:
    """The facts of `documents.ndjson.gz` in this folder, always the same ones in the same order."""
    stated: defaultdict[str, dict[str, str]] = defaultdict(dict)
    with gzip.open(folder / "documents.ndjson.gz", "rt", encoding="utf-8") as file:
        for document in map(json.loads, file):
            if document["source"] == SOURCE:
                for subject, pattern, _, _ in SUBJECTS:
                    if match := re.search(rf"^{pattern}", document["content"], re.MULTILINE):
                        stated[subject][document["title"]] = match[1]
    return [fact for subject in SUBJECTS for fact in _facts(stated[subject[0]], subject)]


def _facts(values: dict[str, str], subject: tuple[str, str, str, str]) -> Iterator[Fact]:
    title, _, sentence, question = subject
    for name, value in values.items():
        text = sentence.format(name=name, value=value)
        others = sorted({other for other in values.values() if other != value})
        wrong = tuple(Random(text).sample(others, WRONG_ANSWERS))
        if any(says(name, answer) or says(answer, name) for answer in (value, *wrong)):
            continue
        if any(fact.answer.startswith(value) for _, fact in written_questions(text)):
            asked = question.format(name=name)
            yield Fact(f"{title}-{name}", asked, (value,), wrong, title, text, neighbours=())
