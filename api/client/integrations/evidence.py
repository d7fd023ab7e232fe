"""The requests of the retrievers of all frameworks, and their metadata of passages and answers as plain JSON values."""

from collections.abc import Mapping
from typing import Any

from api.client import calls
from api.client.call import Call
from api.http.schemas.search import HitView, SearchResult
from registry.answers.result_schemas import AnswerResult, Citation
from registry.search.schemas import SearchInput

Values = dict[str, Any]


def search_call(query: str, limit: int, corpus: str, parameters: Mapping[str, Any]) -> Call[SearchResult]:
    """The search; `parameters` are further fields of `SearchInput`. Raises pydantic's `ValidationError`."""
    return calls.search(SearchInput.model_validate({"query": query, "limit": limit, **parameters}), corpus=corpus)


def passage_id(hit: HitView) -> str:
    """An id of the passage: its document and where it begins."""
    return f"{hit.document_id}:{hit.start}"


def passage_metadata(hit: HitView) -> Values:
    """Whose the passage is, how far that source is to be trusted, and who else publishes it."""
    return {
        "source": hit.source_name,
        "source_id": str(hit.source_id),
        "reliability": hit.reliability,
        "lower": hit.lower,
        "upper": hit.upper,
        "relevance": hit.relevance,
        "title": hit.title,
        "url": hit.url,
        "published_at": hit.published_at.isoformat() if hit.published_at else None,
        "document_id": str(hit.document_id),
        "independent_sources": hit.independent_sources,
        "copies": [copy.source_name for copy in hit.copies],
    }


def citation_metadata(citation: Citation, result: AnswerResult) -> Values:
    """Whose the quote is, how far that source is to be trusted, and what it is quoted for."""
    source = next((source for source in result.selected_sources if source.source_id == citation.source_id), None)
    return {
        "source": source and source.name,
        "source_id": str(citation.source_id),
        "reliability": source and source.reliability,
        "lower": source and source.lower,
        "upper": source and source.upper,
        "relevance": source and source.relevance,
        "title": citation.title,
        "url": citation.url,
        "published_at": citation.published_at.isoformat() if citation.published_at else None,
        "document_id": str(citation.document_id),
        "answer": citation.answer or (result.answers[0] if result.answers else None),
    }


def answer_text(result: AnswerResult) -> str:
    """The answers, the most probable first; without one why there is none."""
    if result.answers:
        return ", ".join(result.answers)
    return result.no_answer.text if result.no_answer else "The sources give no answer."


def answer_metadata(result: AnswerResult) -> Values:
    """The metadata of an answer: confidence, independent sources, dissent, and notes."""
    kept = {"outcome", "confidence", "calibrated_confidence", "margin", "dissent", "dissent_citations", "certificate"}
    kept |= {"notes"}
    independent_votes = result.tally[0].independent_votes if result.tally else 0
    return {**result.model_dump(mode="json", include=kept), "independent_votes": independent_votes}
