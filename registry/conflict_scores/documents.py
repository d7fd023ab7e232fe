"""Documents, sent with a response or found in the corpus, against which claims are judged, and the result."""

import asyncio
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from uuid import UUID

from answering.conflict import ConflictScore, DocumentPart, GroundingDocument
from answering.conflict.evidence import ClaimEvidence, DocumentStance
from answering.enums import Uncovered
from answering.judges import Label
from answering.passages import RetrievedPassage
from answering.voting import Electorate
from registry.conflict_scores.schemas import (
    ClaimView,
    ConflictParameters,
    ConflictScoreView,
    ConflictUsage,
    EvidenceView,
    GivenDocument,
)
from registry.corpora.model import Corpus
from registry.documents.extraction import PASSAGE_CHARACTERS, chunk
from registry.documents.schemas import MediaType
from registry.passages import store as passages
from registry.passages.schemas import EvidenceFilter, PassageFilter, Vector
from registry.passages.store import passage_filter
from registry.platform.database.base import AsyncSession
from registry.runtime import Runtime
from registry.sources.reliabilities import Reliabilities, SourceReliability, current_reliabilities
from registry.viewers.model import ALL_SEEING, Viewer

NO_COPIES: Mapping[UUID, tuple[str, ...]] = {}


@dataclass(frozen=True, slots=True)
class DocumentReference:
    """Ids and names of a document and its source; an id is None for what is not in the corpus."""

    source_id: UUID | None
    source: str
    document_id: UUID | None
    external_id: str
    title: str


@dataclass(frozen=True, slots=True)
class NamedDocuments:
    """Documents in their order, and a reference for each text that a part was cut from, by its `origin`."""

    documents: tuple[GroundingDocument, ...]
    references: Mapping[str, DocumentReference]


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


def named_documents(
    retrieved: Iterable[RetrievedPassage],
    sources: Mapping[UUID, SourceReliability],
    electorate: Electorate[UUID],
    copies: Mapping[UUID, tuple[str, ...]] = NO_COPIES,
) -> NamedDocuments:
    """The passages of each source as one document, which counts what its vote does: a source counts once, however many
    of its passages there are. `copies` are the names of others for which it stands.
    """
    by_source: dict[UUID, dict[DocumentPart, None]] = {}
    references: dict[str, DocumentReference] = {}
    for passage in retrieved:
        origin, source = str(passage.document_id), sources[passage.source_id]
        references[origin] = DocumentReference(
            source.source_id, source.name, passage.document_id, passage.external_id, passage.title
        )
        by_source.setdefault(passage.source_id, {})[DocumentPart(passage.content, passage.start, origin)] = None
    documents = tuple(
        GroundingDocument(
            str(source_id),
            tuple(parts),
            sources[source_id].name,
            electorate.reliability(source_id),
            electorate.copy_group(source_id),
            copies.get(source_id, ()),
        )
        for source_id, parts in by_source.items()
    )
    return NamedDocuments(documents, references)


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


def conflict_view(
    score: ConflictScore,
    references: Mapping[str, DocumentReference],
    *,
    default: float,
    uncovered: Uncovered = Uncovered.ZERO,
    milliseconds: float,
) -> ConflictScoreView:
    """The whole score; `default` is the reliability of sources for which there is no estimate."""
    plain, weighted = score.scores(uncovered), score.weighted_scores(default, uncovered)
    claims = tuple(_claim(claim, references) for claim in score.claims)
    documents = [stance.document for claim in score.claims for stance in claim.stances]
    return ConflictScoreView(
        cs_c=plain.cs_c,
        cs_r=plain.cs_r,
        weighted_cs_c=weighted.cs_c,
        weighted_cs_r=weighted.cs_r,
        claims=claims,
        uncovered=sum(not (claim.supporting or claim.contradicting) for claim in claims),
        documents=len({document.key for document in documents}),
        judge=score.judge,
        splitter=score.splitter,
        notes=score.notes,
        usage=ConflictUsage(
            judgements=sum(len(document.parts) for document in documents),
            model_calls=score.usage.model_calls,
            input_tokens=score.usage.input_tokens,
            output_tokens=score.usage.output_tokens,
            milliseconds=milliseconds,
        ),
    )


async def _search(
    session: AsyncSession,
    corpus: Corpus,
    text: str,
    vector: Vector,
    parameters: ConflictParameters,
    where: PassageFilter,
) -> list[RetrievedPassage]:
    sources = await passages.candidate_sources(session, corpus, text, vector, limit=parameters.max_sources, where=where)
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


def _claim(evidence: ClaimEvidence, references: Mapping[str, DocumentReference]) -> ClaimView:
    return ClaimView(
        text=evidence.claim.text,
        start=evidence.claim.start,
        end=evidence.claim.end,
        conflicting=evidence.conflicting,
        ratio=evidence.weights(lambda _: 1.0).ratio,
        supporting=tuple(_evidence(copies, references) for copies in evidence.independent(Label.SUPPORTS)),
        contradicting=tuple(_evidence(copies, references) for copies in evidence.independent(Label.CONTRADICTS)),
        reporting=tuple(_evidence(copies, references) for copies in evidence.independent(Label.REPORTS)),
        irrelevant=len(evidence.labelled(Label.IRRELEVANT)),
    )


def _evidence(copies: Sequence[DocumentStance], references: Mapping[str, DocumentReference]) -> EvidenceView:
    """The one of some copies that says it most clearly, with the names of the others."""
    stance, *others = sorted(copies, key=lambda copy: -copy.probability)
    names = dict.fromkeys((*stance.document.copies, *(other.document.source for other in others)))
    part, quote = stance.part or stance.document.parts[0], stance.quote
    reference = references[part.origin]
    return EvidenceView(
        source_id=reference.source_id,
        source=reference.source,
        reliability=stance.document.reliability,
        copies=tuple(name for name in names if name != reference.source),
        document_id=reference.document_id,
        document_external_id=reference.external_id,
        title=reference.title,
        probability=min(stance.probability, 1.0),
        quote=quote.text if quote else None,
        start=quote.start if quote else None,
        end=quote.end if quote else None,
        note=stance.note,
    )
