"""Text of files: plain text, Markdown and HTML as they are; PDF and Office files by libraries of an extra."""

import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import PurePath

from estimator.errors import installing
from registry.connectors.connector import DocumentOrProblem, document
from registry.connectors.markup import text_of
from registry.connectors.reading import read_with
from registry.connectors.result_schemas import ConnectorProblem
from registry.documents.schemas import MAX_DOCUMENT_CHARACTERS, DocumentLine, MediaType
from registry.platform.errors import FetchFailed, InvalidInput, Unreadable
from registry.platform.fields import is_storable
from registry.runtime import Runtime

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


async def sent_document(runtime: Runtime, path: str, content: bytes) -> DocumentLine:
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
