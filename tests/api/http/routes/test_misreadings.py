"""Misreadings over HTTP: listed, exported, confirmed, rejected."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

import httpx
import pytest

from registry.corpora.model import Corpus
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS
from tests.api.pages.test_sources import estimate
from tests.registry.misread_world import BLURRED, CarelessReader, build_misread, read_colour
from tests.registry.world import question

MISREADINGS = f"{CORPUS}/misreadings"
Problem = Callable[[httpx.Response, int], dict[str, Any]]


@pytest.fixture
async def reading(runtime: Runtime) -> Runtime:
    return replace(runtime, reader=CarelessReader(read_colour))


@pytest.fixture
async def estimated(reading: Runtime, corpus: Corpus) -> Runtime:
    await build_misread(reading, corpus)
    await estimate(reading, corpus)
    return reading


async def pages(client: httpx.AsyncClient, **parameters: bool) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        listed = (await client.get(MISREADINGS, params={**parameters, "limit": 4, **cursor})).json()
        items += listed["items"]
        if listed["next_cursor"] is None:
            return items
        cursor = {"cursor": listed["next_cursor"]}


@pytest.mark.usefixtures("estimated")
async def test_readings_are_listed_and_verdicts_set_shown_exported_and_withdrawn(
    client: httpx.AsyncClient, problem: Problem
) -> None:
    items = await pages(client)
    assert {item["question"] for item in items} == {question(tower) for tower in BLURRED}
    first = items[0]
    assert (first["source_name"], first["answer"], first["confidence"], first["verdict"]) == (
        "Herald",
        "painted",
        0.4,
        None,
    )
    assert first["accepted_answer"] in first["passage"]
    assert "is painted" in first["quote"]
    sources = (await client.get(f"{CORPUS}/sources")).json()["items"]
    counts = {source["name"]: source["reliability"]["misread_count"] for source in sources}
    assert counts == {"Herald": 6, "Gazette": 0, "Times": 0, "Post": 0, "Rumour": 0}
    second = items[1]
    confirmed = await client.put(f"{MISREADINGS}/{first['id']}", json={"verdict": "confirmed"})
    assert (confirmed.status_code, confirmed.json()["verdict"]) == (200, "confirmed")
    await client.put(f"{MISREADINGS}/{second['id']}", json={"verdict": "confirmed"})
    changed = await client.put(f"{MISREADINGS}/{second['id']}", json={"verdict": "rejected"})
    assert changed.json()["verdict"] == "rejected"
    assert len(await pages(client, open=True)) == len(BLURRED) - 2
    verdicts = {item["id"]: item["verdict"]["verdict"] for item in await pages(client) if item["verdict"]}
    assert verdicts == {first["id"]: "confirmed", second["id"]: "rejected"}
    rows = [json.loads(line) for line in (await client.get(f"{CORPUS}/exports/misreadings")).text.splitlines()]
    assert {row["reading_id"]: row["verdict"] for row in rows if row["verdict"]} == verdicts
    assert len(rows) == len(BLURRED)
    assert (await client.delete(f"{MISREADINGS}/{first['id']}")).status_code == 204
    problem(await client.delete(f"{MISREADINGS}/{first['id']}"), 404)
    actions = [event["action"] for event in (await client.get(f"{CORPUS}/audit")).json()["items"]]
    assert actions[:3] == ["misreading.verdict_deleted", "misreading.judged", "misreading.judged"]
    problem(await client.put(f"{MISREADINGS}/{uuid4()}", json={"verdict": "confirmed"}), 404)
    problem(await client.put(f"{MISREADINGS}/{first['id']}", json={"verdict": "perhaps"}), 422)
