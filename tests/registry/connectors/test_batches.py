"""What a small file unpacks to is held in parts, each of a named number of bytes."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from registry.connectors.connector import DocumentOrProblem, Location, Seen, Tools
from registry.connectors.fetching import Fetcher, Limits
from registry.connectors.kinds import kind_named
from registry.connectors.reading import BATCH_BYTES, taken
from registry.connectors.result_schemas import ConnectorProblem
from registry.documents.schemas import MAX_DOCUMENT_CHARACTERS
from registry.platform.errors import FetchFailed
from registry.platform.settings import Settings
from tests.fakes.hostile_files.draws import MIB
from tests.fakes.hostile_files.web import warc
from tests.tables import for_each

# Of four bytes a character in memory.
LONGEST = "\U0001f600" + "x" * (MAX_DOCUMENT_CHARACTERS - 1)
LONG = LONGEST + "x" * (5 * MIB)


def row(content: str, **others: object) -> str:
    return json.dumps({"source": "s", "external_id": "a", "content": content, **others}, ensure_ascii=False)


async def first(path: Path, settings: Settings) -> tuple[list[DocumentOrProblem], int, bool]:
    """The first batch of a file."""
    kind: Any = kind_named("archive" if ".warc" in path.name else "table")
    connector = kind.make(kind.config(path=str(path)), Tools(settings, Fetcher(Limits())))
    content = await connector.read(Location(str(path)), Seen())
    return taken(content.documents())


@for_each("name", ["a.jsonl.gz", "a.csv.gz", "a.warc.gz"])
async def test_a_batch_ends_where_it_has_its_bytes(tmp_path: Path, settings: Settings, name: str) -> None:
    if name == "a.warc.gz":
        pytest.importorskip("warcio", reason="WARC files need the extra `warc`")
        part = warc(LONGEST.encode(), "Content-Type: text/plain")
    else:
        part = f"s,{LONGEST}\n".encode() if name == "a.csv.gz" else f"{row(LONGEST)}\n".encode()
    header = gzip.compress(b"source,content\n") if name == "a.csv.gz" else b""
    (tmp_path / name).write_bytes(header + 8 * gzip.compress(part, 1))
    documents, held, more = await first(tmp_path / name, settings)
    assert (len(documents), more) == (1, True)
    assert BATCH_BYTES < held < 3 * BATCH_BYTES


async def test_what_is_too_long_is_not_held_until_it_is_written(tmp_path: Path, settings: Settings) -> None:
    lines = [row(LONG), row("x" * (12 * MIB)), row("x", other="y" * MIB), row("The tower is red.")]
    (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    documents, held, more = await first(tmp_path / "a.jsonl", settings)
    assert not more
    assert held < 10_000
    assert [item.error if isinstance(item, ConnectorProblem) else item.content for item in documents] == [
        "The document is longer than 4000000 characters; split it.",
        "It is not read: the row is longer than 10,485,760 bytes (CREDENCE_CONNECTOR_MAX_BYTES).",
        "attributes: is longer than 65536 characters of JSON",
        "The tower is red.",
    ]


@for_each("text", ["s," + "x" * 2_000, 's,"' + "x\n" * 1_000 + '"', ",".join("s" * 1_000), "s," + '"x\n",' * 400])
async def test_a_row_of_csv_is_bounded_on_one_line_and_on_many(tmp_path: Path, settings: Settings, text: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"source,content\ns,The tower is red.\n{text}\n")
    bounded = settings.model_copy(update={"connector_max_bytes": 1_024})
    kind: Any = kind_named("table")
    connector = kind.make(kind.config(path=str(path)), Tools(bounded, Fetcher(Limits())))
    documents = (await connector.read(Location("a"), Seen())).documents()
    assert next(documents).content == "The tower is red."
    with pytest.raises(FetchFailed, match="the row is longer than 1,024 bytes"):
        list(documents)


async def test_a_text_that_many_rows_of_parquet_share_is_made_for_one_at_a_time(
    tmp_path: Path, settings: Settings
) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    shared = arrow.DictionaryArray.from_arrays(arrow.array([0] * 256), [LONGEST])
    rows = arrow.table({"source": ["s"] * 256, "content": shared})
    parquet.write_table(rows, tmp_path / "a.parquet", dictionary_pagesize_limit=2**30)
    del shared, rows
    before = arrow.default_memory_pool().max_memory()
    documents, held, more = await first(tmp_path / "a.parquet", settings)
    assert (len(documents), more) == (1, True)
    assert held < 3 * BATCH_BYTES
    assert arrow.default_memory_pool().max_memory() - before < 32 * MIB
