"""Files of a folder: text, Markdown, HTML, PDF and Office."""

import asyncio
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePath
from typing import Annotated

from pydantic import Field

from registry.connectors.connector import ConnectorKind, Content, DocumentOrProblem, Listing, Location, Seen, Tools
from registry.connectors.files import MAX_PATH_BYTES, SUFFIXES, file_documents, unusable
from registry.connectors.local_files import LocalFiles
from registry.connectors.result_schemas import ConnectorProblem
from registry.platform.errors import FetchFailed
from registry.platform.fields import ExternalId, Input, NotBlank, Storable


class FolderConfig(Input):
    """Files of a folder and of the folders in it."""

    path: Annotated[str, Field(max_length=MAX_PATH_BYTES), Storable, NotBlank]
    """The folder, on the machine of the worker."""
    source: ExternalId | None = None
    """The source of all files; without one, each folder in it is a source of its name."""


class FolderConnector:
    """A location is a file, by its path in the folder, with its size and time as version."""

    def __init__(self, config: FolderConfig, tools: Tools) -> None:
        self._config = config
        self._files = LocalFiles(Path(config.path), tools.settings)
        self._max_bytes = tools.settings.connector_max_bytes

    async def locations(self) -> Listing:
        """All files that can be read; hidden ones and links that lead out of the folder are left out."""
        return await asyncio.to_thread(self._list)

    def _list(self) -> Listing:
        locations, problems = [], []
        try:
            for key in self._files.names():
                if PurePath(key).suffix.lower() not in SUFFIXES:
                    continue
                if reason := unusable(key, self._config.source):
                    problems.append(ConnectorProblem(key.encode(errors="replace").decode()[:200], reason))
                else:
                    locations.append(Location(key, self._files.version(key)))
        except OSError as error:
            raise FetchFailed(f"The folder {self._config.path} cannot be read: {error.strerror}.") from error
        return Listing(locations, problems=problems)

    async def read(self, location: Location, _seen: Seen, /) -> Content:
        """The one document of a file."""
        return Content(partial(self._documents, location.key))

    def _documents(self, key: str) -> Iterator[DocumentOrProblem]:
        try:
            with self._files.open(key) as file:
                content = file.read(self._max_bytes + 1)
        except OSError as error:
            raise FetchFailed(f"The file cannot be read: {error.strerror}.") from error
        yield from file_documents(key, self._config.source, content, self._max_bytes)


KIND = ConnectorKind(
    name="folder",
    summary="text, Markdown, HTML, PDF and Office files, with a folder for each source, or all of one source",
    config=FolderConfig,
    main_field="path",
    make=FolderConnector,
    deletes=lambda _: True,
    paths=lambda config: [Path(config.path)],
)
