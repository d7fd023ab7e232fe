"""`credence keys`."""

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
