"""Changes of queries that a challenger asks for."""

import re

from answering.debates.parsing.replies import QueryChange, parse_query_change
from answering.prompts import load_prompt
from tests.tables import for_each


@for_each(
    ("reply", "query", "replaces"),
    [
        ("Add: leader of the choir of Sund", "leader of the choir of Sund", None),
        ("The date is missing.\nReplace 1: choir Sund 1990", "choir Sund 1990", 1),
        ("Query Optimization: [old query] -> [new query]", "new query", 1),
        ("Query Expansion: [Sund island choir]", "Sund island choir", None),
        ("**Replace 2:** other", "other", 2),
        ("Replace 7: a query of no pool", "a query of no pool", None),
        ("What is missing is the island. Add: choir of Sund", "choir of Sund", None),
    ],
)
def test_challenges(reply: str, query: str, replaces: int | None) -> None:
    parsed = parse_query_change(reply, 2)
    assert isinstance(parsed, QueryChange)
    assert (parsed.query, parsed.replaces) == (query, replaces)


@for_each(
    "reply",
    [
        "",
        "More should be searched.",
        "Add:",
        "Add: ???",
        "Add: x\nReplace 1: y",
        "They add: nothing",
        "Replace 1: the better query\nAdd: the new query",
    ],
)
def test_no_challenges(reply: str) -> None:
    assert parse_query_change(reply, 2) is None


def test_what_the_prompt_shows_is_no_query_of_the_challenger() -> None:
    prompt = load_prompt("drag_search_challenger")
    (example,) = re.findall(r"^Add: .*$", prompt.text, re.MULTILINE)
    assert parse_query_change(example, 2) is not None
    assert parse_query_change(example, 2, prompt.text) is None
    assert parse_query_change("Add: Ivar Brask", 2, prompt.text) is not None
