"""While versions are exchanged, processes of both use one database: the schema is upgraded under the older one."""

import asyncio
import os
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import httpx
import psycopg
from pydantic import SecretStr
from sqlalchemy.engine import URL

from answering.embedders import Embedder
from migrations import control
from registry.platform.database.base import Base
from registry.platform.database.engine import libpq_url
from registry.platform.settings import Settings
from tests.api.http.conftest import serving
from tests.eventually import eventually
from tests.registry.world import TOWERS, colour_reader, question

# REQUESTS=10000 is the full drill.
REQUESTS = int(os.environ.get("REQUESTS", "40"))
CORPUS = "/v1/corpora/default"


def upgrade_to_the_future(url: str) -> None:
    """What a later migration may do: columns in every table, a table, an index."""
    with psycopg.connect(url, autocommit=True) as connection:
        for table in Base.metadata.sorted_tables:
            connection.execute(f"ALTER TABLE {table.name} ADD later text, ADD latest int NOT NULL DEFAULT 0".encode())
        connection.execute("CREATE TABLE later (id int PRIMARY KEY)")
        connection.execute("CREATE INDEX ON sources (later)")
        connection.execute("UPDATE alembic_version SET version_num = '9999'")


async def use(client: httpx.AsyncClient, number: int) -> list[int]:
    """The statuses of writing, reading and asking."""
    name, tower = f"source {number}", TOWERS[number % len(TOWERS)]
    source = await client.post(f"{CORPUS}/sources", json={"name": name})
    document = {"external_id": "1", "content": f"The tower of {tower} is painted red."}
    written = await client.post(f"{CORPUS}/sources/{source.json()['id']}/documents", json=document)
    asked = await client.post(f"{CORPUS}/answers", json={"question": question(tower)})
    listed = await client.get(f"{CORPUS}/sources")
    changed = await client.patch(f"{CORPUS}/sources/{source.json()['id']}", json={"description": "seen"})
    return [response.status_code for response in (source, written, asked, listed, changed)]


async def has_succeeded(client: httpx.AsyncClient, location: str) -> bool:
    return bool((await client.get(location)).json()["status"] == "succeeded")


async def test_both_versions_serve_while_the_schema_is_upgraded(
    new_database: Callable[[], URL], embedder: Embedder, tmp_path: Path
) -> None:
    url = new_database()
    control.upgrade(url)
    settings = Settings(database_url=SecretStr(libpq_url(url)), data_dir=tmp_path)
    statuses: Counter[int] = Counter()
    with ExitStack() as services:
        address = services.enter_context(serving(settings, colour_reader(), embedder))
        async with httpx.AsyncClient(base_url=address, timeout=60) as older:
            for number in range(REQUESTS // 20):
                statuses.update(await use(older, number))
            upgrade, used = await asyncio.gather(
                asyncio.to_thread(upgrade_to_the_future, libpq_url(url)), use(older, -1), return_exceptions=True
            )
            assert upgrade is None
            assert isinstance(used, list)
            statuses.update(used)
            newer_address = services.enter_context(serving(settings, colour_reader(), embedder))
            async with httpx.AsyncClient(base_url=newer_address, timeout=60) as newer:
                for number in range(REQUESTS, REQUESTS + REQUESTS * 3 // 20):
                    statuses.update(await use((older, newer)[number % 2], number))
                await newer.post(f"{CORPUS}/queries", json={"text": question("Aldra")})
                run = await newer.post(f"{CORPUS}/estimations", json={})
                await eventually(lambda: has_succeeded(older, run.headers["Location"]))
    assert sum(statuses.values()) >= REQUESTS
    assert statuses.keys() <= {200, 201, 202}, statuses
