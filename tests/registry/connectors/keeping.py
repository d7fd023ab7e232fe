"""Connectors made and run in one call, and what documents there are after it."""

from sqlalchemy import select

from registry.connectors import service as connectors
from registry.connectors.model import Connector
from registry.connectors.result_schemas import ConnectorReport
from registry.connectors.schemas import ConnectorInput
from registry.corpora.model import Corpus
from registry.documents.model import Document
from registry.runtime import Runtime
from registry.sources.model import Source


async def make(runtime: Runtime, corpus: Corpus, kind: str, name: str = "", /, **config: object) -> Connector:
    values = ConnectorInput.model_validate({"name": name or kind, "kind": kind, "config": config})
    async with runtime.database.begin() as session:
        return await connectors.create(session, corpus, values)


async def run(runtime: Runtime, connector: Connector) -> ConnectorReport:
    """The report of a run that succeeds."""
    done = await connectors.run_now(runtime, connector.id)
    assert done.status == "succeeded", done.problem
    return ConnectorReport.model_validate(done.report)


async def stored(runtime: Runtime) -> dict[tuple[str, str], Document]:
    """All documents, by source and external id."""
    async with runtime.database.begin() as session:
        rows = await session.execute(select(Source.name, Document).join(Document, Document.source_id == Source.id))
        return {(name, document.external_id): document for name, document in rows}


def counts(report: ConnectorReport) -> tuple[int, int, int, int, int]:
    """Created, updated, unchanged, rejected, deleted."""
    return report.created, report.updated, report.unchanged, report.rejected, report.deleted
