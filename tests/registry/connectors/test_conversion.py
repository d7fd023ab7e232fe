"""What a file does to the process that reads it costs the file alone."""

import io
import zipfile

import pytest

from registry.connectors import conversion
from registry.connectors.conversion import MAX_MEMORY, converted
from registry.connectors.files import read_file, require_small_sheet
from registry.platform.errors import FetchFailed
from tests.fakes.conversions import die, fill_memory, hang, length, refuse
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


def test_texts_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversion, "MAX_CHARACTERS", 2)
    with pytest.raises(FetchFailed, match="2 characters"):
        converted(length, bytes(100))


def test_a_pdf_is_read_in_the_process() -> None:
    assert read_file("a.pdf", pdf("The tower is tall."))[0] == "The tower is tall."


@for_each(
    ("cells", "small"),
    [
        (b'<c r="A1"/><c r="C9"/>', True),
        (b'<c r="A1"/><c r="XFD1048576"/>', False),
        (b"<c r='AAA2000'/>", True),
        (b"<c r='ZZZ2000'/>", False),
        (b"", True),
    ],
)
def test_sheets_are_bounded_before_they_are_read(cells: bytes, small: bool) -> None:
    if small:
        require_small_sheet(cells)
        return
    with pytest.raises(FetchFailed, match="2,000,000 cells"):
        require_small_sheet(cells)


def test_a_spreadsheet_with_two_far_cells_is_refused() -> None:
    pytest.importorskip("markitdown", reason="Office files need the extra `documents`")
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr("xl/worksheets/sheet1.xml", '<c r="A1"/><c r="XFD1048576"/>')
    with pytest.raises(FetchFailed, match="2,000,000 cells"):
        read_file("a.xlsx", written.getvalue())
