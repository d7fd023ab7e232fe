"""Files of a folder: text, Markdown, HTML, PDF and Office."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from pydantic import Field

from registry.connectors.connector import ConnectorKind, Content, DocumentOrProblem, Listing, Location, Seen, Tools
from registry.connectors.connector import document as document_of
from registry.connectors.files import SUFFIXES, TEXTS, read_file
from registry.errors import FetchFailed
from registry.inputs.documents import MediaType
from registry.inputs.fields import ExternalId, Input, NotBlank, Storable, is_storable
from registry.results.connectors import ConnectorProblem

MAX_PATH_BYTES = 2_000


class FolderConfig(Input):
    """Files of a folder and of the folders in it."""

    path: Annotated[str, Field(max_length=MAX_PATH_BYTES), Storable, NotBlank]
    """The folder, on the machine of the worker."""
    source: ExternalId | None = None
    """The source of all files; null: each folder in it is a source of its name."""


class FolderConnector:
    """A location is a file, by its path in the folder, with its size and time as version."""

    def __init__(self, config: FolderConfig, tools: Tools) -> None:
        self._config = config
        self._root = Path(config.path)
        self._max_bytes = tools.settings.connector_max_bytes

    async def locations(self) -> Listing:
        """All files that can be read; hidden ones and links that lead out of the folder are left out."""
        return await asyncio.to_thread(self._list)

    def _list(self) -> Listing:
        if not self._root.is_dir():
            raise FetchFailed(f"There is no folder {self._root} on this machine.")
        locations, problems = [], []
        inside = self._root.resolve()
        for folder, folders, names in os.walk(self._root):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                path = Path(folder, name)
                if name.startswith(".") or path.suffix.lower() not in SUFFIXES:
                    continue
                key = path.relative_to(self._root).as_posix()
                if not is_storable(key) or len(key.encode()) > MAX_PATH_BYTES:
                    problems.append(
                        ConnectorProblem(key.encode(errors="replace").decode()[:200], "Its name cannot be stored.")
                    )
                elif self._config.source is None and "/" not in key:
                    problems.append(ConnectorProblem(key, "It is in no folder of a source, and no `source` is named."))
                elif path.is_file() and path.resolve().is_relative_to(inside):
                    status = path.stat()
                    locations.append(Location(key, f"{status.st_size}:{status.st_mtime_ns}"))
        return Listing(locations, problems=problems)

    async def read(self, location: Location, _seen: Seen, /) -> Content:
        """The one document of a file."""
        return Content(self._documents(location.key))

    def _documents(self, key: str) -> Iterator[DocumentOrProblem]:
        path = self._root / key
        source, _, name = (self._config.source, "", key) if self._config.source else key.partition("/")
        try:
            with path.open("rb") as file:
                content = file.read(self._max_bytes + 1)
        except OSError as error:
            raise FetchFailed(f"The file cannot be read: {error.strerror}.") from error
        if len(content) > self._max_bytes:
            raise FetchFailed(f"The file is larger than {self._max_bytes:,} bytes (CREDENCE_CONNECTOR_MAX_BYTES).")
        text, media_type = read_file(name, content)
        title = None if TEXTS.get(path.suffix.lower()) is MediaType.HTML else path.stem
        yield document_of(key, source=source, external_id=name, title=title, content=text, media_type=media_type.value)


KIND = ConnectorKind(
    name="folder",
    summary="text, Markdown, HTML, PDF and Office files, a folder for each source or all of one source",
    config=FolderConfig,
    main_field="path",
    make=FolderConnector,
    deletes=lambda _: True,
    paths=lambda config: [Path(config.path)],
)
