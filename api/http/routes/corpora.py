"""Corpora: namespaces of sources."""

from typing import Annotated

from fastapi import APIRouter, Response

from api.http import examples, problems
from api.http.auth import require_sight
from api.http.dependencies import JSON, KEY, Administering, AnyReader, InList, Operator, Reading
from api.http.describe import made, posts, reads, writes
from api.http.schemas.corpora import CorpusList, CorpusView
from registry.inputs.corpora import CorpusInput, CorpusPatch
from registry.store import corpora

all_of_them = APIRouter(prefix="/v1/corpora", tags=["corpora"], dependencies=[KEY, JSON])
one_of_them = APIRouter(prefix="/v1/corpora/{corpus}", tags=["corpora"], dependencies=[KEY, JSON])


@all_of_them.post(
    "",
    status_code=201,
    summary="Make a corpus",
    responses={201: made("The new corpus."), **posts(problems.CONFLICT)},
)
async def create_corpus(
    given: Annotated[CorpusInput, examples.CORPUS], caller: Operator, response: Response
) -> CorpusView:
    """Needs an operator's key with the scope `admin`."""
    async with caller.runtime.database.begin() as session:
        corpus = await corpora.create(session, given)
    response.headers["Location"] = f"/v1/corpora/{corpus.name}"
    return CorpusView.model_validate(corpus)


@all_of_them.get("", summary="List corpora", responses=reads())
async def list_corpora(caller: AnyReader, place: InList) -> CorpusList:
    """All corpora the key may see. Needs the scope `read`."""
    async with caller.runtime.database.begin() as session:
        if caller.principal.corpus_id is not None:
            only = await corpora.get_by_id(session, caller.principal.corpus_id)
            return CorpusList(items=[CorpusView.model_validate(only)], next_cursor=None)
        page = await corpora.page(session, cursor=place.cursor, limit=place.limit)
    return CorpusList(items=[CorpusView.model_validate(corpus) for corpus in page.items], next_cursor=page.next_cursor)


@one_of_them.get("", summary="Read a corpus", responses=reads())
async def get_corpus(access: Reading) -> CorpusView:
    """Needs the scope `read`."""
    return CorpusView.model_validate(await access.corpus())


@one_of_them.patch("", summary="Change a corpus", responses=writes(problems.CONFLICT))
async def update_corpus(patch: Annotated[CorpusPatch, examples.CORPUS_PATCH], access: Administering) -> CorpusView:
    """What is left out stays. Needs the scope `admin`."""
    async with access.begin() as (session, corpus):
        changed = await corpora.update(session, corpus, patch)
    return CorpusView.model_validate(changed)


@one_of_them.delete("", status_code=204, summary="Delete a corpus", responses=reads(problems.CONFLICT))
async def delete_corpus(caller: Operator, access: Administering) -> None:
    """With all that is in it. The corpus `default` stays. Needs an operator's key with the scope `admin`."""
    async with access.begin() as (session, corpus):
        require_sight(caller.principal, corpus)
        await corpora.delete(session, corpus)
