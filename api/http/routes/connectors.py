"""Connectors: made, run, read and deleted."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Response

from api.http.authorization import require_all_seeing
from api.http.dependencies import PROTECTED, AdminAccess, IngestAccess, PageParameters, ReadAccess
from api.http.openapi import examples
from api.http.openapi.responses import RETRY_AFTER, accepted, created
from api.http.routes.estimations import POLL_SECONDS, SEGMENT
from api.http.schemas.connectors import ConnectorList, ConnectorView
from registry.connectors import service as connectors
from registry.connectors import store
from registry.connectors.schemas import ConnectorInput, ConnectorPatch
from registry.platform.enums import RunStatus

router = APIRouter(prefix="/v1/corpora/{corpus}/connectors", tags=["connectors"], dependencies=PROTECTED)

ConnectorId = Annotated[UUID, Path(description="Identifier of the connector.")]


@router.post("", status_code=201, summary="Make a connector", responses={201: created("The new connector.")})
async def create_connector(
    body: Annotated[ConnectorInput, examples.CONNECTOR], access: AdminAccess, response: Response
) -> ConnectorView:
    """It reads nothing before it runs, by its `cron` or on request. Kinds that read files of the service's machine are
    open below CREDENCE_CONNECTOR_FOLDER only.
    """
    connectors.refuse_other_files(body, access.runtime.settings)
    async with access.begin() as (session, corpus):
        connector = await connectors.create(session, corpus, body, key_id=access.principal.key_id)
        schedules = await store.schedules_of(session, [connector])
    response.headers["Location"] = access.path("connectors", connector.id)
    return ConnectorView.of(connector, schedules.get(connector.id))


@router.get("", summary="List connectors")
async def list_connectors(access: ReadAccess, paging: PageParameters) -> ConnectorList:
    """Needs the scope `read`, of a key that sees everything, as they name documents."""
    require_all_seeing(access.principal)
    async with access.begin() as (session, corpus):
        page = await store.page(session, corpus, cursor=paging.cursor, limit=paging.limit)
        schedules = await store.schedules_of(session, page.items)
    return ConnectorList.of(page, lambda connector: ConnectorView.of(connector, schedules.get(connector.id)))


@router.get(
    f"/{{connector_id:{SEGMENT}}}",
    summary="Read a connector",
    responses={200: {"description": "With Retry-After while it runs.", "headers": RETRY_AFTER}},
)
async def get_connector(access: ReadAccess, connector_id: ConnectorId, response: Response) -> ConnectorView:
    """Returns the connector with the report of its last run: documents are counted as lines of an import are.

    Needs the scope `read`, of a key that sees everything.
    """
    require_all_seeing(access.principal)
    async with access.begin() as (session, corpus):
        connector = await store.get(session, corpus, connector_id)
        schedules = await store.schedules_of(session, [connector])
    if connector.status is not None and not RunStatus(connector.status).ended:
        response.headers["Retry-After"] = POLL_SECONDS
    return ConnectorView.of(connector, schedules.get(connector.id))


@router.patch(f"/{{connector_id:{SEGMENT}}}", summary="Change a connector")
async def update_connector(
    patch: Annotated[ConnectorPatch, examples.CONNECTOR_PATCH], access: AdminAccess, connector_id: ConnectorId
) -> ConnectorView:
    """Fields that you leave out stay. With another configuration the next run reads everything again, and deletes the
    documents of what is not there any more. Refused while it is queued or runs.
    """
    async with access.begin() as (session, corpus):
        present = await store.get(session, corpus, connector_id)
        values = await connectors.patched(session, present, patch)
        if connectors.reads_other(present, values):
            connectors.refuse_other_files(values, access.runtime.settings)
        connector = await connectors.update(session, corpus, connector_id, values)
        schedules = await store.schedules_of(session, [connector])
    return ConnectorView.of(connector, schedules.get(connector.id))


@router.post(
    f"/{{connector_id:{SEGMENT}}}:run",
    status_code=202,
    summary="Run a connector",
    responses={202: accepted("It is queued.")},
)
async def run_connector(access: IngestAccess, connector_id: ConnectorId, response: Response) -> ConnectorView:
    """Reads what changed, and deletes the documents of what is gone. Poll the address in Location."""
    connector = await connectors.start(access.runtime, await access.corpus(), connector_id)
    async with access.begin() as (session, _):
        schedules = await store.schedules_of(session, [connector])
    response.headers["Location"] = access.path("connectors", connector.id)
    response.headers["Retry-After"] = POLL_SECONDS
    return ConnectorView.of(connector, schedules.get(connector.id))


@router.delete(f"/{{connector_id:{SEGMENT}}}", status_code=204, summary="Delete a connector")
async def delete_connector(access: AdminAccess, connector_id: ConnectorId) -> None:
    """Deletes its schedule too; its documents stay."""
    async with access.begin() as (session, corpus):
        await store.delete(session, corpus, connector_id)
