"""Copy groups of the current run: who copies whom, when, and the passages of two sources side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from fastapi import Query, Request
from starlette.responses import Response

from api.http.dependencies import ReadAccess
from api.pages import copy_graph
from api.pages.agreement_matrix import AgreementMatrix
from api.pages.comparison import VotePair, shared_votes
from api.pages.copy_graph import CopyGraph
from api.pages.paging import LARGEST, PageNumber, cut, page_count
from api.pages.rendering import page
from api.pages.visitors import page_router
from registry.disputes import store as disputes
from registry.estimations import store as estimations
from registry.estimations.explanation import ExplainedVote, explain_votes
from registry.estimations.model import EstimationRun
from registry.estimations.store import SourceVote
from registry.platform.database.base import AsyncSession
from registry.platform.errors import NotFound
from registry.sources import reliabilities
from registry.sources.schemas import CopyGroup
from registry.sources.store import estimates
from registry.viewers.model import Viewer

router = page_router("/corpora/{corpus}/copies")

PAGE_ROWS = 5
QUERIES_SHOWN = 20
# Of the link with most evidence in each group.
EXAMPLES_SHOWN = 1


@router.get("")
async def show_copies(
    request: Request,
    access: ReadAccess,
    group: Annotated[int | None, Query(ge=1, le=LARGEST)] = None,
    number: PageNumber = 1,
) -> Response:
    """The copy groups of the current run; `group` chooses the page on which that one stands."""
    async with access.begin() as (session, corpus):
        run = await estimates.current_run(session, corpus)
        groups = list(enumerate(_groups(run), start=1))
        shown, number = cut(groups, number if group is None else 1 + (group - 1) // PAGE_ROWS, PAGE_ROWS)
        graphs = [CopyGraph.of(copy_group) for _, copy_group in shown]
        drawn = [source_id for graph in graphs for source_id in graph.source_ids]
        present = await reliabilities.of_sources(session, corpus, drawn)
        pairs = await disputes.agreements(session, run, drawn, of_copy_groups=True) if run and drawn else []
        # What one group has of votes takes time and room: the others link to theirs.
        chosen = (group - 1) % PAGE_ROWS if group else 0
        cited = graphs[min(chosen, len(graphs) - 1)] if graphs else None
        arc = cited.strongest if cited else None
        sides = await _side_by_side(session, access.viewer, run, arc.ends, EXAMPLES_SHOWN) if run and arc else None
    votes = {source.source_id: source.vote_count for source in present.sources}
    agreements = {frozenset((pair.first_id, pair.second_id)): pair for pair in pairs}
    return page(
        request,
        "copies/copies.html",
        corpus=corpus.name,
        run=run,
        groups=[(*numbered, graph) for numbered, graph in zip(shown, graphs, strict=True)],
        cited=cited,
        matrix=AgreementMatrix.of(cited.source_ids, agreements) if cited else None,
        sides=sides,
        votes=votes,
        layout=copy_graph,
        agreements=agreements,
        total=len(groups),
        number=number,
        pages=page_count(len(groups), PAGE_ROWS),
    )


@router.get("/{first_id}/{second_id}")
async def show_pair(
    request: Request, access: ReadAccess, first_id: UUID, second_id: UUID, number: PageNumber = 1
) -> Response:
    """The evidence that two sources copy: their answers on the disputed queries that both answer, side by side."""
    ids = [first_id, second_id]
    async with access.begin() as (session, corpus):
        current = await reliabilities.of_sources(session, corpus, ids)
        run = current.run
        if run is None or len(current.sources) < 2:
            raise NotFound("pair of sources with votes", f"{first_id} and {second_id}")
        sides = await _side_by_side(session, access.viewer, run, ids, QUERIES_SHOWN, number)
        agreements = await disputes.agreements(session, run, ids)
    groups = [
        (place, copy_group)
        for place, copy_group in enumerate(_groups(run), start=1)
        if {*ids} <= {*copy_group.source_ids}
    ]
    links = [link for _, copy_group in groups for link in copy_group.links if {link.first_id, link.second_id} == {*ids}]
    return page(
        request,
        "copies/pair.html",
        corpus=corpus.name,
        run=run,
        sources=sorted(current.sources, key=lambda source: ids.index(source.source_id)),
        group=groups[0][0] if groups else None,
        link=links[0] if links else None,
        agreement=agreements[0] if agreements else None,
        sides=sides,
    )


@dataclass(frozen=True, slots=True)
class SideBySide:
    """A page of the votes of two sources on the disputed queries that both answer, with their sentences."""

    rows: Sequence[tuple[ExplainedVote[SourceVote], ExplainedVote[SourceVote]]]
    number: int
    pages: int


async def _side_by_side(
    session: AsyncSession, viewer: Viewer, run: EstimationRun, ids: Sequence[UUID], size: int, number: int = 1
) -> SideBySide:
    readings = [await estimations.votes_of_source(session, run, source_id, viewer) for source_id in ids]
    shared = sorted(filter(_is_disputed, shared_votes(*readings)), key=_by_suspicion)
    shown, number = cut(shared, number, size)
    first, second = [await explain_votes(session, [pair[side] for pair in shown]) for side in (0, 1)]
    return SideBySide(list(zip(first, second, strict=True)), number, page_count(len(shared), size))


def _groups(run: EstimationRun | None) -> list[CopyGroup]:
    return [CopyGroup.model_validate(copy_group) for copy_group in run.copy_groups] if run else []


def _is_disputed(pair: VotePair) -> bool:
    return pair.first.contradicted or pair.second.contradicted


def _by_suspicion(pair: VotePair) -> tuple[bool, bool]:
    """Answers that are alike and probably wrong come first: independent sources seldom share them."""
    return pair.first.answer_key != pair.second.answer_key, pair.first.agrees is not False
