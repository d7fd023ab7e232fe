"""Hits of a search."""

from typing import TYPE_CHECKING, Self
from uuid import UUID

from pydantic import Field

from api.http.schemas.base import Share, Time, View

if TYPE_CHECKING:
    from registry.search.service import FoldedHit, Hit


class HitSource(View):
    """The source and the document of a passage."""

    source_id: UUID = Field(description="The source.")
    source_name: str = Field(description="Its name.", examples=["Acme blog"])
    reliability: Share | None = Field(description="Its reliability on the topic of the query; null if unknown.")
    lower: Share | None = Field(description="Lower end of the 90 % interval of its estimate; null if unknown.")
    upper: Share | None = Field(description="Upper end of it.")
    document_id: UUID = Field(description="The document.")
    document_external_id: str = Field(description="The caller's own identifier of it.", examples=["post-17"])
    title: str = Field(description="Its title.", examples=["The Zephyr 3 is here"])
    url: str | None = Field(description="Address of the document, else of the source.")
    published_at: Time | None = Field(description="When it was published; null if unknown.")

    @classmethod
    def of(cls, hit: "Hit") -> Self:
        passage, source = hit.passage, hit.source
        return cls(
            source_id=source.source_id,
            source_name=source.name,
            reliability=source.reliability,
            lower=source.lower,
            upper=source.upper,
            document_id=passage.document_id,
            document_external_id=passage.external_id,
            title=passage.title,
            url=hit.url,
            published_at=passage.published_at,
        )


class HitView(HitSource):
    """A passage, how well it fits, and who else publishes it."""

    score: Share = Field(description="Relevance weighed by reliability.")
    relevance: Share = Field(description="Cosine similarity to the query and the share of its words, three to two.")
    content: str = Field(description="The passage.", examples=["The Zephyr 3 was announced in Oslo on 4 May 2021."])
    start: int = Field(description="Offset in the text of the document, in characters.")
    end: int = Field(description="Where it ends.")
    independent_sources: int = Field(description="Sources that publish it; those of one copy group count once.")
    copies: list[HitSource] = Field(description="Near-equal passages that are folded into this one.")

    @classmethod
    def of_folded(cls, folded: "FoldedHit") -> Self:
        hit = folded.hit
        return cls(
            **HitSource.of(hit).model_dump(),
            score=hit.score,
            relevance=hit.passage.relevance,
            content=hit.passage.content,
            start=hit.passage.start,
            end=hit.passage.end,
            independent_sources=folded.independent_sources,
            copies=[HitSource.of(copy) for copy in folded.copies],
        )


class SearchResult(View):
    """The best passages over all sources."""

    items: list[HitView] = Field(description="The hits, the best first.")
