"""Lists as a person sees them, and `credence corpora`."""

from tests.api.cli.conftest import Credence
from tests.registry.world import TOWERS, honest, question


def test_lists_are_tables_for_a_person(credence: Credence) -> None:
    credence.estimated({"one": honest(), "two": honest()})
    credence.done("ask", question(TOWERS[0]))
    query = credence.done("queries", "--json").documents[0]["external_id"]
    credence.done("gold", "add", query, "red")
    credence.done("joins", "add", question(TOWERS[1]), "blue", "azure")
    credence.done("schedules", "add", "nightly", "0 3 * * *")
    expected = {
        ("answers",): ("asked", question(TOWERS[0])),
        ("audit",): ("what", "schedule.created"),
        ("corpora",): ("text search", "english"),
        ("documents", "list", "one"): ("stored (UTC)", TOWERS[0]),
        ("estimations",): ("queries", "succeeded, current"),
        ("gold", "list", query): ("before", "none"),
        ("joins",): ("one answer", "blue = azure"),
        ("queries",): ("question", "gold"),
        ("schedules",): ("next (UTC)", "0 3 * * *"),
    }
    for command, parts in expected.items():
        shown = credence.done(*command).out
        assert all(part in shown for part in parts), shown


def test_a_corpus_is_added_changed_and_deleted(credence: Credence) -> None:
    credence.done("corpora", "add", "press", "--description", "Newspapers", "--text-search", "norwegian")
    assert credence.done("corpora", "show", "press", "--json").document["text_search"] == "norwegian"
    changed = credence.done("corpora", "update", "press", "--description", "All newspapers", "--json").document
    assert changed["description"] == "All newspapers"
    assert "All newspapers" in credence.done("corpora").out
    credence.done("corpora", "delete", "press", "--yes")
    assert [row["name"] for row in credence.done("corpora", "--json").documents] == ["default"]
