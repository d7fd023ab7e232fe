"""A backup that a stranger made runs nothing, neither while it is restored nor afterwards."""

import hashlib
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest
import sqlalchemy
from pydantic import SecretStr
from sqlalchemy import func, select
from sqlalchemy.engine import URL
from sqlalchemy.pool import NullPool

from migrations.control import build as build_schema
from registry.connectors import service as connectors
from registry.corpora.model import Corpus
from registry.estimations import service as estimation
from registry.estimations.schemas import EstimationParameters
from registry.jobs import kinds
from registry.jobs.failures import UNSIGNED, pause
from registry.platform.database import backup
from registry.platform.database.backup import MANIFEST, BackupFailed
from registry.platform.database.binaries import binary
from registry.platform.database.engine import libpq_url
from registry.platform.database.job_queue import JOBS
from registry.platform.database.restore import restore
from registry.platform.enums import Trigger
from registry.platform.errors import InvalidInput
from registry.runtime import Runtime
from registry.schedules import store as schedules
from registry.schedules.model import Schedule
from registry.schedules.schemas import ScheduleInput
from registry.sources.model import Source
from registry.webhooks import store as webhooks
from registry.webhooks.model import Webhook
from registry.webhooks.schemas import WebhookInput
from tests.registry.connectors.keeping import make
from tests.registry.platform.database.test_backup import rewrite
from tests.registry.world import TOWERS, build, honest

FUNCTION = """
    CREATE FUNCTION owned() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
        EXECUTE $run$ {program} $run$; RETURN true;
    END $$
"""


REASONS = (
    ("connectors", "problem->>'detail'"),
    ("estimations", "problem->>'detail'"),
    ("webhook_deliveries", "problem"),
    ("webhooks", "disabled_because"),
)


@pytest.fixture
def trace() -> Iterator[Path]:
    """A file that the user of the server may make."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        yield Path(folder, "owned")


@pytest.fixture
async def attacked(runtime: Runtime, corpus: Corpus, trace: Path) -> str:
    """A statement that would run a program, which is the name of a source too."""
    program = f"COPY (SELECT 1) TO PROGRAM 'touch {trace}'"
    async with runtime.database.begin() as session:
        session.add(Source(corpus_id=corpus.id, external_id=program, name=f"'; {program}; --"))
    return program


async def test_objects_of_a_stranger_are_not_made_and_statements_in_rows_stay_rows(
    runtime: Runtime, attacked: str, trace: Path, new_database: Callable[[], URL], tmp_path: Path
) -> None:
    path, forged, dumped = (tmp_path / name for name in ("backup", "forged", "dump"))
    view = f"{FUNCTION.format(program=attacked)}; CREATE VIEW spy AS SELECT owned()".encode()
    manifest = backup.back_up(runtime.database.url, path)
    manifest.tables["public.spy"] = manifest.tables["public.sources"].model_copy(
        update={"sha256": hashlib.sha256(view).hexdigest()}
    )
    rewrite(path, forged, {"public.spy": view, MANIFEST: manifest.model_dump_json().encode()})
    other = new_database()
    with psycopg.connect(libpq_url(other), autocommit=True) as connection:
        connection.execute(view)
    subprocess.run(  # noqa: ASYNC221  (nothing else runs here)
        [binary("pg_dump"), "--format=custom", f"--file={dumped}", libpq_url(other)], check=True
    )
    for stranger, error in (forged, BackupFailed), (dumped, InvalidInput):
        with pytest.raises(error, match=r"not those of revision|no backup of Credence"):
            restore(new_database(), stranger, build_schema, pause)
    url = new_database()
    restore(url, path, build_schema, pause)
    with psycopg.connect(libpq_url(url)) as connection:
        assert connection.execute("SELECT external_id FROM sources").fetchall() == [(attacked,)]
    assert not trace.exists()  # noqa: ASYNC240


@pytest.mark.usefixtures("corpus")
async def test_rows_are_taken_by_a_role_that_runs_no_programs(
    runtime: Runtime, attacked: str, trace: Path, new_database: Callable[[], URL], tmp_path: Path
) -> None:
    """Even where a rule of the schema could be made to."""
    path = tmp_path / "backup"
    backup.back_up(runtime.database.url, path)

    def build_with_rule(connection: sqlalchemy.Connection, revision: str) -> None:
        build_schema(connection, revision)
        driver = connection.connection.driver_connection
        assert isinstance(driver, psycopg.Connection)
        driver.execute(FUNCTION.format(program=attacked).encode())
        driver.execute("ALTER TABLE sources ADD CHECK (owned())")

    with pytest.raises(BackupFailed, match="permission denied to COPY to or from an external program"):
        restore(new_database(), path, build_with_rule, pause)
    assert not trace.exists()  # noqa: ASYNC240


@pytest.fixture
async def busy(runtime: Runtime, corpus: Corpus, tmp_path: Path) -> URL:
    """A database with all that is done by itself: jobs, a schedule, and a webhook with an event on its way."""
    await build(runtime, corpus, {"herald": honest()}, TOWERS)
    connector = await make(runtime, corpus, "folder", path=str(tmp_path), source="Herald")
    await connectors.start(runtime, corpus, connector.id)
    await estimation.start(runtime, corpus, EstimationParameters(), Trigger.HTTP)
    async with runtime.database.begin() as session:
        await schedules.create(session, corpus, ScheduleInput(name="nightly", cron="0 3 * * *"))
        values = WebhookInput(url="https://hooks.example", events=["estimation.failed"])
        webhook = await webhooks.create(session, corpus, values, "secret")
        await webhooks.add_delivery(session, webhook.id, "webhook.test", {})
    return runtime.database.url


def active(url: URL) -> list[object]:
    """Jobs, unfinished subjects by kind, and what is switched on."""
    engine = sqlalchemy.create_engine(url, poolclass=NullPool)
    counts = [
        select(func.count()).select_from(JOBS),
        *(
            select(func.count()).select_from(kind.unfinished.subquery())
            for kind in kinds.KINDS
            if kind.unfinished is not None
        ),
        select(func.count()).where(Schedule.enabled),
        select(func.count()).where(Webhook.enabled),
    ]
    with engine.connect() as connection:
        return [connection.scalar(count) for count in counts]


async def test_nothing_is_done_by_itself_after_a_backup_that_is_not_signed(
    busy: URL, new_database: Callable[[], URL], tmp_path: Path
) -> None:
    path, key, unsigned, signed = tmp_path / "backup", SecretStr("k" * 16), new_database(), new_database()
    backup.back_up(busy, path, key)
    restore(signed, path, build_schema, pause, key=key)
    assert active(signed) == active(busy) == [2, 0, 1, 1, 0, 1, 1, 1]
    restore(unsigned, path, build_schema, pause)
    assert active(unsigned) == [0] * 8
    with psycopg.connect(libpq_url(unsigned)) as connection:
        for table, column in REASONS:
            found = connection.execute(f"SELECT {column} FROM {table}".encode()).fetchall()  # noqa: S608
            assert found == [(UNSIGNED,)], table
