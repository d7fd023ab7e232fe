"""Documents that claims are held against, with the names that a reader knows them by."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from answering.conflict import DocumentPart, GroundingDocument
from answering.passages import RetrievedPassage
from registry.store.reliabilities import SourceReliability


@dataclass(frozen=True, slots=True)
class DocumentReference:
    """What a document and its source are called."""

    source_id: UUID | None
    source: str
    document_id: UUID | None
    external_id: str
    title: str


@dataclass(frozen=True, slots=True)
class NamedDocuments:
    """Documents in their order, and the names of each text that a part was cut from, by its `origin`."""

    documents: tuple[GroundingDocument, ...]
    names: Mapping[str, DocumentReference]


def named_documents(found: Iterable[RetrievedPassage], sources: Mapping[UUID, SourceReliability]) -> NamedDocuments:
    """What was found of each source, as one document: a source counts once, however much of it was found."""
    by_source: dict[UUID, dict[DocumentPart, None]] = {}
    names: dict[str, DocumentReference] = {}
    for one in found:
        origin, source = str(one.document_id), sources[one.source_id]
        names[origin] = DocumentReference(source.source_id, source.name, one.document_id, one.external_id, one.title)
        by_source.setdefault(one.source_id, {})[DocumentPart(one.content, one.start, origin)] = None
    documents = tuple(
        GroundingDocument(str(source_id), tuple(parts), sources[source_id].name, sources[source_id].reliability)
        for source_id, parts in by_source.items()
    )
    return NamedDocuments(documents, names)
