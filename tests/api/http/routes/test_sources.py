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
from tests.api.http.routes.test_imports import NDJSON, lines, ndjson
from tests.registry.estimated import finished
from tests.registry.world import TOWERS, build, honest, liar
from tests.tables import for_each

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


RATING = {"rating": 0.85, "strength": 20, "origin": "Media list, May 2026"}


async def source_of(client: httpx.AsyncClient, external_id: str) -> str:
    created = await client.post(f"{CORPUS}/sources", json={"name": external_id, "external_id": external_id})
    return str(created.headers["location"])


async def test_a_rating_is_set_shown_and_deleted(client: httpx.AsyncClient, problem: Problem) -> None:
    source = await source_of(client, "herald")
    assert (await client.get(source)).json()["reliability"]["rating"] is None
    stored = (await client.put(f"{source}/rating", json=RATING)).json()
    assert RATING.items() <= stored.items()
    assert stored["created_by"] == "anonymous"
    reliability = (await client.get(f"{source}/reliability")).json()
    assert reliability["rating"] == stored
    assert reliability["reliability"] is None  # until an estimation uses it
    assert (await client.put(f"{source}/rating", json=RATING | {"rating": 0.2})).json()["rating"] == 0.2
    assert (await client.delete(f"{source}/rating")).status_code == 204
    problem(await client.delete(f"{source}/rating"), 404)


@for_each(
    "change",
    [
        *({"rating": value} for value in (1.01, -0.01, "0.5", None)),
        *({"strength": value} for value in (0, 1e9, True)),
        {"origin": ""},
        {"origin": " "},
        {"weight": 3},
    ],
)
async def test_a_rating_out_of_range_is_refused(
    client: httpx.AsyncClient, problem: Problem, change: dict[str, object]
) -> None:
    source = await source_of(client, "herald")
    problem(await client.put(f"{source}/rating", json=RATING | change), 422)


async def test_of_an_import_the_good_lines_are_kept_and_the_bad_ones_reported(client: httpx.AsyncClient) -> None:
    sources = {name: await source_of(client, name) for name in ("herald", "post", "echo")}
    body = (
        ndjson(*({"external_id": name} | RATING for name in ("herald", "nobody", "post")))
        + ndjson({"external_id": "echo"} | RATING | {"rating": 2})
        + b"{not json\n"
        + ndjson({"external_id": "echo", "rating": 0.5}, RATING)
        + b'{"external_id": "echo", "rating": NaN, "origin": "x"}\n'
        + ndjson({"external_id": "herald"} | RATING | {"rating": 0.1}, {"external_id": "post"} | RATING)
    )
    results = lines(await client.post(f"{CORPUS}/ratings:import", content=body, headers=NDJSON))
    statuses = [result["status"] for result in results]
    assert statuses == ["created", "rejected", "created", *["rejected"] * 5, "updated", "unchanged"]
    assert "nobody" in results[1]["error"]
    assert "rating" in results[3]["error"]
    assert "origin" in results[5]["error"]
    ratings = {name: (await client.get(f"{source}/reliability")).json()["rating"] for name, source in sources.items()}
    assert (ratings["herald"]["rating"], ratings["post"]["rating"], ratings["echo"]) == (0.1, 0.85, None)


@pytest.mark.parametrize(
    "line",
    [
        b"[]",
        b"null",
        b"\xff\xfe",
        b"[" * 10_000,
        b'{"external_id": "a\\u0000", "rating": 0.5, "origin": "x"}',
        b'{"external_id": null, "rating": 0.5, "origin": "x"}',
        b'{"external_id": "herald", "rating": 1e999, "origin": "x"}',
        b'{"external_id": "herald", "rating": -Infinity, "origin": "x"}',
        b'{"external_id": "herald", "rating": true, "origin": "x"}',
        b'{"external_id": "herald", "rating": 0.5, "strength": NaN, "origin": "x"}',
        b'{"external_id": "herald", "rating": 0.5, "strength": 0, "origin": "x"}',
        b'{"external_id": "herald", "rating": 0.5, "origin": "\\ud800"}',
        b'{"external_id": "herald", "rating": 0.5, "origin": "' + b"x" * 2_001 + b'"}',
    ],
    ids=lambda line: repr(line[-40:]),
)
async def test_a_hostile_line_is_refused_and_the_next_one_kept(client: httpx.AsyncClient, line: bytes) -> None:
    await source_of(client, "herald")
    body = line + b"\n" + ndjson({"external_id": "herald"} | RATING)
    results = lines(await client.post(f"{CORPUS}/ratings:import", content=body, headers=NDJSON))
    assert [(result["line"], result["status"]) for result in results] == [(1, "rejected"), (2, "created")]
    assert results[0]["error"]


async def test_an_import_names_external_ids_and_no_others(client: httpx.AsyncClient) -> None:
    identifier = (await source_of(client, "herald")).rpartition("/")[2]
    body = ndjson({"external_id": identifier} | RATING)
    [result] = lines(await client.post(f"{CORPUS}/ratings:import", content=body, headers=NDJSON))
    assert result["status"] == "rejected"


async def test_a_rating_in_another_corpus_is_another_sources(client: httpx.AsyncClient, problem: Problem) -> None:
    await client.post("/v1/corpora", json={"name": "other"})
    created = (await client.post("/v1/corpora/other/sources", json={"name": "a", "external_id": "a"})).json()
    problem(await client.put(f"{CORPUS}/sources/{created['id']}/rating", json=RATING), 404)
    body = ndjson({"external_id": "a"} | RATING)
    [result] = lines(await client.post(f"{CORPUS}/ratings:import", content=body, headers=NDJSON))
    assert result["status"] == "rejected"
