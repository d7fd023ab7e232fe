"""Wordings of an answer that people joined."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response

from api.http.dependencies import PROTECTED, IngestAccess, PageParameters, ReadAccess
from api.http.openapi import examples
from api.http.openapi.responses import created
from api.http.schemas.queries import JoinList, JoinView
from registry.platform.fields import Question
from registry.queries.schemas import JoinInput
from registry.queries.store import joined_answers

router = APIRouter(prefix="/v1/corpora/{corpus}/joined-answers", tags=["queries"], dependencies=PROTECTED)

JoinId = Annotated[UUID, Path(description="Identifier of the join.")]


@router.post("", status_code=201, summary="Join wordings of an answer", responses={201: created("They are joined.")})
async def join_answers(body: Annotated[JoinInput, examples.JOIN], access: IngestAccess, response: Response) -> JoinView:
    """Makes them one answer to this question: in answers, consensus and evaluations at once, and in estimations from
    the next one on. Answers that were given stay as they are.
    """
    async with access.begin() as (session, corpus):
        view = JoinView.model_validate(await joined_answers.add(session, corpus, body))
    response.headers["Location"] = access.path("joined-answers", view.id)
    return view


@router.get("", summary="List joined wordings")
async def list_joins(
    access: ReadAccess,
    paging: PageParameters,
    question: Annotated[Question | None, Query(description="Only those of this question.")] = None,
) -> JoinList:
    """Returns the joins in force; none for keys that do not see everything."""
    async with access.begin() as (session, corpus):
        page = await joined_answers.page(
            session, corpus, question=question, cursor=paging.cursor, limit=paging.limit, viewer=access.viewer
        )
    return JoinList.of(page, JoinView.model_validate)


@router.delete("/{join_id}", status_code=204, summary="Undo a join of wordings")
async def undo_join(access: IngestAccess, join_id: JoinId) -> None:
    """The wordings are different answers again, unless another join holds them together. Needs the scope `ingest`, for
    joins of others `admin`.
    """
    async with access.begin() as (session, corpus):
        await joined_answers.undo(session, corpus, join_id, only_own=access.only_own)
