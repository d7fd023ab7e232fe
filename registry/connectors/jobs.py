"""The job that runs a connector."""

from uuid import UUID

from pydantic import BaseModel

from registry.connectors import service as connectors
from registry.connectors import store
from registry.corpora.model import Corpus
from registry.job_kind import JobKind, Scheduling
from registry.platform.database.base import AsyncSession


class ConnectorParameters(BaseModel):
    """The parameters of a scheduled run of a connector."""

    connector_id: UUID


async def _create(session: AsyncSession, _corpus: Corpus, parameters: ConnectorParameters, _schedule_id: UUID) -> UUID:
    return (await store.queue(session, parameters.connector_id)).id


KIND = JobKind(
    job=connectors.JOB,
    summary="Runs a connector: reads its files or addresses and updates its documents.",
    run=connectors.run,
    unfinished=store.UNFINISHED,
    scheduling=Scheduling(ConnectorParameters, _create),
    failed=store.FAILED,
    repeat=connectors.start,
)
