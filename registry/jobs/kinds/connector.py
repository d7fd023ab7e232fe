"""The job that runs a connector."""

from uuid import UUID

from pydantic import BaseModel
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from registry import connectors
from registry.jobs.kind import JobKind, Scheduling
from registry.models import Connector, Corpus, RunStatus
from registry.models.estimations import ACTIVE_STATUSES
from registry.runtime import Runtime
from registry.store.connectors import queue


class ConnectorParameters(BaseModel):
    """What a schedule runs."""

    connector_id: UUID


async def _create(session: AsyncSession, _corpus: Corpus, parameters: ConnectorParameters, _schedule_id: UUID) -> UUID:
    return (await queue(session, parameters.connector_id)).id


async def _run(runtime: Runtime, connector_id: UUID) -> None:
    await connectors.run(runtime, connector_id)


KIND = JobKind(
    job=connectors.JOB,
    summary="Runs a connector: reads its files or addresses and updates its documents.",
    run=_run,
    unfinished=select(Connector.id).where(Connector.status.in_(ACTIVE_STATUSES)),
    scheduling=Scheduling(ConnectorParameters, _create),
    failed=select(Connector.id, Connector.corpus_id, Connector.name, Connector.problem, Connector.finished_at).where(
        Connector.status == RunStatus.FAILED
    ),
    repeat=connectors.start,
)
