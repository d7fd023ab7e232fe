"""The documents that claims are held against: those that were sent, or those that a search of the corpus finds."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncSession

from answering.conflict import DocumentPart, GroundingDocument
from answering.parameters import Number
from answering.passages import RetrievedPassage
from registry.conflict_scores.documents import DocumentReference, NamedDocuments, named_documents
from registry.ingest.chunking import chunk
from registry.inputs.conflict_scores import ConflictParameters
from registry.inputs.documents import MediaType
from registry.inputs.fields import ExternalId, Input, Name, NotBlank, Storable, Title
from registry.models import Corpus
from registry.runtime import Runtime
from registry.store import passages
from registry.store.reliabilities import Reliabilities, SourceReliability, current_reliabilities

MAX_DOCUMENTS = 100
MAX_DOCUMENT_CHARACTERS = 100_000


class GivenDocument(Input):
    """A document that comes with the request and is not kept."""

    content: Annotated[str, Field(min_length=1, max_length=MAX_DOCUMENT_CHARACTERS), Storable, NotBlank]
    """What it says, as text."""
    external_id: ExternalId | None = None
    """Yours; without one it gets its number."""
    title: Title = ""
    """What it is called."""
    source: Name | None = None
    """Who published it. If it is the `external_id` of a source of this corpus, the reliability of that one counts."""
    reliability: Annotated[float, Field(ge=0, le=1), Number] | None = None
    """Of its source, where you know better."""


@dataclass(frozen=True, slots=True)
class ScoringDocuments:
    """Documents for every claim: its own where there is a list for each, otherwise the same for all."""

    per_claim: tuple[tuple[GroundingDocument, ...], ...]
    names: Mapping[str, DocumentReference]
    default: float
    """The reliability that sources count of which nobody knows it."""

    def documents_for(self, place: int) -> tuple[GroundingDocument, ...]:
        """Those that the claim at this place is held against."""
        return self.per_claim[min(place, len(self.per_claim) - 1)] if self.per_claim else ()

    def shared(self) -> "ScoringDocuments":
        """All documents for every claim."""
        every = {document.key: document for some in self.per_claim for document in some}
        return ScoringDocuments((tuple(every.values()),), self.names, self.default)


async def search(
    runtime: Runtime, corpus: Corpus, parameters: ConflictParameters, wanted: Sequence[str]
) -> ScoringDocuments:
    """What the corpus has on each of the wanted texts."""
    vectors = await runtime.embedder.embed(wanted) if wanted else ()
    async with runtime.database.begin() as session:
        current = await current_reliabilities(session, corpus)
        found = [
            await _found(session, corpus, text, vector, parameters)
            for text, vector in zip(wanted, vectors, strict=True)
        ]
    by_id = {standing.source_id: standing for standing in current.sources}
    libraries = [
        # A source that came up between two statements waits for the next score.
        named_documents([one for one in some if one.source_id in by_id], by_id)
        for some in found
    ]
    names = {key: known for library in libraries for key, known in library.names.items()}
    return ScoringDocuments(tuple(library.documents for library in libraries), names, current.prior)


async def hold(runtime: Runtime, corpus: Corpus, given: Sequence[GivenDocument]) -> ScoringDocuments:
    """The given documents, with what the corpus knows of their sources."""
    async with runtime.database.begin() as session:
        current = await current_reliabilities(session, corpus)
    library = await asyncio.to_thread(_given, given, current, runtime.settings.passage_characters)
    return ScoringDocuments((library.documents,), library.names, current.prior)


async def _found(
    session: AsyncSession, corpus: Corpus, text: str, vector: passages.Vector, parameters: ConflictParameters
) -> list[RetrievedPassage]:
    candidates = await passages.candidate_sources(session, corpus, text, vector, limit=parameters.max_sources)
    found = await passages.top_passages(session, corpus, list(candidates), text, vector, parameters.passages_per_source)
    return [passage for some in found.values() for passage in some]


def _given(given: Sequence[GivenDocument], current: Reliabilities, characters: int) -> NamedDocuments:
    by_name = {standing.external_id: standing for standing in current.sources}
    documents, names = [], {}
    for number, one in enumerate(given, 1):
        key, standing = str(number), by_name.get(one.source or "")
        names[key] = _names(one, number, standing)
        parts = tuple(
            DocumentPart(piece.content, piece.start, key)
            for piece in chunk(one.content, MediaType.TEXT, characters=characters)
        )
        known = standing.reliability if standing and one.reliability is None else one.reliability
        documents.append(GroundingDocument(key, parts, names[key].source, known))
    return NamedDocuments(tuple(documents), names)


def _names(one: GivenDocument, number: int, standing: SourceReliability | None) -> DocumentReference:
    external_id = one.external_id or str(number)
    return DocumentReference(
        source_id=standing.source_id if standing else None,
        source=standing.name if standing else one.source or one.title or f"Document {number}",
        document_id=None,
        external_id=external_id,
        title=one.title,
    )
