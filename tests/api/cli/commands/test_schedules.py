"""`credence schedules`."""

from tests.api.cli.conftest import Credence


def test_a_schedule_is_added_disabled_enabled_and_removed(credence: Credence) -> None:
    output = credence.done(
        "schedules", "add", "nightly", "0 3 * * *", "--timezone", "Europe/Oslo", "--labels", "4", "--json"
    )
    assert output.document["parameters"]["labels"] == "4"
    assert len(output.document["next_runs"]) == 3
    assert credence.done("schedules", "disable", "nightly", "--json").document["next_runs"] == []
    assert "disabled" in credence.done("schedules").out
    assert credence.done("schedules", "enable", output.document["id"], "--json").document["enabled"] is True
    credence.done("schedules", "remove", "nightly")
    assert credence.done("schedules", "--json").out == ""


def test_a_schedule_may_write_queries_before_it_estimates(credence: Credence) -> None:
    output = credence.done("schedules", "add", "weekly", "0 3 * * 1", "--generate", "20", "--json")
    written = output.document["parameters"]
    assert {name: written[name] for name in ("kind", "queries", "estimate")} == {
        "kind": "generate_queries",
        "queries": 20,
        "estimate": True,
    }
    assert "generate_queries" in credence.done("schedules").out
