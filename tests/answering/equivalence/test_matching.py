"""The parts of VALUES and ROUNDED: lists, plurals and Roman numerals."""

import re
from pathlib import Path
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from answering import equivalence
from answering.equivalence import ClassPolicy, classify
from answering.equivalence.lists import MAX_ITEMS, list_items, split_list
from answering.equivalence.spelling import singular
from answering.equivalence.values.numerals import ROMAN_NUMERALS
from tests.answering.equivalence.pairs import POLICIES, Meets
from tests.tables import for_each


@for_each(
    ("answer", "items"),
    [
        ("red, green and blue", ("blue", "green", "red")),
        ("A; B", ("a", "b")),
        ("salt & pepper", ("pepper", "salt")),
        ("Paris, France", None),
        ("Miami, Florida, USA", None),
        ("France, Spain, Italy", ("france", "italy", "spain")),
        ("Martin Luther King, Jr.", None),
        ("a hundred and five ships", None),
        ("1,000, 2,000 and 3,000", None),
        ("he came, saw and left", None),
        ("東京、大阪", ("大阪", "東京")),
        ("one", None),
        ("", None),
    ],
)
def test_lists(answer: str, items: tuple[str, ...] | None) -> None:
    assert list_items(answer) == items


def test_a_long_list_is_none() -> None:
    assert list_items(", ".join(["x"] * (MAX_ITEMS + 1))) is None


@given(st.lists(st.sampled_from(["red", "green", "Ilse Varn", "salt"]), min_size=2, max_size=6))
def test_a_list_is_its_items_in_any_order(items: list[str]) -> None:
    backwards = items[::-1]
    assert list_items("; ".join(items)) == list_items(" and ".join(backwards))
    assert len(split_list("; ".join(items))) == len(items)


@for_each(
    ("plural", "expected"),
    [
        ("dogs", "dog"),
        ("cities", "city"),
        ("boxes", "box"),
        ("churches", "church"),
        ("wolves", "wolf"),
        ("women", "woman"),
        ("glass", "glass"),
        ("news", "news"),
        ("bus", "bus"),
        ("basis", "basis"),
        ("gas", "gas"),
    ],
)
def test_singular(plural: str, expected: str) -> None:
    assert singular(plural) == expected


@for_each(
    ("number", "numeral"),
    [(1, "I"), (4, "IV"), (9, "IX"), (14, "XIV"), (19, "XIX"), (29, "XXIX"), (30, "XXX"), (40, "XL"), (89, "LXXXIX")],
)
def test_roman_numerals(number: int, numeral: str) -> None:
    assert ROMAN_NUMERALS[numeral.lower()] == number


@for_each("word", ["", "iiii", "vx", "ic", "xil", "abc", "mix"])
def test_what_is_no_roman_numeral(word: str) -> None:
    assert word not in ROMAN_NUMERALS


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
