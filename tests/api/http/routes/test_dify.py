"""A corpus as an external knowledge base of Dify, asked as Dify asks."""

from collections.abc import Sequence
from typing import Any

import httpx
import pytest

from registry.corpora.model import Corpus
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS
from tests.registry.stating import documents
from tests.registry.world import TOWERS, build, honest, liar, question

PATH = "/v1/dify/retrieval"


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


async def test_failures_have_the_form_that_dify_shows(client: httpx.AsyncClient) -> None:
    unknown = await client.post(PATH, json=asking("What?") | {"knowledge_id": "nothing"})
    assert (unknown.status_code, unknown.headers["content-type"]) == (404, "application/json")
    assert unknown.json()["error_code"] == 2001
    assert "nothing" in unknown.json()["error_msg"]
    for wrong, told in (
        ({"name": "title", "comparison_operator": "resembles", "value": "x"}, "comparison_operator"),
        ({"name": "title", "comparison_operator": "is"}, "needs a value"),
        ({"name": "year", "comparison_operator": "≥", "value": "many"}, "no number"),
        ({"name": "published_at", "comparison_operator": "before", "value": "soon"}, "no time"),
        ({"name": "reliability", "comparison_operator": ">", "value": 0.5}, "no metadata of documents"),
    ):
        refused = await client.post(PATH, json=asking("What?") | {"metadata_condition": {"conditions": [wrong]}})
        assert (refused.status_code, refused.json()["error_code"]) == (422, 422), wrong
        assert told in refused.json()["error_msg"]
    assert (await client.post(PATH, json=asking(" "))).json()["error_code"] == 422


DOCUMENTS: list[dict[str, object]] = [
    {
        "source": "Herald",
        "external_id": "a",
        "title": "Old report",
        "published_at": "2024-02-03T10:00:00Z",
        "attributes": {"tags": ["AI", "law"], "year": 2024, "seen": "2026-02-31", "reviewed": "2024-03-01"},
    },
    {
        "source": "Gazette",
        "external_id": "b",
        "title": "New report",
        "published_at": "2026-05-01T00:00:00Z",
        "attributes": {"tags": ["art"], "year": 2026, "reviewed": 1_777_600_000},
    },
    {
        "source": "Herald",
        "external_id": "c",
        "title": "Letter",
        "url": "https://herald.example/c",
        "attributes": {"tags": [], "year": "unknown", "note": ""},
    },
]
# Of names, operators and values, with the external ids of the documents that are found.
CONDITIONS: dict[tuple[tuple[object, str, object], ...], str] = {
    (): "abc",
    (("title", "contains", "report"),): "ab",
    (("title", "not contains", "report"),): "c",
    (("title", "start with", "Old"),): "a",
    (("title", "end with", "ter"),): "c",
    (("source", "is", "Herald"),): "ac",
    (("source", "is not", "Herald"),): "b",
    (("source", "in", ("Gazette", "Times")),): "b",
    (("source", "not in", ("Gazette", "Times")),): "ac",
    (("url", "empty", None),): "ab",
    (("path", "start with", "https://"),): "c",
    (("note", "not empty", None),): "",
    (("tags", "contains", "AI"),): "a",
    (("tags", "empty", None),): "c",
    ((("title", "tags"), "contains", "art"),): "b",
    (("year", "=", 2026),): "b",
    (("year", "is", 2026.0),): "b",
    (("year", "≠", "2026"),): "ac",
    (("year", ">", 2023.5),): "ab",
    (("year", "<", 2026),): "a",
    (("year", "≥", 2026),): "b",
    (("year", "≤", 2024),): "a",
    (("published_at", "before", "2026-01-01"),): "a",
    (("published_at", "after", "2024-02-03T09:59:59Z"),): "ab",
    (("reviewed", "after", "2026-01-01"),): "b",
    (("seen", "before", 4_000_000_000),): "",
    (("source", "is", "Herald"), ("published_at", "not empty", None)): "a",
    (("source", "is", "x'; DROP TABLE documents; --"), ("x'} :y", "is", "{z}")): "",
}


async def test_conditions_on_metadata_choose_documents(
    client: httpx.AsyncClient, reading: Runtime, corpus: Corpus
) -> None:
    content = {"content": "The tower of Aldra is painted red."}
    await documents(reading, corpus, *(document | content for document in DOCUMENTS))

    async def titles(operator: str | None, conditions: Sequence[tuple[object, str, object]]) -> set[str]:
        sent = [{"name": name, "comparison_operator": asked, "value": value} for name, asked, value in conditions]
        condition = {"logical_operator": operator, "conditions": sent}
        response = await client.post(PATH, json=asking(question("Aldra")) | {"metadata_condition": condition})
        assert response.status_code == 200, response.text
        return {record["title"].split(": ")[1] for record in response.json()["records"]}

    for conditions, expected in CONDITIONS.items():
        wanted = {str(document["title"]) for document in DOCUMENTS if str(document["external_id"]) in expected}
        assert await titles("and", conditions) == wanted, conditions
    either = [("source", "is", "Gazette"), ("title", "is", "Letter")]
    assert await titles("or", either) == {"New report", "Letter"}
    assert await titles(None, either) == set()
