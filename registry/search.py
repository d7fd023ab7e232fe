"""Search over all sources: the passages nearest to a text, weighed by the reliability of their sources on its topic."""

from collections.abc import Sequence
from dataclasses import dataclass

from answering.passages import RetrievedPassage
from registry.models import Corpus
from registry.runtime import Runtime
from registry.store import documents, passages, sources
from registry.store.reliabilities import SourceReliability, current_reliabilities
from registry.store.topics import topic_of_question

# The score is relevance times a factor between 1 - RELIABILITY_WEIGHT, of a source never right, and 1.
RELIABILITY_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage, its source, and its score in [0, 1]."""

    passage: RetrievedPassage
    source: SourceReliability
    score: float
    url: str | None
    """Address of the document, else of the source."""


async def search(
    runtime: Runtime, corpus: Corpus, text: str, *, limit: int, reliability_weight: float = RELIABILITY_WEIGHT
) -> Sequence[Hit]:
    """The best passages, at most `limit`; an unknown reliability counts as the prior of the current estimation.

    Score = relevance (cosine similarity, clipped to [0, 1]) * (1 - reliability_weight * (1 - reliability)).
    """
    vector = (await runtime.embedder.embed([text]))[0]
    async with runtime.database.begin() as session:
        reliabilities = await current_reliabilities(session, corpus)
        topic = await topic_of_question(session, corpus, reliabilities.run, vector, None)
        by_id = {source.source_id: source for source in reliabilities.on_topic(topic).sources}
        candidates = await passages.candidate_sources(session, corpus, text, vector, limit=limit)
        found = await passages.top_passages(session, corpus, list(candidates), text, vector, limit)
        hits = [
            (_score(passage, by_id[source_id], reliabilities.prior, reliability_weight), passage, by_id[source_id])
            for source_id, source_passages in found.items()
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


def _score(passage: RetrievedPassage, source: SourceReliability, prior: float, weight: float) -> float:
    reliability = prior if source.reliability is None else source.reliability
    return min(max(passage.similarity, 0.0), 1.0) * (1.0 - weight * (1.0 - reliability))
