"""`credence keys`, `schedules` and `corpora`."""

import pytest

from tests.api.cli.conftest import Credence


def test_a_key_is_shown_once_listed_by_its_first_characters_and_revoked(credence: Credence) -> None:
    output = credence.done("keys", "create", "nightly", "--scope", "ingest", "--scope", "read", "--days", "30")
    secret = output.out.strip()
    assert secret.startswith("crd_")
    listed = credence.done("keys")
    assert secret not in listed.out
    assert secret[:10] in listed.out
    [row] = credence.done("keys", "--json").documents
    assert (row["scopes"], row["revoked_at"]) == (["ingest", "read"], None)
    credence.done("keys", "revoke", secret[:10])
    assert "revoked" in credence.done("keys").out


def test_a_key_has_daily_limits(credence: Credence) -> None:
    output = credence.done(
        "keys", "create", "app", "-s", "ask", "--daily-calls", "500", "--daily-tokens", "9000", "--json"
    )
    assert (output.document["daily_model_calls"], output.document["daily_tokens"]) == (500, 9000)
    [row] = credence.done("keys", "--json").documents
    assert row["spent_today"] == {"model_calls": 0, "tokens": 0}
    assert "0 of 500 calls" in credence.done("keys").out


def test_operators_keys_are_apart(credence: Credence) -> None:
    output = credence.done("keys", "create", "ops", "-s", "admin", "--operator", "--json").document
    assert output["corpus_id"] is None
    assert output["secret"].startswith(output["prefix"])
    assert credence.done("keys", "--json").out == ""
    assert [row["name"] for row in credence.done("keys", "--operator", "--json").documents] == ["ops"]
    assert "There is no API key" in credence.refused("keys", "revoke", output["id"])
    credence.done("keys", "revoke", output["id"], "--operator")


def test_a_schedule_is_added_disabled_enabled_and_removed(credence: Credence) -> None:
    output = credence.done(
        "schedules", "add", "nightly", "0 3 * * *", "--timezone", "Europe/Oslo", "--labels", "4", "--json"
    )
    assert output.document["parameters"]["labels"] == 4
    assert len(output.document["next_runs"]) == 3
    assert credence.done("schedules", "disable", "nightly", "--json").document["next_runs"] == []
    assert "disabled" in credence.done("schedules").out
    assert credence.done("schedules", "enable", output.document["id"], "--json").document["enabled"] is True
    credence.done("schedules", "remove", "nightly")
    assert credence.done("schedules", "--json").out == ""


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (("schedules", "add", "x", "every day"), "cron: not a cron expression"),
        (("schedules", "add", "x", "0 3 * * *", "--timezone", "Mars/Olympus"), "timezone: unknown time zone"),
        (("schedules", "remove", "x"), "There is no schedule 'x'"),
        (("corpora", "add", "Capital"), "name: String should match pattern"),
        (("corpora", "add", "default"), "already is a corpus named 'default'"),
        (("corpora", "add", "x", "--text-search", "klingon"), "text_search"),
        (("corpora", "delete", "default", "--yes"), "The default corpus always exists"),
        (("corpora", "show", "nowhere"), "There is no corpus 'nowhere'"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(credence: Credence, args: tuple[str, ...], why: str) -> None:
    result = credence.refused(*args)
    assert why in result
    assert result.count("\n") == 1


def test_a_corpus_is_made_changed_and_deleted(credence: Credence) -> None:
    credence.done("corpora", "add", "press", "--description", "Newspapers", "--text-search", "norwegian")
    assert credence.done("corpora", "show", "press", "--json").document["text_search"] == "norwegian"
    changed = credence.done("corpora", "update", "press", "--description", "All newspapers", "--json").document
    assert changed["description"] == "All newspapers"
    assert "All newspapers" in credence.done("corpora").out
    credence.done("corpora", "delete", "press", "--yes")
    assert [row["name"] for row in credence.done("corpora", "--json").documents] == ["default"]
