"""Queries on which sources disagree, the positions of each, and the right answers set by a person."""

from typing import Annotated

from fastapi import Form, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from api.http.dependencies import AdminAccess, PageParameters, ReadAccess
from api.http.routes.estimations import EstimationId, list_disputes
from api.http.routes.queries import QueryId, update_query
from api.pages.agreement_matrix import MEMBERS_SHOWN, AgreementMatrix
from api.pages.judged_query import JudgedQuery
from api.pages.positions import Blocs, positions_of, quoted_votes, quotes_by_source
from api.pages.rendering import address, page
from api.pages.visitors import page_router
from registry.disputes import store as disputes
from registry.estimations import store as estimations
from registry.estimations.explanation import explain_votes
from registry.queries.schemas import QueryPatch
from registry.queries.store import joined_answers
from registry.sources import reliabilities
from registry.sources.store import estimates

NEWEST_CONTRADICTIONS = 50

router = page_router("/corpora/{corpus}/disputes")
query = page_router("/corpora/{corpus}/estimations/{estimation_id}/queries/{query_id}")


@router.get("")
async def show_disputes(request: Request, access: ReadAccess, paging: PageParameters) -> Response:
    """The disputed queries of the current run, least certain first, and contradictions of new documents."""
    async with access.begin() as (session, corpus):
        run = await estimates.current_run(session, corpus)
        total = await disputes.count(session, run, viewer=access.viewer) if run else 0
        found = await disputes.contradictions(
            session, corpus, cursor=None, limit=NEWEST_CONTRADICTIONS, viewer=access.viewer
        )
        publishers = await disputes.publishers(session, found.items)
    listed = await list_disputes(access, paging)
    return page(
        request,
        "disputes/disputes.html",
        corpus=corpus.name,
        run=run,
        disputes=listed,
        total=total,
        contradictions=found.items,
        publishers=publishers,
    )


@query.get("")
async def show_query(request: Request, access: ReadAccess, estimation_id: EstimationId, query_id: QueryId) -> Response:
    """A query of a run with the sources on each position, and what they wrote."""
    async with access.begin() as (session, corpus):
        run = await estimations.get(session, corpus, estimation_id)
        run_query = await estimations.query_of(session, run, query_id, access.viewer)
        votes = await estimations.votes_of(session, run, query_id, access.viewer)
        current = await reliabilities.of_sources(session, corpus, [vote.source_id for vote in votes])
        positions = positions_of(votes, current.sources, run_query.answer)
        quotes = quotes_by_source(await explain_votes(session, quoted_votes(positions)))
        members = Blocs.members_of(positions, MEMBERS_SHOWN)
        member_ids = [member.source_id for member in members]
        pairs = await disputes.agreements(session, run, member_ids) if len(positions) > 1 else []
        judged = await JudgedQuery.of(session, corpus, run, query_id, votes, access.viewer)
        asked = judged.query.text if judged else run_query.query_text
        joins = await joined_answers.page(
            session, corpus, question=asked, limit=joined_answers.MAX_JOINS, viewer=access.viewer
        )
    agreements = {frozenset((pair.first_id, pair.second_id)): pair for pair in pairs}
    return page(
        request,
        "disputes/query.html",
        corpus=corpus.name,
        run=run,
        query=run_query,
        positions=positions,
        quotes=quotes,
        judged=judged,
        joins=joins.items,
        uses_gold=corpus.use_gold,
        voters=len(votes),
        blocs=Blocs.of(positions, members, agreements),
        matrix=AgreementMatrix.of(member_ids, agreements) if agreements else None,
    )


@query.post("/active")
async def set_active(
    access: AdminAccess, estimation_id: EstimationId, query_id: QueryId, active: Annotated[bool, Form()]
) -> Response:
    """Leave the query out of estimations, or take it in again."""
    await update_query(QueryPatch(active=active), access, query_id)
    goal = address("corpora", access.corpus_name, "estimations", estimation_id, "queries", query_id)
    return RedirectResponse(f"{goal}#gold", 303)
