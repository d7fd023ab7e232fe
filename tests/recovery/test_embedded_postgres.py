"""The service on an embedded Postgres that is killed: it is ready again by itself, and nothing is lost."""

import os
import re
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
from sqlalchemy.engine import make_url

from answering.embedders import Embedder
from answering.readers import ScriptedReader
from api.app import create_app
from migrations import control
from registry.database import embedded
from registry.runtime import open_runtime
from registry.settings import Settings
from tests.api.http.conftest import CORPUS, client_of
from tests.eventually import eventually

# KILLS=20 is the full drill.
KILLS = int(os.environ.get("KILLS", "2"))


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("embedded")
    control.upgrade(make_url(embedded.start(folder)).set(drivername="postgresql+psycopg"))
    yield folder
    embedded.stop(folder)


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


async def test_a_killed_server_is_started_again_and_nothing_is_lost(client: httpx.AsyncClient, data_dir: Path) -> None:
    names: list[str] = []

    async def written() -> bool:
        response = await client.post(f"{CORPUS}/sources", json={"name": name})
        assert response.status_code in {201, 409, 503}, response.text
        return response.status_code != 503

    for number in range(KILLS):
        for name in (f"before {number}", f"after {number}"):
            await eventually(written)
            names.append(name)
            if name.startswith("before"):
                kill(data_dir)
                assert (await client.get("/livez")).status_code == 200
    listed = (await client.get(f"{CORPUS}/sources", params={"limit": 200})).json()["items"]
    assert {source["name"] for source in listed} >= set(names)
    assert (await client.get("/readyz")).status_code == 200
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

    async def ready() -> bool:
        return (await client.get("/readyz")).status_code == 200

    await eventually(ready)
    assert await alive()
