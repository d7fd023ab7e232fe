"""Search over all sources, with the weight of reliability that the caller sets and copies folded."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from registry.corpora.model import Corpus
from registry.documents import imports
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS
from tests.registry.documents.documents import lines

Problem = Callable[[httpx.Response, int], dict[str, Any]]
LONG = (
    "The lighthouse of Brin was built by Karl Holm in the year 1911, on the cliff above the old harbour, where the "
    "ferries from the mainland arrive every morning and every evening."
)
TEXTS = {
    "herald": LONG,
    "mirror": LONG.replace("Karl", "KARL") + " ",
    "rumour": "The lighthouse of Brin was built by Anna Dahl, who never built another one. So people say in the inn.",
    "garden": "Roses want sun and water.",
}
QUERY = "Who built the lighthouse of Brin?"


@pytest.fixture
async def world(reading: Runtime, corpus: Corpus, client: httpx.AsyncClient) -> None:
    rows = [
        {"source": name, "external_id": "a", "title": name.title(), "content": text} for name, text in TEXTS.items()
    ]
    results = imports.import_documents_of_sources(reading, corpus, lines(*rows))
    assert {result.status.value async for result in results} == {"created"}
    for name, reliability in (("herald", 0.9), ("mirror", 0.9), ("rumour", 0.2)):
        body = {"reliability": reliability, "reason": "test"}
        await client.put(f"{CORPUS}/sources/{name}/override", json=body)


async def hits(client: httpx.AsyncClient, **parameters: object) -> list[dict[str, Any]]:
    response = await client.post(f"{CORPUS}/search", json={"query": QUERY, **parameters})
    assert response.status_code == 200, response.text
    items: list[dict[str, Any]] = response.json()["items"]
    return items


@pytest.mark.usefixtures("world")
async def test_reliability_counts_as_far_as_the_caller_lets_it(client: httpx.AsyncClient) -> None:
    by_relevance = {hit["source_name"]: hit for hit in await hits(client, reliability_weight=0, fold_copies=False)}
    assert all(hit["score"] == hit["relevance"] for hit in by_relevance.values())
    for weight in (0.3, 1.0):
        weighed = await hits(client, reliability_weight=weight, fold_copies=False)
        assert [hit["score"] for hit in weighed] == sorted((hit["score"] for hit in weighed), reverse=True)
        for hit in weighed:
            if hit["source_name"] in {"herald", "rumour"}:
                factor = 1 - weight * (1 - hit["reliability"])
                assert hit["score"] == pytest.approx(by_relevance[hit["source_name"]]["relevance"] * factor)
        assert weighed[0]["source_name"] in {"herald", "mirror"}


@pytest.mark.usefixtures("world")
async def test_copies_are_one_hit(client: httpx.AsyncClient) -> None:
    folded = await hits(client, reliability_weight=0.9)
    assert {folded[0]["source_name"], *(copy["source_name"] for copy in folded[0]["copies"])} == {"herald", "mirror"}
    assert folded[0]["independent_sources"] == 2
    assert folded[0]["content"][:14] == "The lighthouse"
    assert (folded[0]["start"], folded[0]["title"]) == (0, folded[0]["source_name"].title())
    assert all(hit["copies"] == [] and hit["independent_sources"] == 1 for hit in folded[1:])
    assert len(await hits(client, fold_copies=False)) == len(folded) + 1
    assert [hit["document_id"] for hit in await hits(client, limit=1, reliability_weight=0.9)] == [
        folded[0]["document_id"]
    ]


async def test_a_corpus_without_passages_has_no_hits(client: httpx.AsyncClient, problem: Problem) -> None:
    assert await hits(client) == []
    for wrong in ({"query": ""}, {"query": "x", "reliability_weight": 1.1}, {"query": "x", "limit": 0}, {"text": "x"}):
        problem(await client.post(f"{CORPUS}/search", json=wrong), 422)
