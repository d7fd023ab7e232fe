"""`credence corpora`."""

from tests.api.cli.conftest import Credence


def test_a_corpus_is_added_changed_and_deleted(credence: Credence) -> None:
    credence.done("corpora", "add", "press", "--description", "Newspapers", "--text-search", "norwegian")
    assert credence.done("corpora", "show", "press", "--json").document["text_search"] == "norwegian"
    changed = credence.done("corpora", "update", "press", "--description", "All newspapers", "--json").document
    assert changed["description"] == "All newspapers"
    assert "All newspapers" in credence.done("corpora").out
    credence.done("corpora", "delete", "press", "--yes")
    assert [row["name"] for row in credence.done("corpora", "--json").documents] == ["default"]
