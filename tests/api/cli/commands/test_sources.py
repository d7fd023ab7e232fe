"""`credence sources`: the whole life of a source."""

import re
from pathlib import Path

from tests.api.cli.conftest import Credence
from tests.registry.world import honest, liar

ESTIMATED = {"one": honest(), "the-evening-post.example": honest(), "three": liar("Aldra", "Brin", "Esk")}


def test_names_numbers_and_bars_fit_into_80_columns(credence: Credence) -> None:
    credence.estimated(ESTIMATED)
    credence.columns = 80
    lines = credence.done("sources").out.splitlines()
    assert "id" not in lines[0].split()
    for name in ESTIMATED:
        (line,) = [line for line in lines if line.startswith(name.title())]
        assert "█" in line
        assert len(line) <= 80
    assert re.search(
        r"90 % interval: .*\nSystematic band, which allows for errors that sources share: 0\.\d\d to \d\.\d\d\.\n",
        credence.done("sources", "show", "three").out,
    )
    credence.columns = 120
    wide = credence.done("sources", "--wide").out
    assert "the-evening-post.example" in wide
    assert len(re.findall(r"\d\.\d\d-\d\.\d\d  \d\.\d\d-\d\.\d\d", wide)) == 3


def test_an_empty_list_says_what_to_do(credence: Credence) -> None:
    assert "credence sources add" in credence.done("sources").out
    assert credence.done("sources", "list", "--json").out == ""


def test_a_deletion_asks_first(credence: Credence) -> None:
    credence.done("sources", "add", "acme")
    assert credence("sources", "delete", "acme", stdin="n\n").status == 1
    assert len(credence.done("sources", "--json").documents) == 1
    credence.done("sources", "delete", "acme", "--yes")
    assert credence.done("sources", "--json").out == ""


def test_options_before_the_subcommand_hold_for_it(credence: Credence) -> None:
    credence.done("corpora", "add", "other")
    credence.done("sources", "--corpus", "other", "add", "acme")
    assert credence.done("sources", "--json").out == ""
    [row] = credence.done("sources", "--corpus", "other", "--json", "list").documents
    assert row["external_id"] == "acme"


def test_text_from_outside_cannot_steer_the_terminal(credence: Credence) -> None:
    credence.done("sources", "add", "acme", "--description", "evil\x1b[2J\x07\u202eeman")
    shown = credence.done("sources", "show", "acme").out
    assert "evil" in shown
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)


def test_ratings_are_imported_from_csv_and_ndjson_and_bad_lines_are_named(credence: Credence, tmp_path: Path) -> None:
    for name in ("acme", "17", "herald"):
        credence.done("sources", "add", name)
    table = tmp_path / "list.csv"
    table.write_text(
        "\ufeffexternal_id,rating,strength,origin\n"
        'acme,0.4,,"Media list, 2026"\n'
        "17,0.9,25,Media list\n"
        "nobody,0.9,25,Media list\n"
        "herald,high,25,Media list\n"
        "herald,1.5,25,Media list\n"
        "herald,0.5,25,Media list,surplus\n",
        encoding="utf-8",
    )
    rows = tmp_path / "list.ndjson"
    rows.write_text('{"external_id": "herald", "rating": 0.7, "origin": "Other list"}\n', encoding="utf-8")
    result = credence("sources", "import-ratings", str(table), str(rows))
    assert result.status == 1
    assert "3 created, 0 updated, 0 unchanged, 4 rejected." in result.out
    assert all(f"list.csv:{line}" in result.err for line in (4, 5, 6, 7))
    ratings = {row["external_id"]: row["reliability"]["rating"] for row in credence.done("sources", "--json").documents}
    assert (ratings["acme"]["rating"], ratings["acme"]["strength"]) == (0.4, 10)
    assert (ratings["17"]["rating"], ratings["17"]["strength"]) == (0.9, 25)
    assert (ratings["herald"]["rating"], ratings["herald"]["origin"]) == (0.7, "Other list")


def test_a_table_that_is_no_csv_is_refused(credence: Credence, tmp_path: Path) -> None:
    table = tmp_path / "list.csv"
    table.write_bytes(b'external_id,rating\n"acme,0.4\n')
    result = credence("sources", "import-ratings", str(table))
    assert result.status == 1
    assert "Not read" in result.err


def test_lines_of_csv_keep_their_numbers(credence: Credence, tmp_path: Path) -> None:
    credence.done("sources", "add", "acme")
    table = tmp_path / "list.csv"
    table.write_text('external_id,rating,origin\n\nacme,0.4,"Media\nlist"\n\nnobody,0.4,List\n', encoding="utf-8")
    result = credence("sources", "import-ratings", str(table))
    assert "1 created, 0 updated, 0 unchanged, 1 rejected." in result.out
    assert "list.csv:6" in result.err
