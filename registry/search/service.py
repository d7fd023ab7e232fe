"""Search over all sources: the passages nearest to a text, weighed by the reliability of their sources on its topic."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from answering.passages import RetrievedPassage
from registry.corpora.model import Corpus
from registry.documents import store as documents
from registry.documents.extraction import NEAR_DUPLICATE, signature
from registry.passages import store as passages
from registry.passages.schemas import EvidenceFilter, MetadataFilter
from registry.passages.store.candidates import candidate_sources
from registry.platform.database.base import AsyncSession
from registry.runtime import Runtime
from registry.search.schemas import SearchInput
from registry.sources import store as sources
from registry.sources.reliabilities import SourceReliability, of_sources
from registry.sources.store.estimates import topic_of_question
from registry.viewers.model import ALL_SEEING, Viewer

# The score is relevance times a factor between 1 - RELIABILITY_WEIGHT, of a source never right, and 1.
RELIABILITY_WEIGHT = 0.5
# Hits that are looked at for one that is shown where copies are folded, and in all.
FOLDED_DEPTH, MAX_DEPTH = 3, 100
EVERYTHING = EvidenceFilter()

Fingerprint: TypeAlias = tuple[str, ...] | NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage, its source, and its score in [0, 1]."""

    passage: RetrievedPassage
    source: SourceReliability
    score: float
    url: str | None
    """Address of the document, else of the source."""


@dataclass(frozen=True, slots=True)
class FoldedHit:
    """A hit, and the hits whose passages are near-equal to its own."""

    hit: Hit
    copies: tuple[Hit, ...]

    @property
    def independent_sources(self) -> int:
        """Number of sources that publish the passage; those of one copy group count once."""
        sources = (hit.source for hit in (self.hit, *self.copies))
        return len({source.source_id if source.copy_group is None else source.copy_group for source in sources})


async def folded_search(
    runtime: Runtime, corpus: Corpus, values: SearchInput, viewer: Viewer = ALL_SEEING
) -> Sequence[FoldedHit]:
    """The best passages, at most `values.limit`, with near-equal ones as one hit if that is wanted."""
    depth = max(values.limit, min(FOLDED_DEPTH * values.limit, MAX_DEPTH)) if values.fold_copies else values.limit
    weight = values.reliability_weight
    hits = await search(
        runtime, corpus, values.query, limit=depth, reliability_weight=weight, restriction=values, viewer=viewer
    )
    return fold(hits)[: values.limit] if values.fold_copies else [FoldedHit(hit, ()) for hit in hits]


def fold(hits: Sequence[Hit]) -> list[FoldedHit]:
    """The hits, each with the later ones whose passages are near-equal to its own, in the order given."""
    kept: list[tuple[Hit, Fingerprint, list[Hit]]] = []
    for hit in hits:
        fingerprint = _fingerprint(hit.passage.content)
        for _, other, copies in kept:
            if _near_equal(fingerprint, other):
                copies.append(hit)
                break
        else:
            kept.append((hit, fingerprint, []))
    return [FoldedHit(hit, tuple(copies)) for hit, _, copies in kept]


def _fingerprint(content: str) -> Fingerprint:
    """The MinHash signature; of a passage too short for one its words."""
    places = signature(content)
    return tuple(content.casefold().split()) if places is None else np.frombuffer(places, dtype="<u4")


def _near_equal(first: Fingerprint, second: Fingerprint) -> bool:
    if isinstance(first, tuple) or isinstance(second, tuple):
        return isinstance(first, tuple) and isinstance(second, tuple) and first == second
    return float((first == second).mean()) >= NEAR_DUPLICATE


async def search(  # noqa: PLR0913  (what narrows it down has names, and none needs setting)
    runtime: Runtime,
    corpus: Corpus,
    text: str,
    *,
    limit: int,
    reliability_weight: float = RELIABILITY_WEIGHT,
    restriction: EvidenceFilter = EVERYTHING,
    metadata: MetadataFilter | None = None,
    viewer: Viewer = ALL_SEEING,
) -> Sequence[Hit]:
    """The best passages that the viewer sees, at most `limit`; an unknown reliability counts as the prior of the
    current estimation.

    Score = relevance * (1 - reliability_weight * (1 - reliability)). Raises
    `NotFound` for a source of the restriction that does not exist.
    """
    vector = (await runtime.embedder.embed([text]))[0]

    async def found(session: AsyncSession) -> list[Hit]:
        where = await passages.passage_filter(session, corpus, restriction, viewer)
        where = replace(where, metadata=metadata)
        candidates = await candidate_sources(session, corpus, text, vector, limit=limit, where=where)
        # Of many sources it takes longer to load what is known of all than to search.
        reliabilities = await of_sources(session, corpus, list(candidates))
        topic = await topic_of_question(session, corpus, reliabilities.run, vector, None)
        by_id = {source.source_id: source for source in reliabilities.on_topic(topic).sources}
        best = await passages.top_passages(session, corpus, list(candidates), text, vector, limit, where)
        hits = [
            (_score(passage, by_id[source_id], reliabilities.prior, reliability_weight), passage, by_id[source_id])
            for source_id, source_passages in best.items()
            # A source that was added between two statements is left out.
            if source_id in by_id
            for passage in source_passages
        ]
        hits = sorted(hits, key=lambda hit: (-hit[0], hit[1].document_id, hit[1].ordinal))[:limit]
        document_urls = await documents.addresses(session, {passage.document_id for _, passage, _ in hits})
        source_urls = await sources.addresses(session, {source.source_id for _, _, source in hits})
        return [
            Hit(passage, source, score, document_urls.get(passage.document_id) or source_urls.get(source.source_id))
            for score, passage, source in hits
        ]

    return await runtime.database.read(found)


def _score(passage: RetrievedPassage, source: SourceReliability, prior: float, weight: float) -> float:
    reliability = prior if source.reliability is None else source.reliability
    return passage.relevance * (1.0 - weight * (1.0 - reliability))
