"""Exports over HTTP."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from registry.corpora.store import exports
from tests.api.http.conftest import CORPUS

Problem = Callable[[httpx.Response, int], dict[str, Any]]


async def test_a_table_is_sent_in_batches(client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exports, "BATCH_ROWS", 2)
    names = [f"source {number}, “é”" for number in range(5)]
    for name in names:
        await client.post(f"{CORPUS}/sources", json={"name": name, "attributes": {"a": [1]}})
    jsonl = await client.get(f"{CORPUS}/exports/sources")
    assert jsonl.headers["content-type"] == "application/x-ndjson"
    assert jsonl.headers["content-disposition"] == 'attachment; filename="default-sources.jsonl"'
    rows = [json.loads(line) for line in jsonl.text.splitlines()]
    assert [row["name"] for row in rows] == names
    assert rows[0]["attributes"] == {"a": [1]}
    table = await client.get(f"{CORPUS}/exports/sources?format=csv")
    assert table.headers["content-type"] == "text/csv; charset=utf-8"
    cells = list(csv.DictReader(io.StringIO(table.text)))
    assert [row["name"] for row in cells] == names
    assert json.loads(cells[0]["attributes"]) == {"a": [1]}


async def test_unknown_tables_formats_and_runs_are_refused(client: httpx.AsyncClient, problem: Problem) -> None:
    problem(await client.get(f"{CORPUS}/exports/keys"), 422)
    problem(await client.get(f"{CORPUS}/exports/votes?format=xls"), 422)
    unknown = "0199f0a2-c4e5-7d3a-8b1c-2d3e4f5a6b7c"
    problem(await client.get(f"{CORPUS}/exports/votes?estimation_id={unknown}"), 404)
    assert (await client.get(f"{CORPUS}/exports/votes")).text == ""


async def test_no_cell_is_a_formula(client: httpx.AsyncClient) -> None:
    names = ["=cmd|' /C calc'!A0", "@SUM(A1)", "-2+3", "+1", "\uff1d1+1", " =1+1", "Acme = 1"]
    for name in names:
        assert (await client.post(f"{CORPUS}/sources", json={"name": name})).status_code == 201
    table = await client.get(f"{CORPUS}/exports/sources?format=csv")
    cells = {row["name"] for row in csv.DictReader(io.StringIO(table.text))}
    assert cells == {*(f"'{name}" for name in names[:-1]), names[-1]}
