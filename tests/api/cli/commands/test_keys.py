"""`credence keys` and `credence people`."""

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
        *("keys", "create", "app", "-s", "ask", "--daily-calls", "500", "--daily-tokens", "9000"),
        *("--max-documents", "70", "--from", "10.1.0.0/16", "--from", "::1", "--json"),
    )
    assert (output.document["daily_model_calls"], output.document["daily_tokens"]) == (500, 9000)
    [row] = credence.done("keys", "--json").documents
    assert row["spent_today"] == {"model_calls": 0, "tokens": 0, "questions": 0}
    assert row["allowed_addresses"] == ["10.1.0.0/16", "::1/128"]
    listed = credence.done("keys").out
    assert "0 of 500 calls" in listed
    assert "0 of 70 documents" in listed
    changed = credence.done("keys", "update", row["prefix"], "--daily-calls", "900", "--days", "9", "--json").document
    assert (changed["daily_model_calls"], changed["daily_tokens"], changed["max_documents"]) == (900, 9000, 70)
    assert (changed["expires_at"] is None, changed["allowed_addresses"]) == (False, row["allowed_addresses"])
    changed = credence.done("keys", "update", row["prefix"], "--max-documents", "8", "--unlimited", "--json").document
    assert (changed["daily_model_calls"], changed["daily_tokens"], changed["max_documents"]) == (None, None, 8)


def test_a_rotated_key_is_printed_once(credence: Credence) -> None:
    former = credence.done("keys", "create", "app", "-s", "ask").out.strip()
    rotated = credence.done("keys", "rotate", former[:10], "--overlap-hours", "0.5").out.strip()
    assert rotated != former
    [row] = credence.done("keys", "--json").documents
    assert rotated.startswith(row["prefix"])
    assert row["previous_secret_ends_at"] is not None


def test_operators_keys_are_apart(credence: Credence) -> None:
    output = credence.done("keys", "create", "ops", "-s", "admin", "--operator", "--json").document
    assert output["corpus_id"] is None
    assert output["secret"].startswith(output["prefix"])
    assert credence.done("keys", "--json").out == ""
    assert [row["name"] for row in credence.done("keys", "--operator", "--json").documents] == ["ops"]
    assert "There is no API key" in credence.refused("keys", "revoke", output["id"])
    credence.done("keys", "revoke", output["id"], "--operator")


def test_the_first_owner_is_named_on_the_machine_of_the_service(credence: Credence) -> None:
    assert "credence people add" in credence.done("people").out
    credence.done("people", "add", "Ada@example.org", "--role", "owner")
    credence.done("people", "add", "grace@example.org", "--role", "editor", "--corpus", "default")
    shown = credence.done("people").out
    assert all(part in shown for part in ("ada@example.org", "owner", "all", "grace@example.org", "expected"))
    credence.done("people", "update", "grace@example.org", "--role", "reader")
    ada, grace = credence.done("people", "--json").documents
    assert (ada["role"], ada["corpus_id"], grace["role"]) == ("owner", None, "reader")
    assert grace["corpus_id"] is not None
    credence.done("people", "remove", "grace@example.org")
    assert len(credence.done("people", "--json").documents) == 1
