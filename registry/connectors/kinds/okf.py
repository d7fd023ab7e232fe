"""Bundles of the Open Knowledge Format 0.2 (GoogleCloudPlatform/knowledge-catalog, okf/SPEC.md): Markdown with front
matter that says what each concept derives from. What a bundle leaves to its consumers, how far to believe whom, is
exported as `credibility`.
"""

import asyncio
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Final

from pydantic import Field

from registry.connectors.connector import (
    ConnectorKind,
    Content,
    DocumentOrProblem,
    Listing,
    Location,
    Seen,
    Tools,
    bounded_id,
    document,
)
from registry.connectors.files import text_of
from registry.connectors.kinds.okf_concepts import Concept, concept_of, statements
from registry.connectors.local_files import LocalFiles
from registry.connectors.web import WebConfig
from registry.documents.schemas import MediaType
from registry.platform.errors import FetchFailed
from registry.platform.fields import CONCEPT, ENTRY, NotBlank, Storable

RESERVED: Final = frozenset({"index.md", "log.md"})
MAX_NAME = 200
WEB: Final = ("http://", "https://")


class OkfConfig(WebConfig):
    """Concepts of a bundle."""

    path: Annotated[str, Field(max_length=2_000), Storable, NotBlank]
    """The folder of the bundle, on the machine of the worker."""
    stale: bool = Field(default=False, title="Stale concepts too")
    """Whether concepts past `stale_after`, and deprecated ones, are read too."""


class OkfConnector:
    """A location is a concept, with the size and time of its file as version; its documents are what each of its
    sources says in it.
    """

    def __init__(self, config: OkfConfig, tools: Tools) -> None:
        self._config = config
        self._files = LocalFiles(Path(config.path), tools.settings)
        self._max_bytes = tools.settings.connector_max_bytes

    async def locations(self) -> Listing:
        """All concepts that are current; those that no longer are count as gone."""
        return await asyncio.to_thread(self._list)

    def _list(self) -> Listing:
        try:
            names = [name for name in self._files.names() if name.endswith(".md")]
            concepts = [name for name in names if PurePosixPath(name).name not in RESERVED]
            return Listing([Location(name, self._files.version(name)) for name in concepts if self._is_read(name)])
        except OSError as error:
            raise FetchFailed(f"The bundle {self._config.path} cannot be read: {error.strerror}.") from error

    def _is_read(self, name: str) -> bool:
        try:
            return self._config.stale or not _is_over(self._concept(name), datetime.now(UTC).date())
        except FetchFailed:  # which its reading tells
            return True

    async def read(self, location: Location, _seen: Seen, /) -> Content:
        """A document for each source that the concept cites, and one for the rest."""
        return Content(partial(self._documents, location.key))

    def _concept(self, name: str) -> Concept:
        try:
            with self._files.open(name) as file:
                content = file.read(self._max_bytes + 1)
        except OSError as error:
            raise FetchFailed(f"The file cannot be read: {error.strerror}.") from error
        if len(content) > self._max_bytes:
            raise FetchFailed(f"The file is larger than {self._max_bytes:,} bytes (CREDENCE_CONNECTOR_MAX_BYTES).")
        return concept_of(text_of(content))

    def _documents(self, name: str) -> Iterator[DocumentOrProblem]:
        concept, identity = self._concept(name), name.removesuffix(".md")
        entries = {str(each.get("id") or each["resource"]): each for each in concept.entries}
        entries = {} if self._config.source else entries
        made = concept.text("generated", "at") or concept.text("timestamp")
        common = {
            "title": concept.text("title") or PurePosixPath(identity).name,
            "media_type": MediaType.MARKDOWN.value,
        }
        about = {CONCEPT: identity, "trust": concept.trust} | {
            key: value for key in ("type", "status", "stale_after") if (value := concept.text(key))
        }
        for cited, content in statements(concept, list(entries)).items():
            entry = entries.get(cited or "", {})
            resource = str(entry.get("resource", "")) if cited else concept.text("resource")
            signals = {key: str(entry[key]) for key in ("author", "usage_count", "last_modified") if key in entry}
            yield document(
                name,
                **common,
                external_id=bounded_id(f"{identity}#{cited}" if cited else identity),
                source=(self._source_of(entry) if cited else self._writer_of(concept))[:MAX_NAME],
                url=resource if resource.startswith(WEB) else None,
                published_at=_moment(signals.get("last_modified") or made),
                content=content,
                attributes=about | signals | ({ENTRY: cited, "resource": resource} if cited else {}),
            )

    def _source_of(self, entry: Mapping[str, Any]) -> str:
        """Who said it: the author, else whose address it is, else what it is called."""
        resource = str(entry["resource"])
        if entry.get("author"):
            return str(entry["author"])
        return self._config.source_of(resource) if resource.startswith(WEB) else str(entry.get("title") or resource)

    def _writer_of(self, concept: Concept) -> str:
        return self._config.source or concept.text("generated", "by") or Path(self._config.path).name


def _is_over(concept: Concept, today: date) -> bool:
    """Whether a concept is deprecated, or stale on this day."""
    until = concept.text("stale_after")[:10]
    return concept.text("status") == "deprecated" or ("" < until <= today.isoformat())


def _moment(text: str) -> str | None:
    """A time as documents have it; None for what is none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat()


KIND = ConnectorKind(
    name="okf",
    summary="a bundle of the Open Knowledge Format: what each of its sources says, by footnotes",
    config=OkfConfig,
    main_field="path",
    make=OkfConnector,
    deletes=lambda _: True,
    paths=lambda config: [Path(config.path)],
)
