"""Documents, sent with a response or found in the corpus, against which its claims are judged."""

import asyncio
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from uuid import UUID

from answering.conflict import DocumentPart, GroundingDocument
from answering.embedders import Vector
from answering.passages import RetrievedPassage
from answering.voting import Electorate
from registry.conflict_scores.schemas import (
    ConflictParameters,
    GivenDocument,
)
from registry.conflict_scores.scoring import DocumentReference, NamedDocuments, named_documents
from registry.corpora.model import Corpus
from registry.documents.extraction import PASSAGE_CHARACTERS, chunk
from registry.documents.schemas import MediaType
from registry.passages import store as passages
from registry.passages.schemas import EvidenceFilter, PassageFilter
from registry.passages.store import passage_filter
from registry.passages.store.candidates import candidate_sources
from registry.platform.database.base import AsyncSession
from registry.runtime import Runtime
from registry.sources.reliabilities import Reliabilities, SourceReliability, current_reliabilities
from registry.viewers.model import ALL_SEEING, Viewer


@dataclass(frozen=True, slots=True)
class ScoringDocuments:
    """The documents of each claim, or one tuple for all claims; `default` is the reliability of unknown sources."""

    per_claim: tuple[tuple[GroundingDocument, ...], ...]
    references: Mapping[str, DocumentReference]
    default: float
    left_out: tuple[str, ...] = ()
    """Names of sources of the corpus whose documents do not count, by the rule of debates."""

    def documents_for(self, index: int) -> tuple[GroundingDocument, ...]:
        return self.per_claim[min(index, len(self.per_claim) - 1)] if self.per_claim else ()

    def shared(self) -> "ScoringDocuments":
        """All documents for every claim."""
        by_key = {document.key: document for documents in self.per_claim for document in documents}
        return replace(self, per_claim=(tuple(by_key.values()),))


async def search_documents(
    runtime: Runtime, corpus: Corpus, parameters: ConflictParameters, texts: Sequence[str], viewer: Viewer = ALL_SEEING
) -> ScoringDocuments:
    """The documents that a search finds for each text, of sources that take part and that the viewer sees."""
    vectors = await runtime.embedder.embed(texts) if texts else ()
    current = await runtime.database.read(partial(current_reliabilities, corpus=corpus))
    electorate = current.electorate(parameters.least_reliability)
    distrusted = _distrusted(current, electorate)
    participants = tuple(source.source_id for source in current.sources if source.source_id not in distrusted)
    everything = EvidenceFilter()
    where = await runtime.database.read(partial(passage_filter, corpus=corpus, values=everything, viewer=viewer))
    if distrusted:
        where = replace(where, source_ids=participants)
    search = partial(_search, corpus=corpus, parameters=parameters, where=where)
    retrieved = [
        # Each by itself, as a look-up may take only so long on a replica.
        await runtime.database.read(partial(search, text=text, vector=vector))
        for text, vector in zip(texts, vectors, strict=True)
    ]
    sources = {source.source_id: source for source in current.sources}
    named = [
        # A source that was added between two statements is left out.
        named_documents([passage for passage in text_passages if passage.source_id in sources], sources, electorate)
        for text_passages in retrieved
    ]
    references = {key: reference for group in named for key, reference in group.references.items()}
    return ScoringDocuments(tuple(group.documents for group in named), references, current.prior)


async def given_documents(
    runtime: Runtime, corpus: Corpus, parameters: ConflictParameters, sent: Sequence[GivenDocument]
) -> ScoringDocuments:
    """The documents sent with a response, with the reliabilities of their sources in the corpus, of which only those
    that take part count; documents of others, and those sent with a reliability, are taken as they are.
    """
    current = await runtime.database.read(partial(current_reliabilities, corpus=corpus))
    electorate = current.electorate(parameters.least_reliability)
    distrusted = _distrusted(current, electorate)
    known = {source.external_id: source for source in current.sources}

    def left_out(document: GivenDocument) -> SourceReliability | None:
        source = known.get(document.source or "")
        is_left_out = source is not None and document.reliability is None and source.source_id in distrusted
        return source if is_left_out else None

    kept = [(number, document) for number, document in enumerate(sent, 1) if left_out(document) is None]
    named = await asyncio.to_thread(_chunked, kept, current, electorate, PASSAGE_CHARACTERS)
    names = dict.fromkeys(source.name for document in sent if (source := left_out(document)) is not None)
    return ScoringDocuments((named.documents,), named.references, current.prior, tuple(names))


def _distrusted(current: Reliabilities, electorate: Electorate[UUID]) -> frozenset[UUID]:
    """Sources that would take part in no debate on an answer."""
    return frozenset(source.source_id for source in current.sources if not electorate.takes_part(source.source_id))


async def _search(
    session: AsyncSession,
    corpus: Corpus,
    text: str,
    vector: Vector,
    parameters: ConflictParameters,
    where: PassageFilter,
) -> list[RetrievedPassage]:
    sources = await candidate_sources(session, corpus, text, vector, limit=parameters.max_sources, where=where)
    by_source = await passages.top_passages(
        session, corpus, list(sources), text, vector, parameters.passages_per_source, where
    )
    return [passage for source_passages in by_source.values() for passage in source_passages]


def _chunked(
    sent: Sequence[tuple[int, GivenDocument]],
    current: Reliabilities,
    electorate: Electorate[UUID],
    characters: int,
) -> NamedDocuments:
    sources = {source.external_id: source for source in current.sources}
    documents, references = [], {}
    for number, document in sent:
        key, source = str(number), sources.get(document.source or "")
        references[key] = _reference(document, number, source)
        pieces = chunk(document.content, MediaType.TEXT, characters=characters)
        parts = tuple(DocumentPart(piece.content, piece.start, key) for piece in pieces)
        counted: tuple[float | None, Hashable] = document.reliability, None
        if source and document.reliability is None:
            counted = electorate.reliability(source.source_id), electorate.copy_group(source.source_id)
        documents.append(GroundingDocument(key, parts, references[key].source, *counted))
    return NamedDocuments(tuple(documents), references)


def _reference(document: GivenDocument, number: int, source: SourceReliability | None) -> DocumentReference:
    return DocumentReference(
        source_id=source.source_id if source else None,
        source=source.name if source else document.source or document.title or f"Document {number}",
        document_id=None,
        external_id=document.external_id or str(number),
        title=document.title,
    )
