"""`credence documents`, `search`, `export`, and what explains a reliability."""

import csv
from pathlib import Path

import pytest

from tests.api.cli.conftest import Credence
from tests.registry.world import honest, liar, question


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


@pytest.fixture
def world(credence: Credence) -> Credence:
    """Two honest sources and one that lies about half the towers, estimated."""
    credence.estimated({"one": honest(), "two": honest(), "three": liar("Aldra", "Brin", "Esk")})
    return credence


def test_csv_has_a_header_and_json_in_cells(world: Credence, tmp_path: Path) -> None:
    file = tmp_path / "votes.csv"
    run = world.done("estimations", "--json").documents[0]["id"]
    world.done("export", "votes", "--format", "csv", "-o", str(file), "--estimation", run)
    with file.open(newline="", encoding="utf-8") as opened:
        rows = list(csv.DictReader(opened))
    assert len(rows) == 18
    assert rows[0]["document_ids"].startswith('["')
    assert {row["agrees"] for row in rows} == {"true", "false"}
    assert "cannot be written" in world.refused("export", "votes", "-o", str(tmp_path / "no" / "folder"))


def test_votes_in_parquet_are_estimated_as_in_the_corpus(world: Credence, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="Parquet needs the extra `parquet`")
    for table in ("sources", "reliabilities", "answers", "votes"):
        world.done("export", table, "--format", "parquet", "-o", str(tmp_path / f"{table}.parquet"))
    votes = parquet.read_table(tmp_path / "votes.parquet")
    assert votes.num_rows == 18
    assert str(votes.schema.field("published_at").type) == "timestamp[us, tz=UTC]"
    assert votes.column("document_ids").to_pylist()[0].startswith('["')
    world.done("estimate", "--method", "iwmv")
    current = {row["id"]: row["reliability"] for row in world.done("export", "sources").documents}
    file = str(tmp_path / "votes.parquet")
    (estimated,) = world.done("estimate", "--votes", file, "--method", "iwmv", "--json").documents
    assert {row["source"]: row["reliability"] for row in estimated["sources"]} == current
    assert "--output" in world.refused("export", "votes", "--format", "parquet")


def test_a_source_is_explained_by_its_votes_with_quotes(world: Credence) -> None:
    rows = world.done("sources", "explain", "Three", "--json").documents
    assert [row["agrees"] for row in rows] == [False] * 3 + [True] * 3
    assert {row["quote"] for row in rows if not row["agrees"]} == {
        f"The tower of {tower} is painted purple." for tower in ("Aldra", "Brin", "Esk")
    }
    printed = world.done("sources", "explain", "three", "--against", "--limit", "2").out
    assert printed.count("against  ") == 2
    assert "is painted purple.”" in printed
    assert "6 votes, 3 with the run's answer; 2 shown." in printed


def test_copy_groups_of_all_runs_are_counted(credence: Credence) -> None:
    assert "No estimation found" in credence.done("sources", "copies").out
