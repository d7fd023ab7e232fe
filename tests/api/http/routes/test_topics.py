"""Topics over HTTP: of queries, estimations, sources and answers."""

import httpx
import pytest

from registry.corpora.model import Corpus
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS
from tests.registry.estimated import estimate_experts
from tests.registry.world import EXPERT_TOWERS, EXPERTS, MOUNTAINS, SEA, question
from tests.remembered import Remember
from tests.tables import for_each


@pytest.fixture
async def experts(reading: Runtime, corpus: Corpus, remember: Remember) -> Runtime:
    """The runtime, where documents and queries of the experts are, and the readings of a run."""
    await estimate_experts(reading, corpus, remember)
    return reading


@pytest.mark.usefixtures("experts")
async def test_an_estimation_and_its_sources_have_topics(client: httpx.AsyncClient) -> None:
    (run,) = (await client.get(f"{CORPUS}/estimations")).json()["items"]
    address, topics = f"{CORPUS}/estimations/{run['id']}", run["outcome"]["topics"]
    half = len(EXPERT_TOWERS) // 2
    assert {topic["label"]: topic["query_count"] for topic in topics} == {SEA: half, MOUNTAINS: half}
    listed = (await client.get(f"{CORPUS}/sources")).json()["items"]
    for source in listed:
        of_topics = {topic["label"]: topic for topic in source["reliability"]["topics"]}
        own, other = (SEA, MOUNTAINS) if source["external_id"] in EXPERTS[SEA] else (MOUNTAINS, SEA)
        assert of_topics[own]["reliability"] > 0.6 > of_topics[other]["reliability"]
        assert of_topics[own]["lower"] < of_topics[own]["reliability"] < of_topics[own]["upper"]
    rows = (await client.get(f"{address}/sources")).json()["items"]
    assert {len(row["topics"]) for row in rows} == {2}
    of_queries = (await client.get(f"{address}/queries", params={"limit": 100})).json()["items"]
    labels = {row["query_text"]: topics[row["topic"]]["label"] for row in of_queries}
    assert labels == {question(tower): topic for tower, topic in EXPERT_TOWERS.items()}


@pytest.mark.usefixtures("experts")
async def test_an_answer_names_its_topic(client: httpx.AsyncClient) -> None:
    asked = {"question": question("Harbourlight"), "parameters": {"kappa": 6}}
    result = (await client.post(f"{CORPUS}/answers", json=asked)).json()["result"]
    assert (result["topic"]["label"], result["topic"]["given"], result["answers"]) == (SEA, False, ["cyan"])
    asked["parameters"] = {"kappa": 6, "topic": MOUNTAINS}
    result = (await client.post(f"{CORPUS}/answers", json=asked)).json()["result"]
    assert (result["topic"]["label"], result["topic"]["given"], result["answers"]) == (MOUNTAINS, True, ["pink"])


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
