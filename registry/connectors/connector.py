"""The protocol of a kind of connector; `registry.connectors.kinds.CONNECTORS` lists the kinds.

A connector lists locations (files or addresses) and reads each of them into documents. What was seen of a location is
stored and handed in again, so that a later run reads only what changed.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

from pydantic import ValidationError

from registry.connectors.fetching import Fetcher, Page, Validators
from registry.connectors.result_schemas import ConnectorProblem
from registry.documents.schemas import DocumentLine, require_length
from registry.platform.concurrency import Processes
from registry.platform.errors import InvalidInput
from registry.platform.fields import Input
from registry.platform.ndjson import explain

if TYPE_CHECKING:
    from registry.platform.settings import Settings

MAX_EXTERNAL_ID = 500


@dataclass(frozen=True, slots=True)
class Location:
    """A file or an address that is read; `version` changes with its content, where the listing says so much."""

    key: str
    version: str | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """The locations to read. What is not in a complete listing any more is gone."""

    locations: Sequence[Location]
    complete: bool = True
    problems: Sequence[ConnectorProblem] = ()


NONE_YET = Validators()


@dataclass(frozen=True, slots=True)
class Seen:
    """The stored state of a location when it was last read."""

    version: str | None = None
    validators: Validators = NONE_YET
    content_hash: bytes | None = None
    set_aside: bool = False
    """Whether this version, or content, is not read again."""


DocumentOrProblem: TypeAlias = DocumentLine | ConnectorProblem


@dataclass(frozen=True, slots=True)
class Content:
    """The documents of a location, by a function for a process of its own; reading them may raise `FetchFailed`."""

    documents: Callable[[], Iterator[DocumentOrProblem]]
    validators: Validators = NONE_YET
    content_hash: bytes | None = None


class Connector(Protocol):
    """Lists locations and reads them."""

    async def locations(self) -> Listing:
        """List the locations to read; raises `FetchFailed` if they are unknown."""
        ...

    async def read(self, location: Location, seen: Seen, /) -> Content | None:
        """The documents of a location, or None where they are those seen before.

        Raises `NothingThere` if the location is gone, and `FetchFailed` if it cannot be read.
        """
        ...


@dataclass(frozen=True, slots=True)
class Tools:
    """The clients and limits that connectors read with."""

    settings: "Settings"
    fetcher: Fetcher
    processes: Processes | None = None
    """Processes that parse fetched content; None: threads of this process do."""


Config = TypeVar("Config", bound=Input)


@dataclass(frozen=True, slots=True)
class ConnectorKind(Generic[Config]):
    """A kind of connector: its name, what it reads, its configuration, and how one is made."""

    name: str
    summary: str
    config: type[Config]
    main_field: str
    """The field of the configuration that holds the paths or addresses."""
    make: Callable[[Config, Tools], Connector]
    deletes: Callable[[Config], bool]
    """Whether documents that are gone are deleted."""
    paths: Callable[[Config], Sequence[Path]] | None = None
    """Files and folders of this machine that it reads; None: it reads others."""


def document(location: str, **fields: Any) -> DocumentOrProblem:  # noqa: ANN401  (fields of any type, which are validated)
    """A document, or why it is none; empty fields are left out and control characters in the title replaced.

    One that is too long is said so here, where it would else be held until it is written.
    """
    present = {name: value for name, value in fields.items() if value is not None and value != ""}
    if isinstance(present.get("title"), str):
        present["title"] = " ".join(present["title"].split())[:2_000]
    try:
        if isinstance(present.get("content"), str):
            require_length(present["content"])
        return DocumentLine.model_validate(present)
    except (ValidationError, InvalidInput) as error:
        reason = explain(error) if isinstance(error, ValidationError) else str(error)
        return ConnectorProblem(location, reason, str(fields.get("external_id") or "")[:MAX_EXTERNAL_ID] or None)


async def changed_page(fetcher: Fetcher, location: Location, seen: Seen) -> Page | None:
    """The page at a location, or None where it is the one seen before, by its validators or its content."""
    page = await fetcher.get(location.key, seen.validators)
    return None if page is None or page.content_hash == seen.content_hash else page


def bounded_id(identifier: str) -> str:
    """An external id as it stands, or with its end replaced by a hash where it is too long."""
    if len(identifier) <= MAX_EXTERNAL_ID:
        return identifier
    return f"{identifier[:430]}#{hashlib.sha256(identifier.encode()).hexdigest()}"
