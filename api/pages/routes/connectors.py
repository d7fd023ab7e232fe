"""Connectors: made, run, changed and deleted where documents are added."""

from typing import Annotated

from fastapi import Form, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import ValidationError

from api.http.dependencies import AdminAccess, CorpusAccess, IngestAccess
from api.http.routes import connectors
from api.http.routes.connectors import ConnectorId
from api.pages.options import sent_options
from api.pages.rendering import address
from api.pages.visitors import page_router
from registry.connectors import service
from registry.connectors.kinds import Kind, kind_named
from registry.connectors.schemas import ConnectorInput, ConnectorPatch
from registry.platform.errors import InvalidInput
from registry.platform.fields import Name
from registry.platform.ndjson import explain
from registry.schedules.schemas import Cron

router = page_router("/corpora/{corpus}/connectors")

When = Annotated[Cron | None, Form()]


@router.post("")
async def make_connector(
    request: Request,
    access: AdminAccess,
    name: Annotated[Name, Form()],
    kind: Annotated[Kind, Form()],
    cron: When = None,
) -> Response:
    """Make a connector and queue its first run."""
    config = sent_options(kind_named(kind).config, await request.form())
    try:
        values = ConnectorInput(name=name, kind=kind, config=config, cron=cron)
    except ValidationError as error:
        raise InvalidInput(explain(error), field="config") from error
    made = await connectors.create_connector(values, access, Response())
    return await run_connector(access, made.id)


@router.post("/{connector_id}/run")
async def run_connector(access: IngestAccess, connector_id: ConnectorId) -> Response:
    """Queue a run of a connector."""
    await service.start(access.runtime, await access.corpus(), connector_id)
    return _to_connectors(access)


@router.post("/{connector_id}/settings")
async def change_connector(
    request: Request, access: AdminAccess, connector_id: ConnectorId, cron: When = None
) -> Response:
    """Change what a connector reads, and when; without `cron` it runs only on request."""
    kind = (await connectors.get_connector(access, connector_id, Response())).kind
    config = sent_options(kind_named(kind).config, await request.form())
    await connectors.update_connector(ConnectorPatch(config=config, cron=cron), access, connector_id)
    return _to_connectors(access)


@router.post("/{connector_id}/delete")
async def remove_connector(access: AdminAccess, connector_id: ConnectorId) -> Response:
    """Delete a connector."""
    await connectors.delete_connector(access, connector_id)
    return _to_connectors(access)


def _to_connectors(access: CorpusAccess) -> Response:
    return RedirectResponse(address("corpora", access.corpus_name, "documents") + "#feeds", 303)
