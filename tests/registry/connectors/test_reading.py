"""What a file does to the process that reads it costs the file alone."""

import gzip
import json
import random
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import Any

import pytest

from registry.connectors import reading
from registry.connectors.connector import DocumentOrProblem, Location, Seen, Tools
from registry.connectors.fetching import Fetcher, Limits
from registry.connectors.files import read_file
from registry.connectors.kinds import kind_named
from registry.connectors.reading import BATCH_BYTES, Documents, batches_of, read_with, taken
from registry.connectors.result_schemas import ConnectorProblem
from registry.documents.schemas import MAX_DOCUMENT_CHARACTERS
from registry.platform.concurrency import MAX_MEMORY, Processes
from registry.platform.errors import FetchFailed
from registry.platform.settings import Settings
from tests.fakes.conversions import (
    die,
    documents_until,
    fill_memory,
    hang,
    length,
    process_id,
    refuse,
    refuse_at_length,
    repeat,
)
from tests.fakes.hostile_files.draws import MIB
from tests.fakes.hostile_files.office import XLSX
from tests.fakes.hostile_files.web import warc
from tests.registry.connectors.kinds.test_folder import pdf
from tests.tables import for_each


@pytest.fixture
async def processes() -> AsyncIterator[Processes]:
    processes = Processes(1)
    yield processes
    await processes.aclose()


async def test_the_next_file_is_read_after_one_that_ends_fills_or_holds_the_process(
    processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await read_with(processes, length, b"1234") == "4"
    for read, why in (die, "damaged"), (fill_memory, "2 GiB of memory"), (refuse, "no text in it"):
        with pytest.raises(FetchFailed, match=why):
            await read_with(processes, read, str(2 * MAX_MEMORY).encode())
    monkeypatch.setattr(reading, "MAX_SECONDS", 0.5)
    with pytest.raises(FetchFailed, match=r"more than 0\.5 s"):
        await read_with(processes, hang, b"")
    monkeypatch.undo()
    assert await read_with(processes, length, b"12") == "2"


async def test_pages_do_not_cost_a_process_each(processes: Processes) -> None:
    assert len({await read_with(processes, process_id) for _ in range(5)}) == 1


@for_each("read", [repeat, refuse_at_length])
async def test_what_the_process_sends_is_bounded_before_it_is_received(
    processes: Processes, read: Callable[[bytes], str]
) -> None:
    before = getrusage(RUSAGE_SELF).ru_maxrss
    with pytest.raises(FetchFailed, match=r"2 GiB of memory|Unlike") as refusal:
        await read_with(processes, read, str(200 * MIB).encode())
    assert len(str(refusal.value)) <= 1_000
    assert (getrusage(RUSAGE_SELF).ru_maxrss - before) * 1024 < 20 * MIB


async def test_documents_come_in_batches_and_a_location_that_ends_the_process_keeps_what_came_before(
    processes: Processes,
) -> None:
    read: list[int] = []

    async def follow(documents: Documents) -> None:
        async for batch, _, _ in batches_of(processes, documents):
            read.append(len(batch))

    await follow(partial(documents_until, 300))
    with pytest.raises(FetchFailed, match="damaged"):
        await follow(partial(documents_until, 300, end=die))
    await follow(partial(documents_until, 1))
    assert read == [128, 128, 44, 128, 128, 1]


async def test_a_process_that_was_killed_between_batches_is_told_of(processes: Processes) -> None:
    batches = batches_of(processes, partial(documents_until, 300))
    await anext(batches)
    (process,) = processes._started
    process.kill()
    await process.wait()
    with pytest.raises(FetchFailed, match="read in the next run"):
        await anext(batches)


async def test_a_pdf_is_read_in_the_process(processes: Processes) -> None:
    text, _ = await read_with(processes, read_file, "a.pdf", pdf("The tower is tall."))
    assert text == "The tower is tall."


async def test_a_spreadsheet_with_a_far_cell_is_refused(processes: Processes) -> None:
    """It takes its process some seconds; what a part is called or encoded as is nothing to go by."""
    pytest.importorskip("openpyxl", reason="spreadsheets need the extra `documents`")
    with pytest.raises(FetchFailed, match="2 GiB of memory"):
        await read_with(processes, read_file, "a.xlsx", XLSX["far cells in UTF-16"](random.Random(45)))


async def test_a_page_in_an_encoding_that_takes_quadratic_time_takes_no_longer_than_it_may(
    processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MAX_SECONDS", 3.0)
    half = b"a" * 5 * MIB
    with pytest.raises(FetchFailed, match="more than 3 s"):
        await read_with(processes, read_file, "a.html", b"<meta charset=punycode>" + half + b"-" + half)


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
