"""Rows of a dataset of the Hugging Face Hub, as the Parquet files into which it converts public ones."""

import asyncio
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from estimator.errors import installing
from registry.connectors.connector import ConnectorKind, Content, DocumentOrProblem, Listing, Location, Seen, Tools
from registry.connectors.kinds.remote import LIST_SECONDS, brief, version_of
from registry.connectors.kinds.table import Row, RowConfig, parquet_rows, row_document
from registry.connectors.result_schemas import ConnectorProblem
from registry.platform.errors import FetchFailed

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

INSTALL = installing("huggingface")
Part = Annotated[str, Field(pattern=r"^[\w.-]+$", max_length=100)]


class DatasetConfig(RowConfig):
    """Rows of a split of a dataset."""

    dataset: Annotated[str, Field(pattern=r"^[\w.-]+/[\w.-]+$", max_length=200)]
    """Its name, `owner/name`; it is public."""
    subset: Part = "default"
    """Subset, or configuration, as the Hub calls it."""
    split: Part = "train"
    """Split, such as `train` or `test`."""
    max_files: Annotated[int, Field(ge=1, le=10_000, title="Most files")] = 100
    """The most Parquet files, of which the Hub makes them up to 500 MB large."""


class DatasetConnector:
    """A location is a Parquet file of the split, with the hash that the Hub gives as version."""

    def __init__(self, config: DatasetConfig, _tools: Tools) -> None:
        self._config = config
        self._root = f"datasets/{config.dataset}@refs/convert/parquet/{config.subset}/{config.split}"

    async def locations(self) -> Listing:
        """The files of the split; the listing is incomplete where there are more than `max_files`."""
        try:
            async with asyncio.timeout(LIST_SECONDS):
                return await asyncio.to_thread(self._list)
        except TimeoutError as error:
            raise FetchFailed(f"{self._config.dataset} was not listed in {LIST_SECONDS:g} s.") from error

    def _list(self) -> Listing:
        files = hub()
        try:
            files.invalidate_cache()
            found: Mapping[str, Mapping[str, Any]] = files.find(self._root, detail=True)
        except Exception as error:  # of many kinds: of the network, of the Hub
            raise FetchFailed(f"{self._config.dataset} cannot be listed: {brief(error)}") from error
        locations = [
            Location(path.rpartition("/")[2], version_of(status))
            for path, status in sorted(found.items())
            if path.endswith(".parquet")
        ]
        if not locations:
            raise FetchFailed(f"The Hub has no split {self._config.split} of {self._config.dataset} as Parquet.")
        most = self._config.max_files
        problem = ConnectorProblem(self._config.dataset, f"Only the first {most:,} files are read (`max_files`).")
        return Listing(locations[:most], len(locations) <= most, [problem] if len(locations) > most else [])

    async def read(self, location: Location, _seen: Seen, /) -> Content:
        """A document for each row."""
        return Content(partial(self._documents, location.key))

    def _documents(self, key: str) -> Iterator[DocumentOrProblem]:
        for number, row in enumerate(self._rows(key), 1):
            yield row_document(f"{key}:{number}", row, self._config)

    def _rows(self, key: str) -> Iterator[Row]:
        try:
            with hub().open(f"{self._root}/{key}", "rb") as file:
                yield from parquet_rows(file, key, self._config.stated_values)
        except FetchFailed:
            raise
        except Exception as error:  # of many kinds: of the network, of the Hub
            raise FetchFailed(f"{key} cannot be read on: {brief(error)}") from error


def hub() -> "AbstractFileSystem":
    """The Hub without credentials, so that a connector reads only what is public."""
    try:
        from huggingface_hub import HfFileSystem  # noqa: PLC0415  (in an extra)
    except ImportError as error:
        raise FetchFailed(f"Datasets of the Hub need huggingface_hub: {INSTALL}") from error
    return HfFileSystem(token=False)


KIND = ConnectorKind(
    name="dataset",
    summary="rows of a public dataset of the Hugging Face Hub, each with its source",
    config=DatasetConfig,
    main_field="dataset",
    make=DatasetConnector,
    deletes=lambda config: config.sync,
)
