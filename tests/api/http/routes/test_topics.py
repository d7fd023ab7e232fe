"""Topics over HTTP: of queries, estimations, sources and answers."""

import httpx
import pytest

from tests.api.http.conftest import CORPUS
from tests.tables import for_each


@pytest.mark.usefixtures("corpus")
async def test_queries_carry_a_topic(client: httpx.AsyncClient) -> None:
    created = (await client.post(f"{CORPUS}/queries", json={"text": "Where?", "topic": "places"})).json()
    assert created["topic"] == "places"
    address = f"{CORPUS}/queries/{created['id']}"
    assert (await client.patch(address, json={"topic": None})).json()["topic"] is None
    lines = '{"external_id": "a", "text": "Who?", "topic": "people"}'
    imported = await client.post(
        f"{CORPUS}/queries:import", content=lines, headers={"content-type": "application/x-ndjson"}
    )
    assert imported.status_code == 200
    assert "people" in {item["topic"] for item in (await client.get(f"{CORPUS}/queries")).json()["items"]}


@pytest.mark.usefixtures("corpus")
@for_each("topics", [0, -1, 100, "many", 1.5, True, None, ""])
async def test_bad_numbers_of_topics_are_refused(client: httpx.AsyncClient, topics: object) -> None:
    refused = await client.post(f"{CORPUS}/estimations", json={"parameters": {"topics": topics}})
    assert refused.status_code == 422


@pytest.mark.usefixtures("corpus")
async def test_a_patch_changes_the_topic_of_a_query_alone(client: httpx.AsyncClient) -> None:
    sent = {"text": "Where?", "topic": "places", "gold_answers": ["Oslo"], "attributes": {"kind": "place"}}
    created = (await client.post(f"{CORPUS}/queries", json=sent)).json()
    address = f"{CORPUS}/queries/{created['id']}"
    refused: tuple[object, ...] = ("", " ", "a\nb", "a\x00b", "x" * 201, 7, ["places"], {})
    for topic in refused:
        assert (await client.patch(address, json={"topic": topic})).status_code == 422
    assert (await client.patch(address, json={"active": False})).json()["topic"] == "places"
    changed = (await client.patch(address, json={"topic": "towns"})).json()
    assert changed == created | {"topic": "towns", "active": False, "updated_at": changed["updated_at"]}


@pytest.mark.usefixtures("corpus")
@for_each("topic", ["", "a\nb", "x" * 201, 7])
async def test_bad_topics_of_questions_are_refused(client: httpx.AsyncClient, topic: object) -> None:
    refused = await client.post(f"{CORPUS}/answers", json={"question": "Where?", "parameters": {"topic": topic}})
    assert refused.status_code == 422
