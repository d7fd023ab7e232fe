"""Connectors: made, queued and run."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import structlog
from pydantic import ValidationError

from estimator.errors import CredenceError
from registry.connectors import store as connectors
from registry.connectors.connector import ConnectorKind, Tools
from registry.connectors.fetching import Fetcher, Limits
from registry.connectors.kinds import kind_named
from registry.connectors.local_files import beneath
from registry.connectors.model import Connector
from registry.connectors.result_schemas import ConnectorReport
from registry.connectors.schemas import ConnectorInput, ConnectorPatch
from registry.connectors.synchronisation import Synchronisation
from registry.corpora.model import Corpus
from registry.estimations.model import ACTIVE_STATUSES
from registry.events.audit import current_actor
from registry.platform.database.base import AsyncSession
from registry.platform.database.job_queue import Job, defer_unless_waiting
from registry.platform.database.locks import try_lock
from registry.platform.enums import ActorKind, RunStatus
from registry.platform.errors import Conflict, InvalidInput, Unavailable
from registry.platform.ndjson import explain
from registry.platform.settings import Settings
from registry.runtime import Runtime
from registry.schedules import store as schedules
from registry.schedules.schemas import ScheduleInput, SchedulePatch

log = structlog.get_logger(__name__)

# Answers and estimations, for which somebody waits, go first.
JOB = Job("connector", priority=-1)
# The longest a run may take; the next one goes on from there.
RUN_SECONDS = 3600.0
PUT_BACK_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class _Ending:
    status: RunStatus
    report: ConnectorReport
    reason: str | None = None


async def create(
    session: AsyncSession, corpus: Corpus, values: ConnectorInput, *, key_id: UUID | None = None
) -> Connector:
    """A new connector, and its schedule if it has one; raises `Conflict` if there is one of that name."""
    config = values.parsed.model_dump(mode="json", exclude_unset=True)
    fields = {"kind": values.kind, "config": config, "contradictions": values.contradictions, "key_id": key_id}
    connector = await connectors.create(session, corpus, values.name, **fields)
    if values.cron is not None:
        connector.schedule_id = await _new_schedule(session, corpus, connector, values.cron, values.timezone)
    return connector


async def patched(session: AsyncSession, connector: Connector, patch: ConnectorPatch) -> ConnectorInput:
    """The connector as the patch wants it; raises `InvalidInput` where that is not valid."""
    schedule = (await connectors.schedules_of(session, [connector])).get(connector.id)
    present = {name: getattr(connector, name) for name in ("name", "kind", "config", "contradictions")}
    if schedule is not None:
        present |= {"cron": schedule.cron, "timezone": schedule.timezone}
    sent = patch.model_dump(exclude_unset=True).items()
    changed = {name: value for name, value in sent if value is not None or name == "cron"}
    if "timezone" in changed and (present | changed).get("cron") is None:
        raise InvalidInput("Without `cron` there is no schedule that a time zone could be of.", field="timezone")
    try:
        return ConnectorInput.model_validate(present | changed)
    except ValidationError as error:
        raise InvalidInput(explain(error), field="config") from error


def reads_other(connector: Connector, values: ConnectorInput) -> bool:
    """Whether the configuration of `values` is another one than that of the connector."""
    return values.parsed != type(values.parsed).model_construct(**connector.config)


async def update(session: AsyncSession, corpus: Corpus, connector_id: UUID, values: ConnectorInput) -> Connector:
    """Give a connector the configuration and the schedule of `values`; raises `Conflict` while it is queued or runs.

    With another configuration the next run reads everything again, and deletes the documents of what it finds no more.
    """
    connector = await connectors.changeable(session, corpus, connector_id)
    if reads_other(connector, values):
        await connectors.set_config(session, connector, values.parsed.model_dump(mode="json", exclude_unset=True))
    connector.contradictions = values.contradictions
    if connector.schedule_id is None and values.cron is not None:
        connector.schedule_id = await _new_schedule(session, corpus, connector, values.cron, values.timezone)
    elif connector.schedule_id is not None and values.cron is None:
        schedule_id, connector.schedule_id = connector.schedule_id, None
        await session.flush()
        await schedules.delete(session, corpus, schedule_id)
    elif connector.schedule_id is not None:
        patch = SchedulePatch(cron=values.cron, timezone=values.timezone)
        await schedules.update(session, corpus, connector.schedule_id, patch)
    return connector


async def _new_schedule(session: AsyncSession, corpus: Corpus, connector: Connector, cron: str, timezone: str) -> UUID:
    schedule = await schedules.create(
        session,
        corpus,
        ScheduleInput(name=f"connector {connector.name}"[:200], cron=cron, timezone=timezone),
        other_job={"kind": JOB.name, "connector_id": str(connector.id)},
    )
    return schedule.id


def is_open(kind: ConnectorKind[Any], settings: Settings) -> bool:
    """Whether those who are not at this machine may make connectors of a kind, see `refuse_other_files`."""
    return kind.paths is None or (settings.connector_folder is not None and kind.main_field == "path")


def refuse_other_files(values: ConnectorInput, settings: Settings) -> None:
    """Raise `InvalidInput` for files outside of the folder that those who are not at this machine may name."""
    if current_actor.get().actor is ActorKind.CLI:
        return
    for path in values.paths:
        if settings.connector_folder is None:
            raise InvalidInput(
                "Files of the machine of the service can be named on its command line only, or in a folder that its "
                "operator opens with CREDENCE_CONNECTOR_FOLDER.",
                field="config",
            )
        if not path.is_absolute():
            raise InvalidInput(
                f"The path {str(path)!r} is relative, and so not in the folder of CREDENCE_CONNECTOR_FOLDER: send the "
                "whole path, from / on.",
                field="config",
            )
        if not _is_inside(path, settings.connector_folder):
            raise InvalidInput(
                f"{path} is not in the folder of CREDENCE_CONNECTOR_FOLDER, or only through a link.", field="config"
            )


def _is_inside(path: Path, folder: Path) -> bool:
    try:
        return path.resolve() == folder.resolve() / beneath(path, folder)
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
    """Run a connector in this process, queued or not; raises `Conflict` while another one runs it."""
    if not await run(runtime, connector_id, even_if_ended=True):
        raise Conflict("Another process is running this connector.")
    async with runtime.database.begin() as session:
        return await session.get_one(Connector, connector_id)


async def run(runtime: Runtime, connector_id: UUID, *, even_if_ended: bool = False) -> bool:
    """Run a queued or interrupted connector to the end; False, and nothing changes, if another process has it.

    One that has ended stays as it is, unless `even_if_ended`. A failure is stored in the connector. If the database is
    unavailable it stays as it is and `Unavailable` is raised.
    """
    async with try_lock(runtime.database, f"connector:{connector_id}") as lock:
        if lock is None:
            return False
        begun = await _begin(runtime, connector_id, even_if_ended=even_if_ended)
        if begun is not None:
            corpus, connector = begun
            try:
                ending = await _synchronise(runtime, corpus, connector)
            except (Unavailable, asyncio.CancelledError):
                await _put_back(runtime, connector_id)
                raise
            await _end(runtime, connector_id, ending)
    return True


async def _begin(runtime: Runtime, connector_id: UUID, *, even_if_ended: bool) -> tuple[Corpus, Connector] | None:
    async with runtime.database.begin() as session:
        connector = await session.get(Connector, connector_id, with_for_update=True)
        if connector is None or not (even_if_ended or connector.status in ACTIVE_STATUSES):
            return None
        # Of a run that was broken off otherwise than by the end of its process the connector was put back.
        is_interrupted = connector.status == RunStatus.RUNNING
        connector.interrupted = connector.interrupted + 1 if is_interrupted else 0
        connector.reading = connector.reading if is_interrupted else None
        connector.status, connector.started_at, connector.finished_at = RunStatus.RUNNING, datetime.now(UTC), None
        connector.run += 1
        return await session.get_one(Corpus, connector.corpus_id), connector


async def _put_back(runtime: Runtime, connector_id: UUID) -> None:
    """Mark a run that a stop or an outage broke off as queued; where the database is away it counts as interrupted."""
    with suppress(CredenceError, TimeoutError):
        async with asyncio.timeout(PUT_BACK_SECONDS), runtime.database.begin() as session:
            connector = await session.get(Connector, connector_id, with_for_update=True)
            if connector is not None:
                connector.status = RunStatus.QUEUED


async def _synchronise(runtime: Runtime, corpus: Corpus, connector: Connector) -> _Ending:
    settings, kind = runtime.settings, kind_named(connector.kind)
    config = kind.config.model_validate(connector.config)
    async with Fetcher(Limits.of(settings)) as fetcher:
        reader = kind.make(config, Tools(settings, fetcher, runtime.file_processes))
        work = Synchronisation(runtime, corpus, connector, reader, kind.deletes(config))
        try:
            async with asyncio.timeout(RUN_SECONDS):
                await work.complete()
        except Unavailable:
            raise
        except TimeoutError:
            reason = f"The run took longer than {RUN_SECONDS:g} s."
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
