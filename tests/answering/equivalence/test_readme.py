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
    """A row of the table of rules."""

    name: str
    module: str
    answer: str
    other: str
    meets: str
    source: str


def rules() -> list[Rule]:
    """The rows of the table under the heading "Rules", without its head."""
    section = README.partition("\n## Rules\n")[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [Rule(*(cell.strip() for cell in row)) for row in rows[2:]]


@for_each("rule", rules())
def test_the_example_of_a_rule_behaves_as_the_table_says(rule: Rule) -> None:
    joining = {policy for policy in ClassPolicy if len(classify([rule.answer, rule.other], policy).classes) == 1}
    assert joining == POLICIES[Meets(rule.meets)]


def test_every_rule_names_a_module() -> None:
    assert {rule.module.strip("`") for rule in rules()} <= MODULES


def test_the_map_of_steps_names_every_module() -> None:
    steps = README.partition("\n## From step to module\n")[2].partition("\n## ")[0]
    assert set(re.findall(r"`([a-z_/]+)`", steps)) >= MODULES
