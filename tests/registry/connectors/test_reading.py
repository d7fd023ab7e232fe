"""What a file does to the process that reads it costs the file alone."""

import random
from collections.abc import AsyncIterator, Callable
from functools import partial
from resource import RUSAGE_SELF, getrusage

import pytest

from registry.connectors import reading
from registry.connectors.files import read_file
from registry.connectors.reading import Documents, batches_of, read_with
from registry.platform.concurrency import MAX_MEMORY, Processes
from registry.platform.errors import FetchFailed
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
