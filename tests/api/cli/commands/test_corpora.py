"""`credence corpora`."""

from tests.api.cli.conftest import Credence
from tests.tables import for_each


def test_a_corpus_is_added_changed_and_deleted(credence: Credence) -> None:
    credence.done("corpora", "add", "press", "--description", "Newspapers", "--text-search", "norwegian")
    assert credence.done("corpora", "show", "press", "--json").document["text_search"] == "norwegian"
    changed = credence.done("corpora", "update", "press", "--description", "All newspapers", "--json").document
    assert changed["description"] == "All newspapers"
    assert "All newspapers" in credence.done("corpora").out
    credence.done("corpora", "delete", "press", "--yes")
    assert [row["name"] for row in credence.done("corpora", "--json").documents] == ["default"]


@for_each(
    ("args", "why"),
    [
        (("corpora", "add", "Capital"), "name: String should match pattern"),
        (("corpora", "add", "default"), "already is a corpus named 'default'"),
        (("corpora", "add", "x", "--text-search", "klingon"), "text_search"),
        (("corpora", "delete", "default", "--yes"), "The default corpus always exists"),
        (("corpora", "show", "nowhere"), "There is no corpus 'nowhere'"),
    ],
)
def test_an_error_is_one_line(credence: Credence, args: tuple[str, ...], why: str) -> None:
    result = credence.refused(*args)
    assert why in result
    assert result.count("\n") == 1
