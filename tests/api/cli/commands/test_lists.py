"""Lists as a person sees them."""

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
