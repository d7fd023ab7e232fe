"""Corpora: namespaces of sources."""

from typing import Annotated

from fastapi import APIRouter, Response

from api.http.authorization import require_operator, require_visible
from api.http.dependencies import PROTECTED, AdminAccess, OperatorCaller, PageParameters, ReadAccess, ReadCaller
from api.http.openapi import examples
from api.http.openapi.responses import created
from api.http.schemas.corpora import CorpusList, CorpusView
from registry.corpora import store as corpora
from registry.corpora.schemas import CorpusInput, CorpusPatch
from registry.keys.schemas import QuotaInput

collection = APIRouter(prefix="/v1/corpora", tags=["corpora"], dependencies=PROTECTED)
item = APIRouter(prefix="/v1/corpora/{corpus}", tags=["corpora"], dependencies=PROTECTED)


@collection.post("", status_code=201, summary="Make a corpus", responses={201: created("The new corpus.")})
async def create_corpus(
    body: Annotated[CorpusInput, examples.CORPUS], caller: OperatorCaller, response: Response
) -> CorpusView:
    async with caller.runtime.database.begin() as session:
        corpus = await corpora.create(session, body)
    response.headers["Location"] = f"/v1/corpora/{corpus.name}"
    return CorpusView.model_validate(corpus)


@collection.get("", summary="List corpora")
async def list_corpora(caller: ReadCaller, paging: PageParameters) -> CorpusList:
    """All corpora the key may see."""
    async with caller.runtime.database.begin() as session:
        if caller.principal.corpus_id is not None:
            own = await corpora.get_by_id(session, caller.principal.corpus_id)
            return CorpusList(items=[CorpusView.model_validate(own)], next_cursor=None)
        page = await corpora.page(session, cursor=paging.cursor, limit=paging.limit)
    return CorpusList.of(page, CorpusView.model_validate)


@item.get("", summary="Read a corpus")
async def get_corpus(access: ReadAccess) -> CorpusView:
    return CorpusView.model_validate(await access.corpus())


@item.patch("", summary="Change a corpus")
async def update_corpus(patch: CorpusPatch, access: AdminAccess) -> CorpusView:
    """Fields that you leave out stay. Needs the scope `admin`, and for quotas an operator's key."""
    if patch.model_fields_set & QuotaInput.model_fields.keys():
        require_operator(access.principal)
    async with access.begin() as (session, corpus):
        changed = await corpora.update(session, corpus, patch)
    return CorpusView.model_validate(changed)


@item.delete("", status_code=204, summary="Delete a corpus")
async def delete_corpus(caller: OperatorCaller, access: AdminAccess) -> None:
    """Deletes everything in it too. The corpus `default` cannot be deleted."""
    async with access.begin() as (session, corpus):
        require_visible(caller.principal, corpus)
        await corpora.delete(session, corpus)
