"""Towns of which some things are true, sources that report them more or less reliably, and questions about them."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.harness.database import vocabulary

COLOURS = ("red", "blue", "green", "white", "black", "yellow", "grey", "brown")
KEEPERS = ("Anna Berg", "Carl Dahl", "Eva Falk", "Georg Holm", "Ida Jansen", "Karl Lund", "Maria Nord", "Olaf Strand")
LEAST, MOST = 0.55, 0.95
"""Share of statements of the worst and of the best source that are true."""
OLD_TOWNS = 0.5
"""Share of questions about one of all towns; the others are about the newest, which most people ask about."""
NEWEST = 20

Facts = dict[str, str]


@dataclass(slots=True)
class Chronicle:
    """What is true of every town so far."""

    source_count: int
    generator: np.random.Generator
    towns: list[Facts] = field(default_factory=list)
    _names: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """The names that towns get, in their order."""
        self._names = [name.capitalize() for name in self.generator.permutation(vocabulary())]

    def new_town(self) -> list[dict[str, Any]]:
        """The documents of all sources about a town that nobody wrote of before."""
        self.towns.append(self._facts(self._names[len(self.towns)]))
        return self._documents(len(self.towns) - 1)

    def changed_town(self) -> list[dict[str, Any]]:
        """The documents that replace those about a town, of which other things are true now."""
        number = int(self.generator.integers(len(self.towns)))
        self.towns[number] = self._facts(self.towns[number]["town"])
        return self._documents(number)

    def question(self, number: int | None = None) -> tuple[str, str]:
        """A question, by default about any town, and its right answer."""
        if number is None:
            first = 0 if self.generator.random() < OLD_TOWNS else max(0, len(self.towns) - NEWEST)
            number = int(self.generator.integers(first, len(self.towns)))
        facts = self.towns[number]
        questions = {
            "colour": f"What colour is the tower of {facts['town']} painted?",
            "year": f"In which year was the tower of {facts['town']} built?",
            "keeper": f"Who keeps the tower of {facts['town']}?",
        }
        kind = str(self.generator.choice(list(questions)))
        return questions[kind], facts[kind]

    def _facts(self, town: str) -> Facts:
        colour, keeper = self.generator.choice(COLOURS), self.generator.choice(KEEPERS)
        return {"town": town, "colour": str(colour), "keeper": str(keeper), "year": str(self._year())}

    def _year(self) -> int:
        return int(self.generator.integers(1500, 1900))

    def _documents(self, number: int) -> list[dict[str, Any]]:
        true = self.towns[number]
        documents = []
        for source, share in enumerate(np.linspace(LEAST, MOST, self.source_count)):
            invented = self._facts(true["town"])
            said = {kind: (true if self.generator.random() < share else invented)[kind] for kind in true}
            content = (
                f"A report from {said['town']}, written by source {source}. "
                f"The tower of {said['town']} is painted {said['colour']}. "
                f"The tower of {said['town']} was built in {said['year']}. "
                f"{said['keeper']} keeps the tower of {said['town']}."
            )
            documents.append({"source": f"Source {source}", "external_id": str(number), "content": content})
        return documents
