"""`credence gold`."""

import pytest

from tests.api.cli.conftest import Credence
from tests.registry.world import TOWERS, TRUTH, honest, liar

TOWER = TOWERS[0]


@pytest.fixture
def estimated(credence: Credence) -> Credence:
    credence.estimated({"one": honest(), "two": honest(), "three": liar(TOWER)})
    return credence


def test_right_answers_are_added_replaced_listed_and_undone(estimated: Credence) -> None:
    assert "No right answer" in estimated.done("gold", "list", TOWER).out
    out = estimated.done("gold", "add", TOWER, TRUTH[TOWER]).out
    assert f"Right: {TRUTH[TOWER]}. Before: none. 2 votes for, 1 against; before 0 and 0." in out
    assert "Nothing changed" in estimated.done("gold", "add", TOWER, TRUTH[TOWER]).out
    added = estimated.done("gold", "add", TOWER, "mauve", "--json").document
    assert added["answers_after"] == [TRUTH[TOWER], "mauve"]
    assert estimated.done("gold", "add", TOWER, "pink", "--replace", "--json").document["answers_after"] == ["pink"]
    refused = estimated.refused("gold", "undo", TOWER, added["entry"]["id"])
    assert "changed after this entry" in refused
    assert f"Right: {TRUTH[TOWER]}, mauve. Before: pink." in estimated.done("gold", "undo", TOWER).out
    estimated.done("gold", "undo", TOWER, added["entry"]["id"])
    listed = estimated.done("gold", "list", TOWER, "--json").documents
    assert [(row["answers_after"], row["undone_at"] is not None) for row in listed] == [
        (["pink"], True),
        ([TRUTH[TOWER], "mauve"], True),
        ([TRUTH[TOWER]], False),
    ]
    assert "undone" in estimated.done("gold", "list", TOWER).out
    estimated.done("gold", "undo", TOWER)
    assert "nothing to undo" in estimated.refused("gold", "undo", TOWER)
