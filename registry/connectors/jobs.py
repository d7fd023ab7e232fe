"""The job that runs a connector."""

from uuid import UUID

from pydantic import BaseModel
from sqlalchemy.ext.asyncio import AsyncSession

from registry.connectors import service as connectors
from registry.connectors import store
from registry.corpora.model import Corpus
from registry.job_kind import JobKind, Scheduling
from registry.runtime import Runtime


class ConnectorParameters(BaseModel):
    """What a schedule runs."""

    connector_id: UUID


async def _create(session: AsyncSession, _corpus: Corpus, parameters: ConnectorParameters, _schedule_id: UUID) -> UUID:
    return (await store.queue(session, parameters.connector_id)).id


async def _run(runtime: Runtime, connector_id: UUID) -> None:
    await connectors.run(runtime, connector_id)


KIND = JobKind(
    job=connectors.JOB,
    summary="Runs a connector: reads its files or addresses and updates its documents.",
    run=_run,
    unfinished=store.UNFINISHED,
    scheduling=Scheduling(ConnectorParameters, _create),
    failed=store.FAILED,
    repeat=connectors.start,
)
