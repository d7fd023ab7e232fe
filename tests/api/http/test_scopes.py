"""The table of scopes in SECURITY.md is what the service enforces."""

import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from api.app import create_app
from benchmarks.harness.service import ndjson
from registry.corpora.model import Corpus
from registry.keys import service as keys
from registry.keys.schemas import KeyInput, Scope
from registry.platform.settings import Settings
from registry.queries import store as queries
from registry.queries.model import Query
from registry.queries.schemas import QueryInput
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS, client_of
from tests.api.http.test_openapi import document_of

SECURITY = Path(__file__).parents[3] / "SECURITY.md"
ROW = re.compile(r"^\| `([A-Z]+) (/v1/\S*)` \| ([^|]+) \| (yes|no) \|$", re.MULTILINE)
NOBODY = "0199f0a2-c4e5-7d3a-8b1c-2d3e4f5a6b7c"
# Of a corpus that does not exist: whoever gets past the check of scopes changes nothing.
PLACES = {"corpus": "nothing", "source_id": NOBODY}


@pytest.fixture
def app(settings: Settings, reading: Runtime) -> FastAPI:
    return create_app(settings.model_copy(update={"require_api_keys": True}), runtime=reading)


async def test_every_operation_enforces_what_the_table_says(app: FastAPI, reading: Runtime, corpus: Corpus) -> None:
    rows = ROW.findall(SECURITY.read_text(encoding="utf-8"))
    documented = {
        (method.upper(), re.sub(r":[a-z]+(?=})", "", path))
        for path, operations in document_of(keys_required=True)["paths"].items()
        for method in operations
        if path.startswith("/v1")
    }
    assert {(method, path) for method, path, *_ in rows} == documented
    kinds: list[dict[str, Any]] = [
        *({"scopes": [scope]} for scope in Scope),
        {"scopes": ["admin"], "operator": True},
        {"scopes": ["ingest", "read", "ask"], "sources": ["herald"]},
    ]
    wrong = []
    async with client_of(app) as client:
        for kind in kinds:
            values = KeyInput.model_validate({"name": "k"} | {k: v for k, v in kind.items() if k != "operator"})
            async with reading.database.begin() as session:
                _, secret = await keys.create(session, None if "operator" in kind else corpus, values)
            headers = {"Authorization": f"Bearer {secret}"}
            for method, path, needs, also_bound in rows:
                refused = await _refused(client, method, path, headers)
                if refused != (not _may(kind, needs, also_bound)):
                    wrong.append((kind, method, path, needs, also_bound))
    assert wrong == []


async def test_a_key_that_may_ingest_undoes_nothing_of_others(app: FastAPI, reading: Runtime, corpus: Corpus) -> None:
    async with reading.database.begin() as session:
        query, _ = await queries.create(session, corpus, QueryInput(external_id="q", text="Why?", gold_answers=["so"]))
        _, secret = await keys.create(session, corpus, KeyInput(name="feed", scopes=[Scope.INGEST]))
    taken_out = {"external_id": "q", "text": "Why not?", "gold_answers": ["lies"], "active": False}
    async with client_of(app) as client:
        client.headers["Authorization"] = f"Bearer {secret}"
        gold = f"{CORPUS}/queries/{query.id}/gold"
        assert (await client.post(gold, json={"answers": ["thus"]})).status_code == 200
        assert (await client.post(gold, json={"answers": ["lies"], "replace": True})).status_code == 403
        assert (await client.post(f"{CORPUS}/queries", json=taken_out)).status_code == 200
        assert (await client.post(f"{CORPUS}/queries:import", **ndjson([taken_out]))).status_code == 200
    async with reading.database.begin() as session:
        query = await session.get_one(Query, query.id)
        assert (query.text, query.gold_answers, query.active) == ("Why not?", ["so", "thus"], True)


def _may(kind: dict[str, Any], needs: str, also_bound: str) -> bool:
    """Whether a key of that kind may do it, by what the table says."""
    scopes: list[str] = kind["scopes"]
    if "operator" in needs and "operator" not in kind:
        return False
    if "sources" in kind and also_bound == "no":
        return False
    return "admin" in scopes or any(f"`{scope}`" in needs for scope in scopes)


async def _refused(client: httpx.AsyncClient, method: str, path: str, headers: dict[str, str]) -> bool:
    at = re.sub(r"{(\w+)}", lambda match: PLACES.get(match[1], NOBODY), path)
    body: dict[str, object] | None = {} if method in {"POST", "PUT", "PATCH"} else None
    response = await client.request(method, at, headers=headers, json=body)
    assert response.status_code not in {401, 405, 500}, (method, path, response.text)
    return response.status_code == 403
