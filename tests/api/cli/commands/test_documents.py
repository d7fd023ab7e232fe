"""`credence documents` and `credence search`."""

from tests.api.cli.conftest import Credence
from tests.registry.world import TRUTH, honest, question


def test_documents_are_listed_shown_and_deleted(credence: Credence) -> None:
    credence.build({"herald": honest()})
    listed = credence.done("documents", "list", "herald", "--json", "--limit", "0").documents
    assert {document["external_id"] for document in listed} == TRUTH.keys()
    assert len(credence.done("documents", "list", "Herald", "--json", "--limit", "2").documents) == 2
    assert "Aldra" in credence.done("documents", "list", "herald").out
    shown = credence.done("documents", "show", "herald", "Aldra", "--json").document
    assert shown["content"] == "By herald. The tower of Aldra is painted red."
    assert shown["content"] in credence.done("documents", "show", "herald", shown["id"]).out
    assert "Deleted Aldra" in credence.done("documents", "delete", "herald", "Aldra", "--yes").err
    assert "There is no document 'Aldra'" in credence.refused("documents", "show", "herald", "Aldra")
    assert "There is no source 'times'" in credence.refused("documents", "list", "times")


def test_a_source_without_documents_says_what_to_do(credence: Credence) -> None:
    credence.done("sources", "add", "mute")
    assert "credence ingest" in credence.done("documents", "list", "mute").out


def test_passages_are_searched_without_a_reader(credence: Credence) -> None:
    credence.build({"herald": honest(), "mirror": honest()})
    credence.reader = None
    [first, *_] = credence.done("search", question("Aldra"), "--json", "--limit", "3").documents
    assert first["content"].endswith("The tower of Aldra is painted red.")
    of_mirror = credence.done("search", question("Aldra"), "--source", "mirror", "--json").documents
    assert {hit["source_name"] for hit in of_mirror} == {"Mirror"}
    shown = credence.done("search", question("Aldra"), "-n", "1").out
    assert "The tower of Aldra is painted red." in shown
    assert "Aldra 0-" in shown
    assert "Nothing was found" in credence.done("search", "x", "--published-from", "2031-01-01").out
    assert "query: must not be blank" in credence.refused("search", " ")
    assert "limit" in credence.refused("search", "x", "--limit", "0")
