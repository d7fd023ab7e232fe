"""Dify's external knowledge API: a corpus as a knowledge base."""

from typing import Annotated

from fastapi import APIRouter

from api.chat.reply import web_address
from api.http.authorization import require_visible
from api.http.dependencies import PROTECTED, ReadOrAskCaller
from api.http.openapi import examples
from api.http.schemas.dify import Record, RecordMetadata, RetrievalInput, RetrievalResult
from registry.corpora import store as corpora
from registry.search.service import Hit, search

router = APIRouter(prefix="/v1/dify", tags=["chat clients"], dependencies=PROTECTED)


@router.post("/retrieval", summary="Retrieve passages for Dify")
async def retrieve(
    caller: ReadOrAskCaller, body: Annotated[RetrievalInput | None, examples.RETRIEVAL] = None
) -> RetrievalResult:
    """The passages nearest to the query over all sources of the corpus `knowledge_id`, each scored by its relevance and
    by the reliability of its source: a passage of a source that is always wrong counts half. Conditions on metadata
    choose the documents. Without a body, which is how Dify tries the address and the key, there are no records.
    """
    if body is None:
        return RetrievalResult(records=[])
    async with caller.runtime.database.begin() as session:
        corpus = await corpora.get(session, body.knowledge_id)
        require_visible(caller.principal, corpus)
    top_k = body.retrieval_setting.top_k
    metadata = body.metadata_condition.filter() if body.metadata_condition is not None else None
    hits = await search(caller.runtime, corpus, body.query, limit=top_k, metadata=metadata, viewer=caller.viewer)
    threshold = body.retrieval_setting.score_threshold or 0.0
    return RetrievalResult(records=[_record(hit) for hit in hits if hit.score >= threshold])


def _record(hit: Hit) -> Record:
    passage, url = hit.passage, web_address(hit.url)
    return Record(
        content=passage.content,
        score=hit.score,
        title=f"{hit.source.name}: {passage.title or passage.external_id}",
        metadata=RecordMetadata(
            document_id=str(passage.document_id),
            source=hit.source.name,
            reliability=hit.source.reliability,
            relevance=passage.relevance,
            published_at=passage.published_at.isoformat() if passage.published_at else None,
            url=url,
            path=url or passage.external_id,
        ),
    )
