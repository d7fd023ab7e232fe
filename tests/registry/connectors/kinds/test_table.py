"""Tables: a document a row."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from registry.corpora.model import Corpus
from registry.runtime import Runtime
from tests.registry.connectors.keeping import counts, make, run, stored
from tests.registry.stating import asked, stated

ROWS = [
    {"site": "Herald", "id": "a", "text": "The tower is red.", "date": "2026-11-02", "section": "news"},
    {"site": "Gazette", "id": "a", "text": "The tower is blue."},
    {"site": "Gazette", "id": "b", "text": ""},
]
COLUMNS = {"source": "site", "external_id": "id", "content": "text", "published_at": "date"}


def write(path: Path, rows: list[dict[str, str]]) -> None:
    if path.suffix == ".csv":
        lines = ["site,id,text,date,section", *(",".join(row.get(c, "") for c in ROWS[0]) for row in rows)]
        path.write_text("\n".join(lines))
        return
    text = "\n".join([*(json.dumps(row) for row in rows), "no JSON", "[]"])
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


@pytest.mark.parametrize("name", ["all.jsonl", "all.ndjson.gz", "all.csv"])
async def test_rows_become_documents(runtime: Runtime, corpus: Corpus, tmp_path: Path, name: str) -> None:
    write(tmp_path / name, ROWS)
    connector = await make(runtime, corpus, "table", path=str(tmp_path / name), columns=COLUMNS)
    report = await run(runtime, connector)
    assert counts(report) == (2, 0, 0, 1 if name == "all.csv" else 3, 0)
    assert report.problems[0].error == "content: Field required"
    assert report.problems[0].location == f"{name}:3"
    documents = await stored(runtime)
    herald = documents["Herald", "a"]
    assert (herald.content, herald.attributes) == ("The tower is red.", {"section": "news"})
    assert herald.published_at is not None
    assert (await run(runtime, connector)).not_modified == 1
    write(tmp_path / name, ROWS[1:2])
    assert counts(await run(runtime, connector))[2:] == (1, 0 if name == "all.csv" else 2, 0)
    assert len(await stored(runtime)) == 2


async def test_rows_that_are_gone_are_deleted_only_if_asked_for(
    runtime: Runtime, corpus: Corpus, tmp_path: Path
) -> None:
    path = tmp_path / "all.csv"
    write(path, ROWS[:2])
    connector = await make(runtime, corpus, "table", path=str(path), columns=COLUMNS, sync=True)
    await run(runtime, connector)
    write(path, ROWS)
    assert counts(await run(runtime, connector)) == (0, 0, 2, 1, 0)
    write(path, ROWS[1:2])
    assert counts(await run(runtime, connector)) == (0, 0, 1, 0, 1)
    assert (await stored(runtime)).keys() == {("Gazette", "a")}
    write(path, [])
    assert counts(await run(runtime, connector)) == (0, 0, 0, 0, 0)


async def test_parquet(runtime: Runtime, corpus: Corpus, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="Parquet needs the extra `parquet`")
    from pyarrow import parquet  # noqa: PLC0415

    path = tmp_path / "all.parquet"
    parquet.write_table(pyarrow.Table.from_pylist(ROWS[:2]), path)
    connector = await make(runtime, corpus, "table", path=str(path), columns=COLUMNS)
    assert counts(await run(runtime, connector)) == (2, 0, 0, 0, 0)


FACTS: list[dict[str, Any]] = [
    {"site": "Atlas", "country": "Kenya", "capital": "Nairobi", "area": 580_367.0, "note": "east"},
    {"site": "Almanac", "country": "KENYA", "capital": "Mombasa", "area": None, "note": None},
    {"site": "Almanac", "country": None, "capital": "Lomé", "area": 56_785.0, "note": None},
]
STATED = {"subject": "country", "capital": "capital", "area": "area"}


def write_facts(path: Path) -> None:
    if path.suffix == ".parquet":
        arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        parquet.write_table(arrow.Table.from_pylist(FACTS), path)
    elif path.suffix == ".csv":
        rows = [",".join(str(cell or "") for cell in row.values()) for row in FACTS]
        path.write_text("\n".join([",".join(FACTS[0]), *rows]))
    else:
        path.write_text("\n".join(map(json.dumps, FACTS)))


@pytest.mark.parametrize("name", ["facts.csv", "facts.jsonl", "facts.parquet"])
async def test_rows_state_values(runtime: Runtime, corpus: Corpus, tmp_path: Path, name: str) -> None:
    write_facts(tmp_path / name)
    config = {"path": str(tmp_path / name), "columns": {"source": "site"}, "stated_values": STATED}
    connector = await make(runtime, corpus, "table", **config)
    report = await run(runtime, connector)
    assert counts(report) == (2, 0, 0, 1, 0)
    assert (report.problems[0].location, report.problems[0].error) == (
        f"{name}:3",
        "no subject: the column 'country' is empty or missing",
    )
    kenya = (await stored(runtime))["Atlas", "Kenya"]
    area = "580367.0" if name == "facts.csv" else "580367"
    assert set(kenya.content.splitlines()) == {"Kenya; capital: Nairobi", f"Kenya; area: {area}"}
    assert (kenya.title, kenya.attributes) == ("Kenya", {"note": "east"})
    values = await stated(runtime)
    assert {value for _, relation, value in values if relation == "capital"} == {"Nairobi", "Mombasa"}
    assert await asked(runtime) == {"stated:capital:kenya": "What is the capital of Kenya?"}


@pytest.mark.parametrize("name", ["facts.csv", "facts.parquet"])
async def test_a_table_without_the_columns_is_not_read(
    runtime: Runtime, corpus: Corpus, tmp_path: Path, name: str
) -> None:
    write_facts(tmp_path / name)
    columns = {"source": "site", "subject": "country", "capital": "captial"}
    connector = await make(runtime, corpus, "table", path=str(tmp_path / name), stated_values=columns)
    report = await run(runtime, connector)
    assert counts(report) == (0, 0, 0, 0, 0)
    assert "there is no column 'captial'; the columns are 'site', 'country', 'capital'" in report.problems[0].error
    with pytest.raises(ValueError, match="no column of the subject"):
        await make(runtime, corpus, "table", path="facts.csv", stated_values={"capital": "capital"})
