"""Corpora and sources over HTTP, and what an operator says of them."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from registry.corpora.model import Corpus
from registry.estimations import service as estimation
from registry.estimations.schemas import EstimationParameters
from registry.platform.enums import Trigger
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS
from tests.registry.estimated import finished
from tests.registry.world import TOWERS, build, honest, liar

Problem = Callable[[httpx.Response, int], dict[str, Any]]


async def test_a_corpus_from_beginning_to_end(client: httpx.AsyncClient, problem: Problem) -> None:
    created = await client.post("/v1/corpora", json={"name": "press", "description": "News"})
    assert created.status_code == 201
    address = created.headers["location"]
    assert address == "/v1/corpora/press"
    problem(await client.post("/v1/corpora", json={"name": "press"}), 409)
    changed = await client.patch(address, json={"description": "Old news"})
    assert changed.json()["description"] == "Old news"
    assert (await client.get(address)).json() == changed.json()
    assert {corpus["name"] for corpus in (await client.get("/v1/corpora")).json()["items"]} == {"default", "press"}
    await client.post(f"{address}/sources", json={"name": "Acme"})
    problem(await client.patch(address, json={"name": "default"}), 409)
    problem(await client.patch(address, json={"name": "No Name"}), 422)
    problem(await client.patch(CORPUS, json={"name": "first"}), 409)
    renamed = await client.patch(address, json={"name": "news"})
    assert (renamed.json()["name"], renamed.json()["id"]) == ("news", changed.json()["id"])
    problem(await client.get(address), 404)
    for address in ("/v1/corpora/news", f"/v1/corpora/{renamed.json()['id']}"):
        assert len((await client.get(f"{address}/sources")).json()["items"]) == 1
    problem(await client.patch(address, json={"name": "default"}), 409)
    changed = renamed
    assert (await client.delete(address)).status_code == 204
    problem(await client.get(address), 404)
    problem(await client.delete(CORPUS), 409)


async def test_a_source_from_beginning_to_end(client: httpx.AsyncClient, problem: Problem) -> None:
    body = {"name": "مجلة אבג", "external_id": "acme", "attributes": {"since": 2012, "tags": ["a", None]}}
    created = await client.post(f"{CORPUS}/sources", json=body)
    assert created.status_code == 201
    assert body.items() <= created.json().items()
    assert created.json()["status"] == "active"
    assert created.json()["created_at"].endswith("Z")
    address = created.headers["location"]
    assert (await client.get(address)).json() == created.json()
    twice = await client.post(f"{CORPUS}/sources", json=body)
    problem(twice, 409)
    assert twice.headers["location"] == address
    paused = await client.patch(address, json={"status": "paused", "url": "https://acme.example"})
    assert (paused.json()["status"], paused.json()["url"]) == ("paused", "https://acme.example")
    assert paused.json()["name"] == body["name"]
    assert (await client.get(f"{CORPUS}/sources?status=active")).json()["items"] == []
    assert len((await client.get(f"{CORPUS}/sources?status=paused")).json()["items"]) == 1
    assert (await client.delete(address)).status_code == 204
    problem(await client.get(address), 404)
    problem(await client.delete(address), 404)


async def test_names_are_taken_where_ids_are(client: httpx.AsyncClient, problem: Problem) -> None:
    created = (await client.post(f"{CORPUS}/sources", json={"name": "The Herald"})).json()
    for reference in ("The Herald", "The%20Herald", created["id"]):
        address = f"{CORPUS}/sources/{reference}"
        sent = await client.post(f"{address}/documents", json={"external_id": "a", "content": "Fine."})
        assert sent.headers["location"].startswith(f"{CORPUS}/sources/{created['id']}/documents/")
        assert len((await client.get(f"{address}/documents")).json()["items"]) == 1
        assert (await client.get(address)).json()["id"] == created["id"]
        assert (await client.get(f"{address}/reliability")).json()["vote_count"] == 0
    again = await client.post(f"{CORPUS}/sources", json={"name": "The Herald"})
    assert "already has a source named 'The Herald'" in problem(again, 409)["detail"]
    assert again.headers["location"] == f"{CORPUS}/sources/{created['id']}"
    twin = await client.post(f"{CORPUS}/sources", json={"name": "The Herald", "external_id": "herald-2"})
    assert twin.status_code == 201
    assert (await client.get(f"{CORPUS}/sources/herald-2")).json()["id"] == twin.json()["id"]
    # An external id goes before a name.
    assert (await client.get(f"{CORPUS}/sources/The Herald")).json()["id"] == created["id"]


async def test_the_name_of_several_sources_is_refused(client: httpx.AsyncClient, problem: Problem) -> None:
    for external_id in ("a", "b"):
        await client.post(f"{CORPUS}/sources", json={"name": "Twin", "external_id": external_id})
    assert "'a', 'b'" in problem(await client.get(f"{CORPUS}/sources/Twin"), 422)["detail"]


async def test_a_source_of_another_corpus_is_not_found(client: httpx.AsyncClient, problem: Problem) -> None:
    await client.post("/v1/corpora", json={"name": "other"})
    created = (await client.post("/v1/corpora/other/sources", json={"name": "a"})).json()
    for path in ("", "/reliability", "/reliability/history", "/documents"):
        problem(await client.get(f"{CORPUS}/sources/{created['id']}{path}"), 404)


async def test_a_source_is_not_deleted_under_an_estimation(
    client: httpx.AsyncClient, problem: Problem, reading: Runtime, corpus: Corpus
) -> None:
    created = await client.post(f"{CORPUS}/sources", json={"name": "a"})
    await client.post(f"{CORPUS}/queries", json={"text": "Where?"})
    run = await estimation.start(reading, corpus, EstimationParameters(), Trigger.HTTP)
    refused = await client.delete(created.headers["location"])
    problem(refused, 409)
    assert refused.headers["location"] == f"{CORPUS}/estimations/{run.id}"


async def test_a_list_is_read_page_by_page(client: httpx.AsyncClient, problem: Problem) -> None:
    for number in range(7):
        await client.post(f"{CORPUS}/sources", json={"name": f"source {number}"})
    answer, cursor, pages = [], "", 0
    while cursor is not None:
        page = (
            await client.get(f"{CORPUS}/sources", params={"limit": 3, **({"cursor": cursor} if cursor else {})})
        ).json()
        answer += [source["name"] for source in page["items"]]
        cursor, pages = page["next_cursor"], pages + 1
    assert answer == [f"source {number}" for number in range(7)]
    assert pages == 3
    for wrong in ("x", "YzE", "é", "\x00", "c" * 200, "c" * 50_000, "YzEAAAAAAAAAAAAAAAAAAAAAAA=="):
        problem(await client.get(f"{CORPUS}/sources", params={"cursor": wrong}), 422)
    for limit in ("0", "501", "-1", "x", "9" * 5000, "1e3"):
        problem(await client.get(f"{CORPUS}/sources", params={"limit": limit}), 422)


@pytest.fixture
async def estimated(reading: Runtime, corpus: Corpus) -> dict[str, str]:
    """Addresses of two honest sources and a liar, after two estimations."""
    stated = {"herald": honest(), "gazette": honest(), "rumour": liar("Aldra", "Brin", "Corvo", "Delm")}
    built = await build(reading, corpus, stated, TOWERS)
    for _ in range(2):
        await finished(reading, corpus)
    return {name: f"{CORPUS}/sources/{source.id}" for name, source in built.items()}


async def test_reliability_and_its_history(client: httpx.AsyncClient, estimated: dict[str, str]) -> None:
    good = (await client.get(estimated["herald"] + "/reliability")).json()
    bad = (await client.get(estimated["rumour"] + "/reliability")).json()
    assert good["reliability"] == good["estimated"] > 0.75
    assert bad["reliability"] < 0.55
    for item in (good, bad):
        assert 0 < item["lower"] < item["reliability"] < item["upper"] < 1
        assert item["copy_group"] is None
        assert bad["reliability"] < item["prior"] < good["reliability"]
    assert good["vote_count"] == 6
    assert good["override"] is None
    history = (await client.get(estimated["rumour"] + "/reliability/history")).json()
    assert [entry["reliability"] for entry in history["items"]] == [bad["reliability"]] * 2
    assert [(entry["lower"], entry["upper"]) for entry in history["items"]] == [(bad["lower"], bad["upper"])] * 2
    listed = {row["external_id"]: row for row in (await client.get(f"{CORPUS}/sources")).json()["items"]}
    assert listed["herald"]["reliability"] == good
    assert (await client.get(estimated["rumour"])).json()["reliability"] == bad
    assert history["items"][1]["estimation_id"] == good["estimation_id"]


async def test_before_any_estimation_nothing_is_known(client: httpx.AsyncClient) -> None:
    created = await client.post(f"{CORPUS}/sources", json={"name": "a"})
    answer = (await client.get(created.headers["location"] + "/reliability")).json()
    assert answer["reliability"] is answer["estimated"] is answer["estimation_id"] is answer["weight"] is None


async def test_an_override_counts_and_survives_estimations(
    client: httpx.AsyncClient, problem: Problem, estimated: dict[str, str], reading: Runtime, corpus: Corpus
) -> None:
    address = estimated["herald"] + "/override"
    before = (await client.get(estimated["herald"] + "/reliability")).json()["estimated"]
    values = {"reliability": 0.1, "reason": "Hacked in March"}
    put = await client.put(address, json=values)
    assert put.status_code == 200
    assert put.json()["created_by"] == "anonymous"
    await finished(reading, corpus)
    answer = (await client.get(estimated["herald"] + "/reliability")).json()
    assert (answer["reliability"], answer["estimated"]) == (0.1, before)
    assert values.items() <= answer["override"].items()
    assert (await client.delete(address)).status_code == 204
    assert (await client.get(estimated["herald"] + "/reliability")).json()["reliability"] == before
    problem(await client.delete(address), 404)
    for wrong in (1.01, -0.1, "x", None, True):
        problem(await client.put(address, json={**values, "reliability": wrong}), 422)
    nan = await client.put(
        address, content=b'{"reliability": NaN, "reason": "r"}', headers={"content-type": "application/json"}
    )
    problem(nan, 422)
