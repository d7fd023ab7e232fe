"""The job that runs a connector."""

from uuid import UUID

from pydantic import BaseModel
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from registry.connectors import service as connectors
from registry.connectors.model import Connector
from registry.connectors.store import queue
from registry.corpora.model import Corpus
from registry.estimations.model import ACTIVE_STATUSES
from registry.job_kind import JobKind, Scheduling
from registry.platform.enums import RunStatus
from registry.runtime import Runtime


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
