"""The service on an embedded Postgres that is killed or runs out of disk: it is ready again, and nothing is lost."""

import os
import re
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import psycopg
import pytest
from sqlalchemy.engine import make_url

from answering.embedders import Embedder
from api.app import create_app
from migrations import control
from registry.platform.database import embedded
from registry.platform.settings import Settings
from registry.runtime import open_runtime
from tests.api.http.conftest import CORPUS, client_of
from tests.eventually import eventually
from tests.fakes.scripted_reader import ScriptedReader

# KILLS=20 DISKS=5 is the full drill, in which a disk with space again may take 10 seconds.
KILLS = int(os.environ.get("KILLS", "1"))
DISKS = int(os.environ.get("DISKS", "1"))
READY_SECONDS = 10 if "DISKS" in os.environ else 100
DISK = "128m"


@pytest.fixture(scope="module")
def data_dir() -> Iterator[Path]:
    """The folder of a running server, on a small disk of its own where one can be mounted."""
    with tempfile.TemporaryDirectory(prefix="credence-test-", ignore_cleanup_errors=True) as name:
        folder, disk = Path(name), ["-t", "tmpfs", "-o", f"size={DISK},mode=700", "tmpfs", name]
        mounted = os.geteuid() == 0 and subprocess.run(["mount", *disk], check=False).returncode == 0
        control.upgrade(make_url(embedded.start(folder)).set(drivername="postgresql+psycopg"))
        with psycopg.connect(embedded.server_of(folder).url, autocommit=True) as connection:
            for option in ("min_wal_size", "max_wal_size"):
                connection.execute(f"ALTER SYSTEM SET {option} = '32MB'".encode())
            connection.execute("SELECT pg_reload_conf()")
        yield folder
        embedded.stop(folder)
        if mounted:
            subprocess.run(["umount", "--lazy", name], check=True)


@pytest.fixture
def disk(data_dir: Path) -> Path:
    if not data_dir.is_mount():
        pytest.skip("only root can mount a small disk")
    return data_dir


@pytest.fixture
async def client(data_dir: Path, embedder: Embedder) -> AsyncIterator[httpx.AsyncClient]:
    settings = Settings(data_dir=data_dir, database_timeout_seconds=10)
    async with (
        open_runtime(
            settings, check_schema=control.check_schema, reader=ScriptedReader(), embedder=embedder
        ) as runtime,
        client_of(create_app(settings, runtime=runtime)) as client,
    ):
        yield client


def kill(data_dir: Path) -> None:
    process_id = embedded.server_of(data_dir).process_id
    assert process_id is not None
    os.kill(process_id, signal.SIGKILL)


async def store(client: httpx.AsyncClient, name: str) -> None:
    """Store a source; until that succeeds the service may only say that it is not available."""

    async def stored() -> bool:
        response = await client.post(f"{CORPUS}/sources", json={"name": name})
        assert response.status_code in {201, 409, 503}, response.text
        return response.status_code != 503

    await eventually(stored)


async def stored_names(client: httpx.AsyncClient) -> set[str]:
    listed = (await client.get(f"{CORPUS}/sources", params={"limit": 200})).json()["items"]
    return {source["name"] for source in listed}


async def is_ready(client: httpx.AsyncClient) -> bool:
    return (await client.get("/readyz")).status_code == 200


async def test_a_killed_server_is_started_again_and_nothing_is_lost(client: httpx.AsyncClient, data_dir: Path) -> None:
    for number in range(KILLS):
        await store(client, f"before {number}")
        kill(data_dir)
        assert (await client.get("/livez")).status_code == 200
        await store(client, f"after {number}")
    assert await stored_names(client) >= {f"{when} {number}" for when in ("before", "after") for number in range(KILLS)}
    # The server takes connections some milliseconds before its supervisor knows.
    await eventually(lambda: is_ready(client))
    metrics = (await client.get("/metrics")).text
    assert "credence_embedded_postgres_up 1.0" in metrics
    restarts = re.search(r"^credence_embedded_postgres_restarts_total (\d+)", metrics, re.MULTILINE)
    # On a busy machine a restarted server may need another attempt.
    assert restarts is not None
    assert int(restarts[1]) >= 1


async def test_health_tells_a_server_that_cannot_be_restarted_until_it_can(
    client: httpx.AsyncClient, data_dir: Path
) -> None:
    data, aside = data_dir / "postgres", data_dir / "aside"
    process_id = embedded.server_of(data_dir).process_id
    assert process_id is not None
    data.rename(aside)
    os.kill(process_id, signal.SIGKILL)

    async def alive() -> bool:
        return (await client.get("/livez")).status_code == 200

    async def dead() -> bool:
        return not await alive()

    await eventually(dead)
    assert "gone" in (await client.get("/livez")).json()["detail"]
    assert "restarted" in (await client.get("/readyz")).json()["detail"]
    aside.rename(data)
    await eventually(lambda: is_ready(client))
    assert await alive()


def fill(disk: Path) -> Path:
    """A file that leaves no space on the disk."""
    ballast = disk / "ballast"
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize)
    return ballast


def fill_log(data_dir: Path) -> None:
    """Write to the write-ahead log until Postgres ends, as it does where the log cannot be written."""
    with psycopg.connect(embedded.server_of(data_dir).url, autocommit=True) as connection:
        while True:
            connection.execute("SELECT pg_logical_emit_message(false, '', ''), pg_switch_wal()")


async def test_a_full_disk_refuses_writes_and_all_goes_on_when_there_is_space(
    client: httpx.AsyncClient, disk: Path
) -> None:
    async def health() -> list[int]:
        return [(await client.get(path)).status_code for path in ("/livez", "/readyz")]

    async def ready() -> bool:
        return await health() == [200, 200]

    for number in range(DISKS):
        await store(client, f"before disk {number}")
        source = (await client.get(f"{CORPUS}/sources")).json()["items"][0]["id"]
        ballast = fill(disk)
        document = {"content": os.urandom(2**16).hex()}
        refused = await client.post(f"{CORPUS}/sources/{source}/documents", json=document)
        assert (refused.status_code, "disk" in refused.json()["detail"]) == (503, True), refused.text
        assert await is_ready(client)  # to read
        with pytest.raises(psycopg.OperationalError):
            fill_log(disk)
        assert await health() in ([200, 503], [200, 200])
        ballast.unlink()
        await eventually(ready, READY_SECONDS)
        await store(client, f"after disk {number}")
    names = {f"{when} disk {number}" for when in ("before", "after") for number in range(DISKS)}
    assert await stored_names(client) >= names
