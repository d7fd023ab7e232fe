"""`credence ingest`, files of every kind into a source, and `credence connectors`."""

import csv
import gzip
import json
from pathlib import Path

import pytest

from registry.documents.schemas import MAX_DOCUMENT_CHARACTERS
from tests.api.cli.conftest import Credence
from tests.registry.connectors.kinds.test_folder import pdf
from tests.registry.mills import built, mill_reader


@pytest.fixture
def source(credence: Credence) -> Credence:
    """The command, with a source named acme."""
    credence.done("sources", "add", "acme")
    return credence


def ndjson(*external_ids: str) -> bytes:
    rows = ({"external_id": item, "content": f"The tower of {item} is painted red."} for item in external_ids)
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def test_what_others_published_against_new_documents_is_told(credence: Credence, tmp_path: Path) -> None:
    """By the judge that ships."""
    credence.reader = mill_reader()
    file = tmp_path / "mills.jsonl"
    rows = [{"source": name, "external_id": "a", "content": built("Aldra")} for name in ("Herald", "Post")]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "Contradicts" not in credence.done("ingest", "-m", str(file), "--contradictions", "50").err
    file.write_text(json.dumps({"source": "Echo", "external_id": "late", "content": built("Aldra", 1912)}))
    told = credence.done("ingest", "-m", str(file), "--contradictions", "50").err
    assert told.count(f"“{built('Aldra', 1912)}” against “{built('Aldra')}”") == 2


def test_lines_and_rows_name_their_sources(source: Credence, tmp_path: Path) -> None:
    rows = [{"source": name, "external_id": "a", "content": f"By {name}."} for name in ("acme", "New Site")]
    (tmp_path / "all.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "more.csv").write_text("source,external_id,content\nThird,a,By a third.\nacme,b,More.\n")
    files = [str(tmp_path / "all.jsonl"), str(tmp_path / "more.csv")]
    assert source.done("ingest", "--many-sources", *files).out.startswith("4 created")
    assert source.done("ingest", *files, "-m").out.startswith("0 created, 0 updated, 4 unchanged")
    listed = source.done("sources", "--json").documents
    assert sorted(row["name"] for row in listed) == ["New Site", "Third", "acme"]
    assert "--many-sources" in source.refused("ingest", str(tmp_path / "all.jsonl"))


def test_a_text_file_is_one_document(source: Credence, tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("\ufeffPlain text, ünïcode.", encoding="utf-8")
    (tmp_path / "two.md").write_text("# Title\n\nSome *marked* text.", encoding="utf-8")
    (tmp_path / "three.html").write_text(
        "<html><body><article><p>Much is <b>written</b> here.</p></article></body></html>"
    )
    names = [str(tmp_path / name) for name in ("one.txt", "two.md", "three.html")]
    rows = source.done("ingest", "acme", *names, "--json").documents
    assert [(row["file"], row["line"], row["status"]) for row in rows] == [(name, 1, "created") for name in names]
    assert [row["external_id"] for row in rows] == names


def test_a_pdf_is_one_document(source: Credence, tmp_path: Path) -> None:
    good, empty, broken = (tmp_path / f"{name}.pdf" for name in ("tower", "scan", "broken"))
    good.write_bytes(pdf("The tower is tall."))
    empty.write_bytes(pdf(""))
    broken.write_bytes(b"%PDF-1.4 broken")
    result = source("ingest", "acme", str(good), str(empty), str(broken))
    assert (result.status, result.out) == (1, "1 created, 0 updated, 0 unchanged, 0 rejected.\n")
    assert f"{empty}: there is no text in it" in result.err
    assert f"{broken}: The PDF cannot be read" in result.err
    [document] = source.done("documents", "list", "acme", "--json").documents
    assert (document["external_id"], document["title"], document["media_type"]) == (str(good), "tower", "text/plain")
    assert "The tower is tall." in source.done("documents", "show", "acme", str(good)).out
    without_suffix = tmp_path / "tower"
    without_suffix.write_bytes(good.read_bytes())
    assert "use --format" in source.refused("ingest", "acme", str(without_suffix))
    assert source.done("ingest", "acme", "--format", "pdf", str(without_suffix)).out.startswith("1 created")


def test_every_rejected_line_is_named_with_its_file_and_reason(source: Credence, tmp_path: Path) -> None:
    (tmp_path / "good.ndjson").write_bytes(ndjson("a"))
    (tmp_path / "bad.ndjson").write_bytes(ndjson("b") + b"{broken\n" + b'{"external_id": "c"}\n' + ndjson("d"))
    result = source("ingest", "acme", str(tmp_path / "good.ndjson"), str(tmp_path / "bad.ndjson"))
    assert result.status == 1
    assert result.out == "3 created, 0 updated, 0 unchanged, 2 rejected.\n"
    assert f"{tmp_path}/bad.ndjson:2" in result.err
    assert f"{tmp_path}/bad.ndjson:3" in result.err
    assert "content: Field required" in result.err
    rows = source("ingest", "acme", str(tmp_path / "bad.ndjson"), "--json").documents
    assert [(row["line"], row["status"]) for row in rows if row["status"] == "rejected"] == [
        (2, "rejected"),
        (3, "rejected"),
    ]


def test_of_a_file_cut_in_the_middle_the_whole_lines_are_taken(source: Credence, tmp_path: Path) -> None:
    packed = gzip.compress(b"".join(ndjson(f"document-{number}") for number in range(1000)))
    (tmp_path / "cut.ndjson.gz").write_bytes(packed[: len(packed) // 2])
    (tmp_path / "after.ndjson").write_bytes(ndjson("after"))
    result = source("ingest", "acme", str(tmp_path / "cut.ndjson.gz"), str(tmp_path / "after.ndjson"), "--json")
    assert result.status == 1
    assert "cut off or damaged" in result.err
    created = [row["external_id"] for row in result.documents if row["status"] == "created"]
    assert 100 < len(created) < 1000
    assert created[-1] == "after"


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("missing.txt", None, "No such file"),
        ("picture.png", b"\x89PNG", "use --format"),
        ("empty.txt", b"", "no text in it"),
        ("nul.txt", b"a\x00b", "binary"),
    ],
)
def test_a_file_that_is_no_document_is_refused(
    source: Credence, tmp_path: Path, name: str, content: bytes | None, why: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert why in source.refused("ingest", "acme", str(tmp_path / name))


def test_a_folder_and_an_unknown_source_are_refused(source: Credence, tmp_path: Path) -> None:
    (tmp_path / "folder.txt").mkdir()
    assert "cannot be read" in source.refused("ingest", "acme", str(tmp_path / "folder.txt"))
    assert "There is no source 'nobody'" in source.refused("ingest", "nobody", "-", stdin=ndjson("a"))


def test_a_document_too_long_is_refused(source: Credence, tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("x" * (MAX_DOCUMENT_CHARACTERS + 1))
    assert "more than 4,000,000 characters" in source.refused("ingest", "acme", str(tmp_path / "long.txt"))


TABLE = "source,country,capital,area_km2\natlas,Kenya,Nairobi,580367\nalmanac,Kenya,Mombasa,\nalmanac,,Lomé,56785\n"


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_rows_state_values(credence: Credence, tmp_path: Path, suffix: str) -> None:
    rows = list(csv.DictReader(TABLE.splitlines()))
    file = tmp_path / f"facts.{suffix}"
    if suffix == "parquet":
        arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        parquet.write_table(arrow.Table.from_pylist(rows), file)
    else:
        file.write_text(TABLE if suffix == "csv" else "".join(json.dumps(row) + "\n" for row in rows))
    option = ("--stated-values", "subject=country, capital, area=area_km2")
    result = credence("ingest", "-m", str(file), *option)
    assert (result.status, result.out) == (1, "2 created, 0 updated, 0 unchanged, 1 rejected.\n")
    assert f"facts.{suffix}:{4 if suffix == 'csv' else 3}: " in "".join(result.err.split("\n"))
    assert "no subject: the column 'country' is empty or missing" in result.err
    assert credence("ingest", "-m", str(file), *option).out.startswith("0 created, 0 updated, 2 unchanged")
    (query,) = credence.done("queries", "--json").documents
    assert (query["text"], query["relation"]) == ("What is the capital of Kenya?", "capital")


def test_columns_that_are_not_there_are_named(source: Credence, tmp_path: Path) -> None:
    file = tmp_path / "facts.csv"
    file.write_text(TABLE)
    wrong = source("ingest", "-m", str(file), "--stated-values", "subject=country, capital=captial")
    assert (wrong.status, wrong.out) == (1, "0 created, 0 updated, 0 unchanged, 0 rejected.\n")
    assert "there is no column 'captial'; the columns are 'source', 'country', 'capital', 'area_km2'" in wrong.err
    assert "no column of the subject" in source.refused("ingest", "acme", str(file), "--stated-values", "capital")
    columns = "source=source, subject=country, capital"
    assert "--many-sources" in source.refused("ingest", "acme", str(file), "--stated-values", columns)
    assert "name it" in source.refused("ingest", "acme", "-", "--format", "parquet", stdin=b"PAR1")


def test_a_folder_is_followed(credence: Credence, tmp_path: Path) -> None:
    folder = tmp_path / "press"
    folder.mkdir()
    (folder / "red.txt").write_text("The tower is red.")
    added = credence.done(
        "connectors", "add", "press", "folder", str(folder), "--set", "source=Herald", "--cron", "0 3 * * *",
        "--contradictions", "40", "--json",
    )  # fmt: skip
    assert added.document["contradictions"] == 40
    assert added.document["config"] == {"path": str(folder), "source": "Herald"}
    changed = credence.done("connectors", "update", "press", "--contradictions", "0", "--json")
    assert changed.document["contradictions"] == 0
    assert "never ran" in credence.done("connectors").out
    assert "1 created, 0 updated" in credence.done("connectors", "run", "press").out
    (folder / "bad.txt").write_bytes(b"\x00")
    assert "Not read  bad.txt: The content is binary" in credence.refused("connectors", "run", "press")
    assert credence.done("connectors", "list", "--json").document["report"]["not_modified"] == 1
    credence.done("connectors", "remove", "press")
    assert "There are no connectors" in credence.done("connectors").out
    assert "There is no connector 'press' here." in credence.refused("connectors", "run", "press")
    assert "path: Field required" in credence.refused("connectors", "add", "x", "folder")
    credence.done("connectors", "add", "away", "folder", str(tmp_path / "away"))
    assert "cannot be read" in credence.refused("connectors", "run", "away")


def test_a_relative_path_is_that_of_the_folder_where_it_was_typed(
    credence: Credence, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "press").mkdir()
    (tmp_path / "press" / "red.txt").write_text("The tower is red.")
    monkeypatch.chdir(tmp_path)
    added = credence.done("connectors", "add", "press", "folder", "press", "--set", "source=Herald", "--json")
    assert added.document["config"]["path"] == str(tmp_path / "press")
    by_field = credence.done("connectors", "add", "table", "table", "--set", "path=./rows.csv", "--json")
    assert by_field.document["config"]["path"] == str(tmp_path / "rows.csv")
    monkeypatch.chdir("/")
    assert "1 created" in credence.done("connectors", "run", "press").out
