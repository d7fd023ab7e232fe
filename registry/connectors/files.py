"""Text of files and pages: text, Markdown and HTML as they are; PDF and Office files by libraries of an extra."""

import codecs
import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING

from lxml import etree

from estimator.errors import installing
from registry.connectors.connector import DocumentOrProblem, document
from registry.connectors.reading import read_with
from registry.connectors.result_schemas import ConnectorProblem
from registry.documents.schemas import MAX_DOCUMENT_CHARACTERS, DocumentLine, MediaType
from registry.platform.errors import FetchFailed, InvalidInput, Unreadable
from registry.platform.fields import is_storable

if TYPE_CHECKING:
    # Where files are read in a process of their own, the whole service would be loaded for it, in two seconds.
    from registry.runtime import Runtime

# Where a document names its encoding itself.
_HEAD_BYTES = 2048
_DECLARED = re.compile(
    rb"""<(?:\?xml[^>]{0,200}encoding|meta[^>]{0,200}charset)\s*=\s*["']?([\w.:-]{1,40})""", re.IGNORECASE
)
_ENTITY = re.compile("<!entity", re.IGNORECASE)
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def text_of(content: bytes, charset: str | None = None) -> str:
    """The content as text: by its byte order mark, by `charset`, as it declares itself, as UTF-8, or as Windows-1252.

    Raises `FetchFailed` for what is no text.
    """
    marked = next((name for mark, name in _BYTE_ORDER_MARKS if content.startswith(mark)), None)
    declared = _DECLARED.search(content[:_HEAD_BYTES])
    for name in (marked, charset, declared and declared[1].decode("ascii"), "utf-8"):
        if name and (text := _decoded(content, name)) is not None:
            break
    else:
        text = content.decode("cp1252", errors="replace")
    if "\x00" in text:
        raise FetchFailed("The content is binary, not text.")
    return text


def xml_text_of(content: bytes, charset: str | None = None) -> str:
    """Like `text_of`; raises `FetchFailed` for a document with entities of its own, which may expand without end."""
    text = text_of(content, charset)
    if _ENTITY.search(text):
        raise FetchFailed("The XML declares entities, which feeds and sitemaps need not; it is not read.")
    return text


def parse_xml(text: str) -> etree._Element:
    """The root element; nothing is expanded, loaded or deeper than 256 levels. Raises `FetchFailed`."""
    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True
    )
    try:
        root = etree.fromstring(text.encode("utf-8", errors="replace"), parser)
    except (etree.LxmlError, ValueError) as error:
        raise FetchFailed(f"The XML cannot be read: {error}") from error
    if root is None:
        raise FetchFailed("There is no XML in it.")
    return root


def _decoded(content: bytes, name: str) -> str | None:
    try:
        return content.decode(name)
    except (LookupError, ValueError):
        return None


TEXTS = {
    ".txt": MediaType.TEXT,
    ".text": MediaType.TEXT,
    ".md": MediaType.MARKDOWN,
    ".markdown": MediaType.MARKDOWN,
    ".html": MediaType.HTML,
    ".htm": MediaType.HTML,
    ".xhtml": MediaType.HTML,
}
PDF = ".pdf"
OFFICE = (".docx", ".pptx", ".xlsx")
SUFFIXES = (*TEXTS, PDF, *OFFICE)
# Of an Office file, which is a zip archive; they compress to a tenth or so.
MAX_UNZIPPED = 200 * 2**20
MAX_PATH_BYTES = 2_000
INSTALL = installing("documents")


def unusable(key: str, source: str | None) -> str:
    """The reason why a file cannot be a document, from its path in the folder; empty if it can.

    Without a `source` the first folder is that of the file.
    """
    if not is_storable(key) or len(key.encode()) > MAX_PATH_BYTES:
        return "Its name cannot be stored."
    return "" if source is not None or "/" in key else "It is in no folder of a source, and no `source` is named."


def file_documents(key: str, source: str | None, content: bytes, max_bytes: int) -> Iterator[DocumentOrProblem]:
    """The one document of a file; raises `FetchFailed` where it has no text, or is larger than `max_bytes`."""
    if len(content) > max_bytes:
        raise FetchFailed(f"The file is larger than {max_bytes:,} bytes (CREDENCE_CONNECTOR_MAX_BYTES).")
    source, _, name = (source, "", key) if source else key.partition("/")
    text, media_type = read_file(name, content)
    path = PurePath(key)
    title = None if TEXTS.get(path.suffix.lower()) is MediaType.HTML else path.stem
    yield document(key, source=source, external_id=name, title=title, content=text, media_type=media_type.value)


def read_file(name: str, content: bytes) -> tuple[str, MediaType]:
    """The text of a file and its format, by the suffix of its name; raises `FetchFailed` where it has none."""
    suffix = PurePath(name).suffix.lower()
    if suffix == PDF:
        text, media_type = _pdf_text(content), MediaType.TEXT
    elif suffix in OFFICE:
        text, media_type = _office_text(content, suffix), MediaType.MARKDOWN
    else:
        text, media_type = text_of(content), TEXTS.get(suffix, MediaType.TEXT)
    if len(text) > MAX_DOCUMENT_CHARACTERS:
        raise Unreadable(f"The file has more than {MAX_DOCUMENT_CHARACTERS:,} characters of text.")
    return text, media_type


def _pdf_text(content: bytes) -> str:
    try:
        from pypdf import PdfReader  # noqa: PLC0415  (in an extra)
        from pypdf.errors import PyPdfError  # noqa: PLC0415
    except ImportError as error:
        raise FetchFailed(f"PDF files need pypdf: {INSTALL}") from error
    try:
        pages = [page.extract_text() for page in PdfReader(io.BytesIO(content)).pages]
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Unreadable(f"The PDF cannot be read: {error}") from error
    # A line that ends with a hyphen goes on in the next one.
    return re.sub(r"(?<=\w)-\n(?=[a-z])", "", "\n\n".join(pages))


def _office_text(content: bytes, suffix: str) -> str:
    try:
        from markitdown import MarkItDown, MarkItDownException, StreamInfo  # noqa: PLC0415  (in an extra)
    except ImportError as error:
        raise FetchFailed(f"Office files need markitdown: {INSTALL}") from error
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            unzipped = sum(member.file_size for member in archive.infolist())
            if unzipped > MAX_UNZIPPED:
                raise Unreadable(f"The file is {unzipped:,} bytes long when unpacked, more than {MAX_UNZIPPED:,}.")
        stream = io.BytesIO(content)
        return str(MarkItDown(enable_plugins=False).convert_stream(stream, stream_info=StreamInfo(extension=suffix)))
    except (MarkItDownException, zipfile.BadZipFile, ValueError, KeyError) as error:
        if "MemoryError" in str(error):  # it takes one for an error of the file, such as of a sheet of two far cells
            raise MemoryError from error
        raise Unreadable(f"The file cannot be read: {error}") from error


# The source is named apart from its files.
_ANY = "sent"


async def sent_document(runtime: "Runtime", path: str, content: bytes) -> DocumentLine:
    """The document of a file, by its path; without a suffix of PDF, Office or HTML files it has to be text.

    Raises `InvalidInput` where it has no text, or more than it may.
    """
    try:
        read = await read_with(runtime.processes, _document, path, content, runtime.settings.connector_max_bytes)
    except FetchFailed as error:
        raise InvalidInput(f"{path}: {error}", field="file") from error
    if isinstance(read, ConnectorProblem):
        raise InvalidInput(f"{path}: {read.error}", field="file")
    return read


def _document(path: str, content: bytes, max_bytes: int) -> DocumentOrProblem:
    return next(file_documents(path, _ANY, content, max_bytes))
