"""Sources that turn, over HTTP: the alarm, the periods, the event and the metric."""

import httpx
import pytest
from sqlalchemy import select

from registry.corpora.model import Corpus
from registry.estimations import service as estimation
from registry.runtime import Runtime
from registry.sources.model import Source
from tests.api.http.conftest import CORPUS
from tests.registry.world import DAYS, TURN, build_turning
from tests.remembered import Remember

SOURCE_COUNT = 5
TURNED_AT = DAYS[TURN].isoformat().replace("+00:00", "Z")


@pytest.fixture
async def turned(reading: Runtime, corpus: Corpus, remember: Remember) -> Source:
    await remember("turncoat", lambda: build_turning(reading, corpus))
    async with reading.database.begin() as session:
        return (await session.scalars(select(Source).where(Source.external_id == "turncoat"))).one()


async def estimated(client: httpx.AsyncClient, runtime: Runtime, drift: str) -> str:
    """The address of a finished estimation."""
    started = await client.post(f"{CORPUS}/estimations", json={"parameters": {"drift": drift}})
    await estimation.run(runtime, started.json()["id"])
    return str(started.headers["location"])


async def test_a_source_that_turned_raises_an_alarm(
    client: httpx.AsyncClient, reading: Runtime, turned: Source
) -> None:
    address = await estimated(client, reading, "auto")
    run = (await client.get(address)).json()
    assert run["parameters"]["drift"] == "auto"
    assert "1 source turned" in run["outcome"]["reason"]
    reliability = (await client.get(f"{CORPUS}/sources/{turned.id}/reliability")).json()
    assert reliability["alarm"] is True
    assert reliability["turned_at"] == TURNED_AT
    before, present = reliability["periods"]
    assert before["reliability"] > 0.8
    assert present["reliability"] == reliability["reliability"] < 0.3
    assert before["lower"] < before["reliability"] < before["upper"]
    assert (before["vote_count"], present["vote_count"]) == (TURN, len(DAYS) - TURN)
    assert before["log_odds"] is None
    assert present["log_odds"] > 0
    [row] = (await client.get(f"{CORPUS}/sources/{turned.id}/reliability/history")).json()["items"]
    assert (row["turned_at"], row["periods"]) == (TURNED_AT, reliability["periods"])
    rows = (await client.get(f"{address}/sources")).json()["items"]
    assert sorted(len(row["periods"]) for row in rows) == [0] * (SOURCE_COUNT - 1) + [2]
    listed = (await client.get(f"{CORPUS}/sources")).json()["items"]
    assert [item["external_id"] for item in listed if item["reliability"]["alarm"]] == ["turncoat"]
    followed = (await client.get(f"{address}/events")).text
    assert followed.count("event: source_turned") == 1
    assert 'credence_sources_turned{corpus="default"} 1.0' in (await client.get("/metrics")).text
