"""Estimation runs: started, followed, cancelled, and what each changed."""

from typing import Annotated
from uuid import UUID

from fastapi import Form, Query, Request
from fastapi.responses import RedirectResponse
from fastapi.sse import EventSourceResponse
from starlette.responses import Response

from api.http.dependencies import AdminAccess, PageParameters, ReadAccess
from api.http.routes.estimations import (
    EstimationId,
    cancel_estimation,
    follow_estimation,
    make_estimation_current,
    rename_estimation,
)
from api.http.routes.schedules import list_schedules
from api.http.schemas.base import ListView
from api.http.schemas.estimations import EstimationView
from api.pages.rendering import address, page
from api.pages.run_changes import LEAST_CHANGE, RunChanges
from api.pages.visitors import page_router
from estimator.methods import METHODS
from registry.estimations import service as estimation
from registry.estimations import store as estimations
from registry.estimations.difference import most_changed
from registry.estimations.more_queries import more_queries
from registry.estimations.schemas import CurrentRunInput, EstimationParameters, Method, RunPatch
from registry.platform.enums import Trigger
from registry.platform.fields import Name
from registry.sources.store import estimates

router = page_router("/corpora/{corpus}/estimations")

AUTO = Method("auto")
MOST_SOURCES = 50


@router.get("")
async def show_runs(request: Request, access: ReadAccess, paging: PageParameters) -> Response:
    """All runs, the newest first, the schedules, and the form that starts a run."""
    async with access.begin() as (session, corpus):
        newest = await estimations.page(session, corpus, cursor=paging.cursor, limit=paging.limit, newest_first=True)
        current = await estimates.current_run(session, corpus)
    return page(
        request,
        "runs/estimations.html",
        corpus=corpus.name,
        runs=ListView[EstimationView].of(
            newest, lambda run: EstimationView.of(run, viewer=access.viewer, current=current)
        ),
        current=current,
        schedules=(await list_schedules(access, paging)).items if paging.cursor is None else [],
        methods=METHODS,
    )


@router.post("")
async def start(
    access: AdminAccess,
    method: Annotated[Method, Form()] = AUTO,
    use_gold: Annotated[bool | None, Form()] = None,
) -> Response:
    """Queue a run and lead on to its page."""
    parameters = EstimationParameters(method=method, use_gold=use_gold)
    run = await estimation.start(access.runtime, await access.corpus(), parameters, Trigger.HTTP)
    return RedirectResponse(address("corpora", access.corpus_name, "estimations", run.id), 303)


@router.get("/{estimation_id}")
async def show_run(request: Request, access: ReadAccess, estimation_id: EstimationId) -> Response:
    """A run, its reasons, and its changes since the one before."""
    async with access.begin() as (session, corpus):
        run = await estimations.get(session, corpus, estimation_id)
        current = await estimates.current_run(session, corpus)
        changes = await RunChanges.of(session, corpus, run)
        more = await more_queries(session, run, access.viewer)
    reader_note = access.runtime.reader_change(run.reader)
    view = EstimationView.of(run, reader_note, more, viewer=access.viewer, current=current)
    return page(request, "runs/estimation.html", corpus=corpus.name, run=view, changes=changes, current=current)


@router.get("/{estimation_id}/difference")
async def show_difference(
    request: Request, access: ReadAccess, estimation_id: EstimationId, before: Annotated[UUID, Query(alias="from")]
) -> Response:
    """The difference from another run to this one, and the form that makes this one current."""
    async with access.begin() as (session, corpus):
        found, changed, total = await most_changed(
            session, corpus, before, estimation_id, least=LEAST_CHANGE, limit=MOST_SOURCES
        )
        current = await estimates.current_run(session, corpus)
    return page(
        request,
        "runs/difference.html",
        corpus=corpus.name,
        found=found,
        changed=changed,
        total=total,
        replaces_current=current is not None and current.id == before != estimation_id,
    )


@router.post("/{estimation_id}/current")
async def restore(access: AdminAccess, estimation_id: EstimationId, instead_of: Annotated[UUID, Form()]) -> Response:
    """Make the run current instead of that one."""
    await make_estimation_current(access, estimation_id, CurrentRunInput(instead_of=instead_of))
    return RedirectResponse(address("corpora", access.corpus_name, "estimations", estimation_id), 303)


@router.post("/{estimation_id}/name")
async def rename(
    access: AdminAccess, estimation_id: EstimationId, name: Annotated[Name | None, Form()] = None
) -> Response:
    """Name the run; without a name take its name away."""
    await rename_estimation(access, estimation_id, RunPatch(name=name))
    return RedirectResponse(address("corpora", access.corpus_name, "estimations", estimation_id), 303)


@router.post("/{estimation_id}/cancel")
async def cancel(access: AdminAccess, estimation_id: EstimationId) -> Response:
    """Ask the run to stop."""
    await cancel_estimation(access, estimation_id)
    return RedirectResponse(address("corpora", access.corpus_name, "estimations", estimation_id), 303)


router.add_api_route("/{estimation_id}/events", follow_estimation, methods=["GET"], response_class=EventSourceResponse)
