"""Captures of pages in WARC files, as crawlers and browsers write them."""

import asyncio
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from estimator.errors import installing
from registry.connectors.connector import (
    NONE_YET,
    ConnectorKind,
    Content,
    DocumentOrProblem,
    Listing,
    Location,
    Seen,
    Tools,
)
from registry.connectors.connector import document as document_of
from registry.connectors.fetching import MAX_URL_CHARACTERS, Page
from registry.connectors.kinds.pages import HTML, SUFFIX_OF_TYPE, fields_of
from registry.connectors.local_files import LocalFiles
from registry.connectors.result_schemas import ConnectorProblem
from registry.connectors.web import WebConfig
from registry.platform.errors import FetchFailed
from registry.platform.fields import NotBlank, Storable, is_storable

if TYPE_CHECKING:
    from warcio.bufferedreaders import BufferedReader
    from warcio.recordloader import ArcWarcRecord

# The name of a file beneath itself.
ITSELF = ""
SUFFIXES = (".warc", ".warc.gz")
INSTALL = installing("warc")
# Of all lines between two contents. Servers take headers of 8 to 64 KiB.
MAX_HEADER_BYTES = 2**20


class ArchiveConfig(WebConfig):
    """Pages in WARC files."""

    path: Annotated[str, Field(max_length=2_000), Storable, NotBlank]
    """A file, `.warc` or `.warc.gz`, or a folder of them, on the machine of the worker."""


class ArchiveConnector:
    """A location is a file, with its size and time as version; its documents are the pages that were captured."""

    def __init__(self, config: ArchiveConfig, tools: Tools) -> None:
        self._config = config
        self._files = LocalFiles(Path(config.path), tools.settings)
        self._max_bytes = tools.settings.connector_max_bytes

    async def locations(self) -> Listing:
        """The file, or those of the folder in the order of their names, so that later captures replace earlier ones."""
        return await asyncio.to_thread(self._list)

    def _list(self) -> Listing:
        path = self._config.path
        try:
            names = sorted(self._files.names()) if self._files.is_folder() else [ITSELF]
            archives = [name for name in names if (name or path).lower().endswith(SUFFIXES)]
            found = [Location(str(Path(path, name)), self._files.version(name)) for name in archives]
        except OSError as error:
            raise FetchFailed(f"{path} cannot be read: {error.strerror}.") from error
        if not found:
            raise FetchFailed(f"There is no file *.warc or *.warc.gz at {path} on this machine.")
        return Listing(found)

    async def read(self, location: Location, _seen: Seen, /) -> Content:
        """A document for each capture of a page."""
        name = PurePath(location.key).relative_to(self._config.path)
        return Content(partial(self._documents, name))

    def _documents(self, name: PurePath) -> Iterator[DocumentOrProblem]:
        try:
            from warcio.archiveiterator import ArchiveIterator  # noqa: PLC0415  (in an extra)
            from warcio.exceptions import ArchiveLoadFailed  # noqa: PLC0415
        except ImportError as error:
            raise FetchFailed(f"WARC files need warcio: {INSTALL}") from error
        try:
            with self._files.open(str(name)) as file:
                archive = ArchiveIterator(file)
                _bound_headers(archive.reader)
                for record in archive:
                    page = self._page(record)
                    if page is not None:
                        yield self._document(page)
        except (OSError, EOFError, ArchiveLoadFailed) as error:
            raise FetchFailed(f"{name.name or self._config.path} cannot be read on: {error}") from error

    def _document(self, page: Page) -> DocumentOrProblem:
        if len(page.content) > self._max_bytes:
            reason = f"The page is larger than {self._max_bytes:,} bytes (CREDENCE_CONNECTOR_MAX_BYTES)."
            return ConnectorProblem(page.url, reason)
        try:
            return document_of(page.url, source=self._config.source_of(page.url), **fields_of(page))
        except FetchFailed as error:
            return ConnectorProblem(page.url, str(error))

    def _page(self, record: "ArcWarcRecord") -> Page | None:
        """The page that was captured; None for all that is no successful response with a page."""
        url = record.rec_headers.get_header("WARC-Target-URI") or ""
        headers = record.http_headers
        if record.rec_type != "response" or headers is None or headers.get_statuscode() != "200":
            return None
        media_type, _, parameters = (headers.get_header("Content-Type") or "").lower().partition(";")
        if media_type.strip() not in HTML | SUFFIX_OF_TYPE.keys() or not _is_web(url):
            return None
        _, _, charset = parameters.partition("charset=")
        content = record.content_stream().read(self._max_bytes + 1)
        return Page(url, content, media_type.strip(), charset.strip(" \"'") or None, NONE_YET)


def _bound_headers(reader: "BufferedReader") -> None:
    """Make a reader refuse headers of more than MAX_HEADER_BYTES: warcio would hold a line that never ends whole."""
    from warcio.exceptions import ArchiveLoadFailed  # noqa: PLC0415  (in an extra)

    read, readline = reader.read, reader.readline
    held = 0

    def bounded_readline(length: int | None = None) -> bytes:
        nonlocal held
        line: bytes = readline(min(length or MAX_HEADER_BYTES, MAX_HEADER_BYTES))
        held += len(line)
        if held >= MAX_HEADER_BYTES:
            raise ArchiveLoadFailed(f"the header of a record is larger than {MAX_HEADER_BYTES:,} bytes")
        return line

    def content(length: int | None = None) -> bytes:
        nonlocal held
        held = 0
        return bytes(read(length))

    reader.readline, reader.read = bounded_readline, content


def _is_web(url: str) -> bool:
    return url.startswith(("http://", "https://")) and len(url) <= MAX_URL_CHARACTERS and is_storable(url)


KIND = ConnectorKind(
    name="archive",
    summary="pages in a WARC file, or in a folder of them",
    config=ArchiveConfig,
    main_field="path",
    make=ArchiveConnector,
    deletes=lambda _: True,
    paths=lambda config: [Path(config.path)],
)
