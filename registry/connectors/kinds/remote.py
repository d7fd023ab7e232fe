"""Files of an object store or another file system that fsspec knows: S3, Google Cloud Storage, Azure, SFTP and more."""

import asyncio
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, field_validator

from estimator.errors import installing
from registry.connectors.connector import ConnectorKind, Content, Listing, Location, Seen, Tools
from registry.connectors.files import SUFFIXES, file_documents, unusable
from registry.connectors.result_schemas import ConnectorProblem
from registry.platform.errors import FetchFailed, NothingThere
from registry.platform.fields import ExternalId, Input, NotBlank, Storable

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

LOCAL = ("file", "local")
LIST_SECONDS = 600.0
INSTALL = installing("fsspec")
# What file systems say of a file that changes with its content, the surest first.
VERSIONS = (
    "blob_id",
    "ETag",
    "etag",
    "md5Hash",
    "content_md5",
    "LastModified",
    "last_modified",
    "mtime",
    "updated",
    "created",
)


class RemoteConfig(Input):
    """Files below an address."""

    url: Annotated[str, Field(max_length=2_000, title="Address"), Storable, NotBlank]
    """Address, such as `s3://bucket/folder`. Credentials are those of the worker's environment, as fsspec finds them.
    """
    source: ExternalId | None = None
    """The source of all files; without one, each folder in it is a source of its name."""

    @field_validator("url")
    @classmethod
    def _remote(cls, url: str) -> str:
        protocol, found, _ = url.partition("://")
        if not found or "::" in url:
            raise ValueError("must begin with one protocol, such as s3://bucket/folder")
        if protocol.lower() in LOCAL:
            raise ValueError("names files of this machine, which the kind `folder` reads")
        return url


class RemoteConnector:
    """A location is a file, by its path below the address; its version is its size and what is known of its content."""

    def __init__(self, config: RemoteConfig, tools: Tools) -> None:
        self._config = config
        self._max_bytes = tools.settings.connector_max_bytes

    async def locations(self) -> Listing:
        """All files that can be read; hidden ones are left out."""
        try:
            async with asyncio.timeout(LIST_SECONDS):
                return await asyncio.to_thread(self._list)
        except TimeoutError as error:
            raise FetchFailed(f"{self._config.url} was not listed in {LIST_SECONDS:g} s.") from error

    def _list(self) -> Listing:
        files, root = _opened(self._config.url)
        try:
            files.invalidate_cache()
            found: Mapping[str, Mapping[str, Any]] = files.find(root, detail=True)
        except Exception as error:  # of as many kinds as there are file systems
            raise FetchFailed(f"{self._config.url} cannot be listed: {brief(error)}") from error
        if not found and not files.exists(root):
            raise FetchFailed(f"There is nothing at {self._config.url}.")
        locations, problems = [], []
        for path, status in sorted(found.items()):
            key = path.removeprefix(root).lstrip("/")
            if not key.lower().endswith(SUFFIXES) or any(part.startswith(".") for part in key.split("/")):
                continue
            if reason := unusable(key, self._config.source):
                problems.append(ConnectorProblem(key.encode(errors="replace").decode()[:200], reason))
            else:
                locations.append(Location(key, version_of(status)))
        return Listing(locations, problems=problems)

    async def read(self, location: Location, _seen: Seen, /) -> Content:
        """The one document of a file."""
        content = await asyncio.to_thread(self._content, location.key)
        return Content(partial(file_documents, location.key, self._config.source, content, self._max_bytes))

    def _content(self, key: str) -> bytes:
        files, root = _opened(self._config.url)
        try:
            with files.open(f"{root.rstrip('/')}/{key}", "rb") as file:
                content: bytes = file.read(self._max_bytes + 1)
        except FileNotFoundError as error:
            raise NothingThere("The file is not there any more.") from error
        except Exception as error:  # of as many kinds as there are file systems
            raise FetchFailed(f"The file cannot be read: {brief(error)}") from error
        return content


def _opened(url: str) -> tuple["AbstractFileSystem", str]:
    """The file system and the path in it."""
    try:
        from fsspec.core import url_to_fs  # noqa: PLC0415  (in an extra)
    except ImportError as error:
        raise FetchFailed(f"Files at other addresses than those of this machine need fsspec: {INSTALL}") from error
    try:
        files, root = url_to_fs(url)
    except ImportError as error:
        raise FetchFailed(f"{url.partition('://')[0]}:// needs another package: {error}") from error
    except Exception as error:  # of as many kinds as there are file systems
        raise FetchFailed(f"{url} cannot be opened: {brief(error)}") from error
    return files, root


def version_of(status: Mapping[str, Any]) -> str | None:
    """The version of a file by what its file system says of it; None, where that is too little, has it read again."""
    known = next((str(status[name]) for name in VERSIONS if status.get(name)), None)
    return None if known is None else f"{status.get('size')}:{known}"[:200]


def brief(error: Exception) -> str:
    """An error of a library in short."""
    return f"{type(error).__name__}: {error}"[:300]


KIND = ConnectorKind(
    name="remote",
    summary="files in a store that fsspec knows, such as `s3://bucket/folder`",
    config=RemoteConfig,
    main_field="url",
    make=RemoteConnector,
    deletes=lambda _: True,
    # With the credentials of the worker: like files of its machine, only those at its command line may name them.
    paths=lambda config: [Path(config.url)],
)
