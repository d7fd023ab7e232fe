"""A corpus as an external knowledge base of Dify, asked as Dify asks."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from registry.corpora.model import Corpus
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS
from tests.registry.world import TOWERS, build, honest, liar, question

PATH = "/v1/dify/retrieval"
Problem = Callable[[httpx.Response, int], dict[str, Any]]


@pytest.fixture
async def world(reading: Runtime, corpus: Corpus) -> Runtime:
    await build(reading, corpus, {"herald": honest(), "rumour": liar("Aldra")}, TOWERS)
    return reading


def asking(query: str, **setting: float) -> dict[str, Any]:
    """The body that Dify sends."""
    return {
        "knowledge_id": "default",
        "query": query,
        "retrieval_setting": {"top_k": 4, "score_threshold": 0.0} | setting,
        "metadata_condition": None,
    }


async def records(client: httpx.AsyncClient, **setting: float) -> list[dict[str, Any]]:
    response = await client.post(PATH, json=asking(question("Aldra"), **setting))
    assert response.status_code == 200, response.text
    listed: list[dict[str, Any]] = response.json()["records"]
    return listed


async def test_dify_tries_the_address_without_a_body(client: httpx.AsyncClient) -> None:
    response = await client.post(PATH, headers={"Content-Type": "application/json"})
    assert (response.status_code, response.json()) == (200, {"records": []})


@pytest.mark.usefixtures("world")
async def test_records_are_passages_with_their_sources(client: httpx.AsyncClient) -> None:
    listed = await records(client)
    assert len(listed) == 4
    assert {record["metadata"]["source"] for record in listed[:2]} == {"Herald", "Rumour"}
    for record in listed:
        assert isinstance(record["metadata"]["document_id"], str)
        assert 0 <= record["score"] <= record["metadata"]["relevance"] <= 1
    assert "The tower of Aldra is painted" in listed[0]["content"]
    assert [record["score"] for record in listed] == sorted((record["score"] for record in listed), reverse=True)


@pytest.mark.usefixtures("world")
async def test_a_source_that_is_not_trusted_comes_last(client: httpx.AsyncClient) -> None:
    for name, reliability in (("herald", 0.9), ("rumour", 0.1)):
        sources = (await client.get(f"{CORPUS}/sources")).json()["items"]
        source_id = next(source["id"] for source in sources if source["external_id"] == name)
        override = {"reliability": reliability, "reason": "known"}
        await client.put(f"{CORPUS}/sources/{source_id}/override", json=override)
    listed = await records(client, top_k=12)
    first = [record["metadata"]["source"] for record in listed if record["title"].endswith("Aldra")]
    assert first == ["Herald", "Rumour"]
    for record in listed:
        metadata = record["metadata"]
        weight = 0.95 if metadata["source"] == "Herald" else 0.55
        assert record["score"] == pytest.approx(metadata["relevance"] * weight)


@pytest.mark.usefixtures("world")
async def test_the_threshold_and_the_number_are_kept(client: httpx.AsyncClient) -> None:
    assert len(await records(client, top_k=1)) == 1
    assert await records(client, score_threshold=1.0) == []


async def test_an_unknown_knowledge_base_is_told(client: httpx.AsyncClient, problem: Problem) -> None:
    problem(await client.post(PATH, json=asking("What?") | {"knowledge_id": "nothing"}), 404)
    problem(await client.post(PATH, json=asking(" ")), 422)
