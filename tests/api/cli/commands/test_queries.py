"""`credence queries`: one by one and in bulk."""

from pathlib import Path

from tests.api.cli.conftest import Credence
from tests.registry.mills import NAMES, asked, built, mill_reader
from tests.registry.world import TOWERS, honest, question


def test_a_query_is_added_replaced_deactivated_and_deleted(credence: Credence) -> None:
    output = credence.done(
        "queries", "add", "Which city?", "--id", "q1", "--gold", "Oslo", "--gold", "Kristiania", "--json"
    )
    assert output.document["gold_answers"] == ["Oslo", "Kristiania"]
    assert "Replaced q1" in credence.done("queries", "add", "Which town?", "--id", "q1").out
    assert credence.done("queries", "update", "q1", "--no-active", "--json").document["active"] is False
    assert "inactive" in credence.done("queries").out
    assert credence.done("queries", "update", output.document["id"], "--active", "--json").document["active"] is True
    credence.done("queries", "delete", "q1", "--yes")
    assert credence.done("queries", "--json").out == ""


def test_queries_come_in_bulk_and_bad_lines_are_named(credence: Credence) -> None:
    lines = b'{"external_id": "a", "text": "Which?"}\n{"text": 1}\n\n{"external_id": "b", "text": "What?"}\n'
    result = credence("queries", "import", "-", stdin=lines)
    assert result.status == 1
    assert result.out == "2 created, 0 updated, 0 unchanged, 1 rejected.\n"
    assert "-:2" in result.err
    assert [row["external_id"] for row in credence.done("queries", "--json").documents] == ["a", "b"]
    assert [row["external_id"] for row in credence.done("queries", "--json", "--limit", "1").documents] == ["b"]


def test_queries_come_as_plain_lines_and_as_csv(credence: Credence, tmp_path: Path) -> None:
    plain, rows, other = tmp_path / "asked.txt", tmp_path / "asked.csv", tmp_path / "asked.list"
    plain.write_text("\ufeffWhich city?\n\nWhich town?\n", encoding="utf-8")
    rows.write_text('text,gold_answers,topic\n"Which\ncity?",Oslo | Kristiania,places\n,,\n"Who?",,\n')
    assert credence.done("queries", "import", str(plain)).out.startswith("2 created, 0 updated")
    assert credence.done("queries", "import", str(rows)).out.startswith("1 created, 1 updated")
    [city, *_] = credence.done("queries", "--json").documents
    assert (city["gold_answers"], city["topic"]) == (["Oslo", "Kristiania"], "places")
    other.write_text("Which river?\n")
    assert "asked.list:1" in credence("queries", "import", str(other)).err
    assert credence.done("queries", "import", "--format", "lines", str(other)).out.startswith("1 created")
    assert credence.done("queries", "import", "--format", "lines", "-", stdin="Which sea?\n").out.startswith(
        "1 created"
    )


def ingest_mill(credence: Credence, folder: Path, name: str) -> None:
    """A source with one document."""
    (folder / f"{name}.txt").write_text(f"{built('Aldra')} By {name}.")
    credence.done("sources", "add", name)
    credence.done("ingest", name, str(folder / f"{name}.txt"))


def test_a_question_that_was_asked_first_does_not_keep_queries_from_being_written(
    credence: Credence, tmp_path: Path
) -> None:
    credence.reader = mill_reader()
    ingest_mill(credence, tmp_path, NAMES[0])
    told = credence.done("ask", asked("Aldra")).err
    assert "all sources count alike: Queries are written from facts that at least 3 sources state" in told
    for name in NAMES[1:]:
        ingest_mill(credence, tmp_path, name)
    first = credence.done("ask", asked("Aldra"))
    assert "1874" in first.out
    assert "writing some from the documents" in first.err
    assert "Added 1 query from 3 documents" in first.err
    (run,) = credence.done("estimations", "--json").documents
    assert (run["status"], run["progress"]["queries_total"]) == ("succeeded", 1)
    assert credence.done("ask", asked("Aldra")).err == ""


def test_an_answer_is_followed_up_and_shared(credence: Credence) -> None:
    credence.estimated({"one": honest(), "two": honest()})
    first = credence.done("ask", question(TOWERS[0]), "--json").document
    followed = credence.done("ask", f"And {TOWERS[1]}?", "--follows", first["id"])
    assert f"Understood as: {question(TOWERS[1])}" in followed.out
    share = credence.done("answers", "share", first["id"], "--days", "7", "--json").document
    assert share["path"].startswith("/shared/")
    assert share["id"] in credence.done("answers", "shares").out
    credence.done("answers", "revoke", share["id"])
    assert "No answer is shared" in credence.done("answers", "shares").out
