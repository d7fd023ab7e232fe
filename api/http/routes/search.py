"""Search: the best passages over all sources, for generators of others."""

from typing import Annotated

from fastapi import APIRouter

from api.http.dependencies import PROTECTED, ReadOrAskAccess
from api.http.openapi import examples
from api.http.schemas.search import HitView, SearchResult
from registry.search.schemas import SearchInput
from registry.search.service import folded_search

router = APIRouter(prefix="/v1/corpora/{corpus}", tags=["answers"], dependencies=PROTECTED)


@router.post("/search", summary="Search passages over all sources")
async def search_passages(body: Annotated[SearchInput, examples.SEARCH], access: ReadOrAskAccess) -> SearchResult:
    """Ranked by relevance and by the reliability of their sources on the topic of the query, as far as
    `reliability_weight` lets it count. Copies are folded into one hit. Nothing is stored.
    """
    corpus = await access.corpus()
    hits = await folded_search(access.runtime, corpus, body, access.viewer)
    return SearchResult(items=[HitView.of_folded(hit) for hit in hits])
