"""`credence people`."""

from tests.api.cli.conftest import Credence


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
