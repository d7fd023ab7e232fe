"""`credence schedules`, `credence webhooks` and `credence watches`."""

from tests.api.cli.conftest import Credence


def test_a_schedule_is_added_disabled_enabled_and_removed(credence: Credence) -> None:
    output = credence.done(
        "schedules", "add", "nightly", "0 3 * * *", "--timezone", "Europe/Oslo", "--labels", "4", "--json"
    )
    assert output.document["parameters"]["labels"] == "4"
    assert len(output.document["next_runs"]) == 3
    assert credence.done("schedules", "update", "nightly", "--disabled", "--json").document["next_runs"] == []
    assert "disabled" in credence.done("schedules").out
    assert (
        credence.done("schedules", "update", output.document["id"], "--enabled", "--json").document["enabled"] is True
    )
    credence.done("schedules", "remove", "nightly")
    assert credence.done("schedules", "--json").out == ""


URL = "https://93.184.216.34/hook"


def test_a_webhook_is_added_tried_and_removed(credence: Credence) -> None:
    secret = credence.done("webhooks", "add", URL, "--event", "source.turned").out.strip()
    assert secret.startswith("whsec_")
    assert URL in credence.done("webhooks").out
    output = credence.done("webhooks", "--json")
    assert secret not in output.out
    [row] = output.documents
    assert (row["events"], row["enabled"]) == (["source.turned"], True)
    assert credence.done("webhooks", "test", row["id"], "--json").document["status"] == "pending"
    credence.done("webhooks", "remove", URL)
    assert credence.done("webhooks", "--json").out == ""


def test_a_feed_is_added_listed_and_removed(credence: Credence) -> None:
    assert "no feeds" in credence.done("watches").out + credence.done("watches").err
    path = credence.done("watches", "add").out.strip()
    assert path.startswith("/feeds/")
    row = credence.done("watches", "--json").document
    assert row["source_id"] is None
    assert path not in str(row)
    assert row["id"] in credence.done("watches").out
    credence.done("watches", "remove", row["id"])
    assert credence.done("watches", "--json").out == ""
