"""`credence webhooks`."""

from tests.api.cli.conftest import Credence

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
