"""Questions about names that no document is about: real places that the corpus lacks, and invented ones."""

import csv
import hashlib
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.subjects.countries import Countries
from benchmarks.subjects.halves import Half
from benchmarks.subjects.truth import normalised

PLACES = Path(__file__).with_name("places.tsv")
SEED = 41
INVENTED = 100
TEMPLATES = (
    "What is the capital of {name}?",
    "What is the currency of {name}?",
    "How many people live in {name}?",
    "what is the capital of {lower}",
    "how many people live in {lower}",
    "capital of {name}",
)
_STARTS = (
    "B",
    "Br",
    "D",
    "Dr",
    "F",
    "G",
    "Gl",
    "K",
    "Kr",
    "L",
    "M",
    "N",
    "P",
    "Pr",
    "R",
    "S",
    "Sk",
    "T",
    "Tr",
    "V",
    "Z",
)
_MIDDLES = ("an", "ar", "el", "en", "il", "im", "on", "or", "ul", "und", "esk", "ov")
_ENDS = ("ia", "land", "stan", "ania", "or", "ova", "esh", "mark", "ara", "una")
_FORMS = ("{}", "{}", "{}", "{}", "Republic of {}", "North {}", "New {}")


@dataclass(frozen=True, slots=True)
class NameQuestion:
    """A question about a name that the corpus cannot answer."""

    text: str
    name: str
    kind: str
    """`mentioned` for a real place that passages on others mention, `real` for other real places, or `invented`."""


def name_questions(countries: Countries, half: Half) -> list[NameQuestion]:
    """The questions of one half."""
    contents = [line["content"] for line in countries.lines]
    titles = {normalised(title) for names in countries.titles.values() for title in names}
    with PLACES.open(encoding="utf-8", newline="") as file:
        places = [row["name"] for row in csv.DictReader(file, delimiter="\t")]
    kinds = {name: "mentioned" if _stands_in(name, contents) else "real" for name in places}
    kinds |= dict.fromkeys(invented_names(INVENTED, contents), "invented")
    return [
        NameQuestion(_asked(name), name, kind)
        for name, kind in kinds.items()
        if half.has(name) and normalised(name) not in titles
    ]


def invented_names(count: int, contents: Sequence[str], seed: int = SEED) -> list[str]:
    """So many different invented names, the same at every call, none of which stands in a text."""
    names: dict[str, None] = {}
    for name in _drawn(random.Random(seed)):
        if not _stands_in(name.split()[-1], contents):
            names[name] = None
        if len(names) == count:
            break
    return list(names)


def _drawn(generator: random.Random) -> Iterator[str]:
    while True:
        middles = "".join(generator.sample(_MIDDLES, generator.choice((1, 2))))
        stem = f"{generator.choice(_STARTS)}{middles}{generator.choice(_ENDS)}"
        yield generator.choice(_FORMS).format(stem)


def _stands_in(name: str, contents: Sequence[str]) -> bool:
    pattern = re.compile(rf"\b{re.escape(name)}\b", re.IGNORECASE)
    return any(pattern.search(content) for content in contents)


def _asked(name: str) -> str:
    """One of the templates, by the hash of the name."""
    template = TEMPLATES[hashlib.sha256(name.encode()).digest()[1] % len(TEMPLATES)]
    return template.format(name=name, lower=name.lower())
