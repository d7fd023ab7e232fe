"""What a file does to the process that reads it costs the file alone."""

import random
from collections.abc import Callable
from resource import RUSAGE_SELF, getrusage

import pytest

from registry.connectors import conversion
from registry.connectors.conversion import MAX_MEMORY, converted
from registry.connectors.files import read_file
from registry.platform.errors import FetchFailed
from tests.fakes.conversions import die, fill_memory, hang, length, refuse, refuse_at_length, repeat
from tests.fakes.hostile_files.draws import MIB
from tests.fakes.hostile_files.office import XLSX
from tests.registry.connectors.kinds.test_folder import pdf
from tests.tables import for_each


def test_the_next_file_is_read_after_one_that_ends_fills_or_holds_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    assert converted(length, b"1234") == "4"
    for read, why in (die, "damaged"), (fill_memory, "2 GiB of memory"), (refuse, "no text in it"):
        with pytest.raises(FetchFailed, match=why):
            converted(read, str(2 * MAX_MEMORY).encode())
    monkeypatch.setattr(conversion, "MAX_SECONDS", 0.5)
    with pytest.raises(FetchFailed, match=r"more than 0\.5 s"):
        converted(hang, b"")
    monkeypatch.undo()
    assert converted(length, b"12") == "2"


@for_each("read", [repeat, refuse_at_length])
def test_what_the_process_sends_is_bounded_before_it_is_received(read: Callable[[bytes], str]) -> None:
    before = getrusage(RUSAGE_SELF).ru_maxrss
    with pytest.raises(FetchFailed, match=r"4,000,000 characters|Unlike") as refusal:
        converted(read, str(200 * MIB).encode())
    assert len(str(refusal.value)) <= 1_000
    assert (getrusage(RUSAGE_SELF).ru_maxrss - before) * 1024 < 20 * MIB


def test_a_pdf_is_read_in_the_process() -> None:
    assert read_file("a.pdf", pdf("The tower is tall."))[0] == "The tower is tall."


def test_a_spreadsheet_with_a_far_cell_is_refused() -> None:
    """It takes its process some seconds; what a part is called or encoded as is nothing to go by."""
    pytest.importorskip("openpyxl", reason="spreadsheets need the extra `documents`")
    with pytest.raises(FetchFailed, match="2 GiB of memory"):
        read_file("a.xlsx", XLSX["far cells in UTF-16"](random.Random(45)))
