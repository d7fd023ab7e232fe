"""Connectors: made, queued and run."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from estimator.errors import CredenceError
from registry.connectors.connector import Tools
from registry.connectors.fetching import Fetcher, Limits
from registry.connectors.inputs import ConnectorInput
from registry.connectors.kinds import kind_named
from registry.connectors.synchronisation import Synchronisation
from registry.database.job_queue import Job, defer_unless_waiting
from registry.database.locks import try_lock
from registry.errors import Conflict, InvalidInput, Unavailable
from registry.inputs.schedules import ScheduleInput
from registry.models import Connector, Corpus, RunStatus
from registry.models.estimations import ACTIVE_STATUSES
from registry.results.connectors import ConnectorReport
from registry.runtime import Runtime
from registry.settings import Settings
from registry.store import connectors, schedules

log = structlog.get_logger(__name__)

# Answers and estimations, for which somebody waits, go first.
JOB = Job("connector", priority=-1)


@dataclass(frozen=True, slots=True)
class _Ending:
    """How a run ended."""

    status: RunStatus
    report: ConnectorReport
    reason: str | None = None


async def create(
    session: AsyncSession, corpus: Corpus, values: ConnectorInput, *, key_id: UUID | None = None
) -> Connector:
    """A new connector, and its schedule if it has one; raises `Conflict` if there is one of that name."""
    config = values.parsed.model_dump(mode="json", exclude_unset=True)
    connector = await connectors.create(session, corpus, values.name, kind=values.kind, config=config, key_id=key_id)
    if values.cron is not None:
        schedule = await schedules.create(
            session,
            corpus,
            ScheduleInput(name=f"connector {values.name}"[:200], cron=values.cron, timezone=values.timezone),
            other_job={"kind": JOB.name, "connector_id": str(connector.id)},
        )
        connector.schedule_id = schedule.id
    return connector


def refuse_other_files(values: ConnectorInput, settings: Settings) -> None:
    """Raise `InvalidInput` for files outside of the folder that those who are not at this machine may name."""
    for path in kind_named(values.kind).paths(values.parsed):
        if settings.connector_folder is None:
            raise InvalidInput(
                "Files of the machine of the service can be named on its command line only, or in a folder that its "
                "operator opens with CREDENCE_CONNECTOR_FOLDER.",
                field="config",
            )
        if not _is_inside(path, settings.connector_folder):
            raise InvalidInput(f"{path} is not in the folder of CREDENCE_CONNECTOR_FOLDER.", field="config")


def _is_inside(path: Path, folder: Path) -> bool:
    try:
        return path.is_absolute() and path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):
        return False


async def start(runtime: Runtime, corpus: Corpus, connector_id: UUID) -> Connector:
    """Queue a run; raises `Conflict` while the connector is queued or running."""
    async with runtime.database.begin() as session:
        await connectors.get(session, corpus, connector_id)
        connector = await connectors.queue(session, connector_id)
        await defer_unless_waiting(session, runtime.jobs, JOB, connector.id)
    return connector


async def run_now(runtime: Runtime, connector_id: UUID) -> Connector:
    """Run a connector in this process; raises `Conflict` while another one runs it."""
    async with runtime.database.begin() as session:
        connector = await session.get_one(Connector, connector_id)
        connector.status = RunStatus.QUEUED
    if not await run(runtime, connector_id):
        raise Conflict("Another process is running this connector.")
    async with runtime.database.begin() as session:
        return await session.get_one(Connector, connector_id)


async def run(runtime: Runtime, connector_id: UUID) -> bool:
    """Run a queued or interrupted connector to the end; False if another process has it.

    A failure is stored in the connector. If the database is unavailable it stays as it is and `Unavailable` is raised.
    """
    async with try_lock(runtime.database, f"connector:{connector_id}") as lock:
        if lock is None:
            return False
        begun = await _begin(runtime, connector_id)
        if begun is not None:
            corpus, connector = begun
            await _end(runtime, connector_id, await _synchronise(runtime, corpus, connector))
    return True


async def _begin(runtime: Runtime, connector_id: UUID) -> tuple[Corpus, Connector] | None:
    async with runtime.database.begin() as session:
        connector = await session.get(Connector, connector_id, with_for_update=True)
        if connector is None or connector.status not in ACTIVE_STATUSES:
            return None
        connector.status, connector.started_at, connector.finished_at = RunStatus.RUNNING, datetime.now(UTC), None
        connector.run += 1
        return await session.get_one(Corpus, connector.corpus_id), connector


async def _synchronise(runtime: Runtime, corpus: Corpus, connector: Connector) -> _Ending:
    settings, kind = runtime.settings, kind_named(connector.kind)
    config = kind.config.model_validate(connector.config)
    async with Fetcher(Limits.of(settings)) as fetcher:
        reader = kind.make(config, Tools(settings, fetcher))
        work = Synchronisation(runtime, corpus, connector, reader, kind.deletes(config))
        try:
            async with asyncio.timeout(settings.connector_run_seconds):
                await work.complete()
        except Unavailable:
            raise
        except TimeoutError:
            reason = f"The run took longer than {settings.connector_run_seconds:g} s (CREDENCE_CONNECTOR_RUN_SECONDS)."
        except CredenceError as error:
            reason = str(error)
        except Exception:
            log.exception("connector_failed", connector_id=str(connector.id))
            reason = "An unexpected error ended this run; the service's log has the details."
        else:
            return _Ending(RunStatus.SUCCEEDED, work.report)
    log.warning("connector_failed", connector_id=str(connector.id), reason=reason)
    return _Ending(RunStatus.FAILED, work.report, reason)


async def _end(runtime: Runtime, connector_id: UUID, ending: _Ending) -> None:
    async with runtime.database.begin() as session:
        connector = await session.get(Connector, connector_id, with_for_update=True)
        if connector is not None:
            connector.status, connector.finished_at = ending.status, datetime.now(UTC)
            connector.report = ending.report.model_dump(mode="json")
            connector.problem = {"detail": ending.reason} if ending.reason else None
