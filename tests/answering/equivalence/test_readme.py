"""The index of rules in the README: its example pairs behave as it says, and no module is missing."""

import re
from pathlib import Path
from typing import NamedTuple

from answering import equivalence
from answering.equivalence import ClassPolicy, classify
from tests.answering.equivalence.pairs import POLICIES, Meets
from tests.tables import for_each

PACKAGE = Path(equivalence.__file__).parent
README = (PACKAGE / "README.md").read_text(encoding="utf-8")
MODULES = {
    path.relative_to(PACKAGE).with_suffix("").as_posix() for path in PACKAGE.rglob("*.py") if path.name != "__init__.py"
}


class Rule(NamedTuple):
    """A row of a table of rules."""

    name: str
    module: str
    question: str | None
    answer: str
    other: str
    meets: str


def rows(heading: str) -> list[list[str]]:
    """The rows of the table under a heading, without its head."""
    section = README.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line] for line in lines[2:]]


RULES = [
    *(Rule(name, module, None, *pair) for name, module, *pair, _ in rows("Rules")),
    *(Rule(*row) for row in rows("Rules of the question")),
]


@for_each("rule", RULES)
def test_the_example_of_a_rule_behaves_as_the_table_says(rule: Rule) -> None:
    answers = [rule.answer, rule.other]
    joining = {policy for policy in ClassPolicy if len(classify(answers, policy, rule.question).classes) == 1}
    assert joining == POLICIES[Meets(rule.meets)]


def test_every_rule_names_a_module() -> None:
    assert {rule.module.strip("`") for rule in RULES} <= MODULES


def test_the_map_of_steps_names_every_module() -> None:
    steps = README.partition("\n## From step to module\n")[2].partition("\n## ")[0]
    assert set(re.findall(r"`([a-z_/]+)`", steps)) >= MODULES
