"""The kinds of connector, one module a kind."""

from enum import StrEnum
from typing import Any

from registry.connectors.connector import ConnectorKind
from registry.connectors.kinds import archive, dataset, feed, folder, okf, pages, remote, table

CONNECTORS: list[ConnectorKind[Any]] = [
    *(folder.KIND, table.KIND, feed.KIND, pages.KIND),
    *(archive.KIND, remote.KIND, dataset.KIND, okf.KIND),
]


class Kind(StrEnum):
    """The kind of a connector."""

    FOLDER = "folder"
    TABLE = "table"
    FEED = "feed"
    PAGES = "pages"
    ARCHIVE = "archive"
    REMOTE = "remote"
    DATASET = "dataset"
    OKF = "okf"


def kind_named(name: str) -> ConnectorKind[Any]:
    """The kind of that name; raises `KeyError`."""
    return {kind.name: kind for kind in CONNECTORS}[name]
