"""Folders: a document a file, in step with the files."""

import io
from pathlib import Path

import pytest
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from registry.connectors import service as connectors
from registry.connectors.files import read_file
from registry.corpora.model import Corpus
from registry.platform.errors import FetchFailed
from registry.runtime import Runtime
from tests.registry.connectors.keeping import counts, make, run, stored
from tests.tables import for_each


def pdf(text: str) -> bytes:
    """A page with a line of text."""
    writer = PdfWriter()
    page = writer.add_blank_page(300, 200)
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    page[NameObject("/Resources")] = DictionaryObject(
        {NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})}
    )
    stream = DecodedStreamObject()
    stream.set_data(f"BT /F1 12 Tf 10 100 Td ({text}) Tj ET".encode())
    page[NameObject("/Contents")] = stream
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


async def test_files_are_followed(runtime: Runtime, corpus: Corpus, tmp_path: Path) -> None:
    root = tmp_path / "press"
    for name, content in {
        "Herald/red.md": b"# Red\n\nThe tower is red.",
        "Herald/2026/blue.txt": "Der Turm ist grün.".encode("latin-1"),
        "Gazette/tall.pdf": pdf("The tower is tall."),
        "Gazette/page.html": b"<title>Page</title><p>The tower is old.</p>",
        "Gazette/picture.png": b"\x89PNG",
        ".git/notes.md": b"hidden",
        "loose.md": b"The tower is nobody's.",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    (tmp_path / "secret.txt").write_text("secret")
    (root / "Herald/link.txt").symlink_to(tmp_path / "secret.txt")
    connector = await make(runtime, corpus, "folder", path=str(root))
    report = await run(runtime, connector)
    assert counts(report) == (4, 0, 0, 0, 0)
    assert [problem.location for problem in report.problems] == ["loose.md"]
    documents = await stored(runtime)
    assert documents.keys() == {
        ("Herald", "red.md"),
        ("Herald", "2026/blue.txt"),
        ("Gazette", "tall.pdf"),
        ("Gazette", "page.html"),
    }
    assert documents["Gazette", "tall.pdf"].content.strip() == "The tower is tall."
    assert documents["Herald", "2026/blue.txt"].content == "Der Turm ist grün."
    report = await run(runtime, connector)
    assert (counts(report), report.not_modified) == ((0, 0, 0, 0, 0), 4)
    (root / "Herald/red.md").write_text("The tower is yellow now.")
    (root / "Gazette/tall.pdf").write_bytes(b"%PDF-1.4 broken")
    (root / "Gazette/page.html").unlink()
    report = await run(runtime, connector)
    assert counts(report) == (0, 1, 0, 0, 1)
    assert (report.failed, report.problems[1].location) == (2, "Gazette/tall.pdf")
    documents = await stored(runtime)
    assert documents["Herald", "red.md"].content == "The tower is yellow now."
    assert ("Gazette", "page.html") not in documents
    assert ("Gazette", "tall.pdf") in documents


async def test_a_folder_that_is_empty_or_away_deletes_nothing(runtime: Runtime, corpus: Corpus, tmp_path: Path) -> None:
    root = tmp_path / "press"
    root.mkdir()
    (root / "red.txt").write_text("The tower is red.")
    connector = await make(runtime, corpus, "folder", path=str(root), source="Herald")
    assert counts(await run(runtime, connector)) == (1, 0, 0, 0, 0)
    (root / "red.txt").unlink()
    report = await run(runtime, connector)
    assert report.deleted == 0
    assert "nothing was deleted" in report.problems[0].error
    root.rmdir()
    done = await connectors.run_now(runtime, connector.id)
    assert (done.status, done.problem) == (
        "failed",
        {"detail": f"The folder {root} cannot be read: No such file or directory."},
    )
    assert len(await stored(runtime)) == 1


@for_each(
    ("name", "content", "why"),
    [
        ("a.pdf", b"no PDF", "The PDF cannot be read"),
        ("a.txt", b"\x00\x01", "binary"),
        ("a.docx", b"no archive", "cannot be read|credence-registry\\[documents\\]"),
    ],
)
def test_a_damaged_file_is_refused(name: str, content: bytes, why: str) -> None:
    with pytest.raises(FetchFailed, match=why):
        read_file(name, content)


def test_office_files() -> None:
    pytest.importorskip("markitdown", reason="Office files need the extra `documents`")
    openpyxl = pytest.importorskip("openpyxl", reason="Office files need the extra `documents`")
    pptx = pytest.importorskip("pptx", reason="Office files need the extra `documents`")
    book, slides = openpyxl.Workbook(), pptx.Presentation()
    for row in (["tower", "colour"], ["Aldra", "red"]):
        book.active.append(row)
    slides.slides.add_slide(slides.slide_layouts[0]).shapes.title.text = "The tower is tall."
    for file, name, text in ((book, "a.xlsx", "| Aldra | red |"), (slides, "a.pptx", "# The tower is tall.")):
        written = io.BytesIO()
        file.save(written)
        assert text in read_file(name, written.getvalue())[0]
