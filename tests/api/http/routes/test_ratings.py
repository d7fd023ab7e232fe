"""Ratings of outside lists over HTTP, and estimations that use gold answers."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.api.http.conftest import CORPUS
from tests.api.http.routes.test_imports import NDJSON, lines, ndjson
from tests.tables import for_each

Problem = Callable[[httpx.Response, int], dict[str, Any]]

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
