"""Connectors run on request, by schedule and after a crash; two that share a document do not delete it."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import ValidationError
from sqlalchemy import select

from registry.connectors import service as connectors
from registry.connectors import store
from registry.connectors.model import Connector
from registry.connectors.schemas import ConnectorInput
from registry.corpora.model import Corpus
from registry.estimations.schemas import EstimationParameters
from registry.events.model import AuditEvent
from registry.jobs.scheduler import tick
from registry.jobs.worker import recover
from registry.platform.database.locks import try_lock
from registry.platform.errors import Conflict, InvalidInput
from registry.platform.settings import Settings
from registry.runtime import Runtime
from registry.schedules import store as schedules
from registry.schedules.model import Schedule, Tick
from registry.schedules.schemas import SchedulePatch
from tests.eventually import eventually
from tests.registry.connectors.keeping import make, run, stored
from tests.registry.working import working
from tests.tables import for_each

DUE = datetime(2026, 3, 1, 3, 0, tzinfo=UTC)


async def status_of(runtime: Runtime, connector: Connector) -> str | None:
    async with runtime.database.begin() as session:
        return (await session.get_one(Connector, connector.id)).status


async def work_until_succeeded(runtime: Runtime, connector: Connector) -> None:
    """Run a worker until the connector has succeeded."""

    async def succeeded() -> bool:
        return await status_of(runtime, connector) == "succeeded"

    async with working(runtime):
        await eventually(succeeded)


async def test_a_schedule_runs_a_connector(runtime: Runtime, corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "red.txt").write_text("The tower is red.")
    config = {"path": str(tmp_path), "source": "Herald"}
    values = ConnectorInput.model_validate({"name": "press", "kind": "folder", "config": config, "cron": "0 3 * * *"})
    async with runtime.database.begin() as session:
        connector = await connectors.create(session, corpus, values)
    with pytest.raises(Conflict, match="already has a connector named 'press'"):
        async with runtime.database.begin() as session:
            await connectors.create(session, corpus, values)
    assert connector.schedule_id is not None
    assert await tick(runtime, connector.schedule_id, DUE) == connector.id
    assert await tick(runtime, connector.schedule_id, DUE.replace(day=2)) is None
    with pytest.raises(Conflict, match="already queued"):
        await connectors.start(runtime, corpus, connector.id)
    async with runtime.database.begin() as session:
        skipped = await session.scalar(select(Tick.skipped_because).where(Tick.skipped_because.is_not(None)))
    assert skipped == "The connector 'press' is already queued."
    await work_until_succeeded(runtime, connector)
    assert (await stored(runtime)).keys() == {("Herald", "red.txt")}
    async with runtime.database.begin() as session:
        patch = SchedulePatch(parameters=EstimationParameters())
        with pytest.raises(Conflict, match="starts no estimations"):
            await schedules.update(session, corpus, connector.schedule_id, patch)
    async with runtime.database.begin() as session:
        await store.delete(session, corpus, connector.id)
        assert (await session.scalars(select(Schedule))).all() == []
    assert len(await stored(runtime)) == 1


async def test_a_connector_that_was_run_by_hand_can_be_queued_while_its_job_waits(
    runtime: Runtime, corpus: Corpus, tmp_path: Path
) -> None:
    (tmp_path / "red.txt").write_text("The tower is red.")
    connector = await make(runtime, corpus, "folder", path=str(tmp_path), source="Herald")
    await connectors.start(runtime, corpus, connector.id)
    await run(runtime, connector)
    await connectors.start(runtime, corpus, connector.id)
    assert await status_of(runtime, connector) == "queued"
    await work_until_succeeded(runtime, connector)


async def test_a_connector_that_runs_elsewhere_is_not_run_and_not_changed(
    runtime: Runtime, corpus: Corpus, tmp_path: Path
) -> None:
    (tmp_path / "red.txt").write_text("The tower is red.")
    connector = await make(runtime, corpus, "folder", path=str(tmp_path), source="Herald")
    for status in ("running", "queued", "succeeded"):
        async with runtime.database.begin() as session:
            (await session.get_one(Connector, connector.id)).status = status
        async with try_lock(runtime.database, f"connector:{connector.id}"):
            with pytest.raises(Conflict, match="Another process"):
                await connectors.run_now(runtime, connector.id)
        assert await status_of(runtime, connector) == status
    assert await stored(runtime) == {}
    assert (await connectors.run_now(runtime, connector.id)).status == "succeeded"
    assert (await stored(runtime)).keys() == {("Herald", "red.txt")}


async def test_an_interrupted_run_is_recovered(runtime: Runtime, corpus: Corpus, tmp_path: Path) -> None:
    connector = await make(runtime, corpus, "folder", path=str(tmp_path), source="Herald")
    assert not await recover(runtime)
    async with runtime.database.begin() as session:
        (await session.get_one(Connector, connector.id)).status = "running"
    assert await recover(runtime) == 1
    assert await connectors.run(runtime, connector.id)
    assert await status_of(runtime, connector) == "succeeded"
    assert await connectors.run(runtime, connector.id)


async def test_a_document_stays_while_another_connector_has_it(
    runtime: Runtime, corpus: Corpus, tmp_path: Path
) -> None:
    made = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "red.txt").write_text("The tower is red.")
        (tmp_path / name / "tall.txt").write_text("The tower is tall.")
        values = {"name": name, "kind": "folder", "config": {"path": str(tmp_path / name), "source": "Herald"}}
        async with runtime.database.begin() as session:
            made.append(await connectors.create(session, corpus, ConnectorInput.model_validate(values)))
    assert [(await run(runtime, connector)).created for connector in made] == [2, 0]
    (tmp_path / "a" / "red.txt").unlink()
    assert (await run(runtime, made[0])).deleted == 0
    (tmp_path / "b" / "red.txt").unlink()
    assert (await run(runtime, made[1])).deleted == 1
    assert (await stored(runtime)).keys() == {("Herald", "tall.txt")}
    async with runtime.database.begin() as session:
        deletions = select(AuditEvent).where(AuditEvent.action == "connector.deleted_documents")
        (event,) = await session.scalars(deletions)
    assert (event.resource_id, event.corpus_id, event.before) == (made[1].id, corpus.id, {"documents": 1})


def test_files_named_over_http_are_those_of_one_folder(settings: Settings, tmp_path: Path) -> None:
    opened = settings.model_copy(update={"connector_folder": tmp_path})
    for path, allowed, why in (
        ("/etc", settings, "CREDENCE_CONNECTOR_FOLDER"),
        ("/etc", opened, "not in the folder"),
        (f"{tmp_path}/../x", opened, "not in the folder"),
        ("relative", opened, "is relative"),
    ):
        values = ConnectorInput.model_validate({"name": "x", "kind": "folder", "config": {"path": path}})
        with pytest.raises(InvalidInput, match=why):
            connectors.refuse_other_files(values, allowed)
    values = ConnectorInput.model_validate({"name": "x", "kind": "table", "config": {"path": f"{tmp_path}/x.csv"}})
    connectors.refuse_other_files(values, opened)


@for_each(
    ("kind", "config", "why"),
    [
        ("feed", {}, "urls: Field required"),
        ("feed", {"urls": ["file:///etc/passwd"]}, "must begin with http"),
        ("pages", {}, "name either `urls` or a `sitemap`"),
        ("folder", {"path": "/a", "sync": True}, "sync: There is no such field"),
    ],
)
def test_a_configuration_fits_its_kind(kind: str, config: dict[str, object], why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        ConnectorInput.model_validate({"name": "x", "kind": kind, "config": config})
