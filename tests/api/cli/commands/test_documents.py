"""`credence documents` and `credence search`."""

from pathlib import Path

from tests.api.cli.conftest import Credence
from tests.registry.world import honest, question


def test_a_former_revision_is_shown(credence: Credence, tmp_path: Path) -> None:
    credence.done("sources", "add", "herald")
    letter = tmp_path / "letter.txt"
    for text in ("In Oslo.", "In Bergen."):
        letter.write_text(text, encoding="utf-8")
        credence.done("ingest", "herald", str(letter))
    [document] = credence.done("documents", "list", "herald", "--json").documents
    show = ("documents", "show", "herald", document["id"])
    assert (document["revision"], credence.done(*show, "--json").document["content"]) == (2, "In Bergen.")
    shown = credence.done(*show, "--revision", "1").out
    assert "revision 1" in shown
    assert "In Oslo." in shown
    assert "revision 2 now" in credence.refused(*show, "--revision", "3")


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
    assert "Usage" in credence.refused("search", "x", "--limit", "0", status=2)
