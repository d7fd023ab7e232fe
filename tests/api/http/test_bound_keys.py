"""What the holder of a key that is bound to sources tries, and what of it is done."""

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from api.app import create_app
from api.http.dependencies import AccessWith
from api.http.scopes import api_routes, requirements
from registry.corpora.model import Corpus
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.keys import service as keys
from registry.keys import store as key_store
from registry.keys.schemas import KeyInput, KeyPatch
from registry.platform.errors import Forbidden
from registry.platform.settings import Settings
from registry.runtime import Runtime
from registry.sources import store as sources
from tests.api.http.conftest import CORPUS, client_of
from tests.api.pages.conftest import Browser
from tests.tables import for_each

Problem = Callable[[httpx.Response, int], dict[str, Any]]
NDJSON = {"Content-Type": "application/x-ndjson"}
NOBODY = "0199f0a2-c4e5-7d3a-8b1c-2d3e4f5a6b7c"


@pytest.fixture
def app(settings: Settings, reading: Runtime) -> FastAPI:
    return create_app(settings.model_copy(update={"require_api_keys": True}), runtime=reading)


async def key(runtime: Runtime, corpus: Corpus | None, **fields: object) -> dict[str, str]:
    """The header with a new key."""
    async with runtime.database.begin() as session:
        _, secret = await keys.create(session, corpus, KeyInput.model_validate({"name": "test"} | fields))
    return {"Authorization": f"Bearer {secret}"}


@pytest.fixture
async def owner(app: FastAPI, reading: Runtime, corpus: Corpus) -> AsyncIterator[httpx.AsyncClient]:
    """Who may do everything in the corpus, in which another publisher, the Gazette, has a document."""
    async with client_of(app) as client:
        client.headers.update(await key(reading, corpus, scopes=["admin"]))
        gazette = {"name": "Gazette", "external_id": "gazette.example"}
        assert (await client.post(f"{CORPUS}/sources", json=gazette)).status_code == 201
        await send(client, "gazette.example", "a", "The tower of Esk is red.")
        yield client


@pytest.fixture
async def herald(
    app: FastAPI,
    owner: httpx.AsyncClient,  # noqa: ARG001  (who made the other source)
    reading: Runtime,
    corpus: Corpus,
) -> AsyncIterator[httpx.AsyncClient]:
    """A publisher whose key is bound to `herald` and to what begins with `herald/`."""
    async with client_of(app) as client:
        bound = {"sources": ["herald"], "source_prefix": "herald/"}
        client.headers.update(await key(reading, corpus, scopes=["ingest", "read"], **bound))
        yield client


async def send(client: httpx.AsyncClient, source: str, external_id: str, content: str, status: int = 201) -> None:
    body = {"external_id": external_id, "content": content}
    response = await client.post(f"{CORPUS}/sources/{source}/documents", json=body)
    assert response.status_code == status, response.text


async def imported(client: httpx.AsyncClient, *lines: tuple[str, str, str]) -> list[dict[str, Any]]:
    """The results of an import of (source, external id, content), in their order."""
    names = ("source", "external_id", "content")
    content = "\n".join(json.dumps(dict(zip(names, line, strict=True))) for line in lines)
    response = await client.post(f"{CORPUS}/documents:import", content=content, headers=NDJSON)
    assert response.status_code == 200, response.text
    return sorted(map(json.loads, response.text.splitlines()), key=lambda line: line["line"])


async def stored(owner: httpx.AsyncClient) -> dict[str, list[str]]:
    """The texts of all documents by the external ids of their sources."""
    texts = {}
    for source in (await owner.get(f"{CORPUS}/sources")).json()["items"]:
        at = f"{CORPUS}/sources/{source['id']}/documents"
        listed = (await owner.get(at)).json()["items"]
        texts[source["external_id"]] = [(await owner.get(f"{at}/{row['id']}")).json()["content"] for row in listed]
    return texts


async def test_it_makes_and_writes_its_own_sources(herald: httpx.AsyncClient, owner: httpx.AsyncClient) -> None:
    for name in ("herald", "herald/sport"):
        assert (await herald.post(f"{CORPUS}/sources", json={"name": name})).status_code == 201
    await send(herald, "herald", "a", "One.")
    await send(herald, "herald", "a", "Two.", 200)
    results = await imported(herald, ("herald/sport", "a", "Three."), ("herald/local", "a", "Four."))
    assert [line["status"] for line in results] == ["created", "created"]
    texts = await stored(owner)
    texts.pop("gazette.example")
    assert texts == {"herald": ["Two."], "herald/sport": ["Three."], "herald/local": ["Four."]}


async def test_of_an_import_the_lines_of_others_are_refused_and_the_rest_stands(
    herald: httpx.AsyncClient, owner: httpx.AsyncClient
) -> None:
    gazette = (await owner.get(f"{CORPUS}/sources/Gazette")).json()["id"]
    foreign = ("Gazette", "gazette.example", gazette, "heraldry", "HERALD/a", "Herald", " herald", NOBODY)
    lines = [("herald", "a", "Mine."), *((name, "a", "Forged.") for name in foreign), ("herald/b", "a", "Mine too.")]
    results = await imported(herald, *lines)
    assert [line["status"] for line in results] == ["created", *["rejected"] * len(foreign), "created"]
    for line in results[1:-1]:
        assert "is bound to sources" in line["error"] or "blank" in line["error"], line
    assert await stored(owner) == {
        "gazette.example": ["The tower of Esk is red."],
        "herald": ["Mine."],
        "herald/b": ["Mine too."],
    }


async def test_votes_of_others_are_refused_and_no_query_is_made(
    herald: httpx.AsyncClient, owner: httpx.AsyncClient
) -> None:
    query = (await owner.post(f"{CORPUS}/queries", json={"text": "Who won?", "external_id": "q"})).json()["id"]
    votes = [("herald", "q"), ("Gazette", "q"), ("gazette.example", "q"), ("herald", "another"), ("herald/b", "q")]
    body = b"".join(json.dumps({"source": s, "query": q, "answer": "a"}).encode() + b"\n" for s, q in votes)
    response = await herald.post(f"{CORPUS}/votes:import", content=body, headers=NDJSON)
    statuses = [json.loads(line)["status"] for line in response.text.splitlines()]
    assert statuses == ["created", "rejected", "rejected", "rejected", "created"]
    assert [each["id"] for each in (await owner.get(f"{CORPUS}/queries")).json()["items"]] == [query]
    stored_votes = (await owner.get(f"{CORPUS}/votes")).json()["items"]
    assert {vote["source"] for vote in stored_votes} == {"herald", "herald/b"}
    assert (await herald.delete(f"{CORPUS}/votes", params={"query": "q"})).status_code == 403


@for_each("reference", ["Gazette", "gazette.example"])
async def test_documents_of_others_are_not_overwritten(
    herald: httpx.AsyncClient, owner: httpx.AsyncClient, problem: Problem, reference: str
) -> None:
    path = f"{CORPUS}/sources/{reference}/documents"
    forged = {"external_id": "a", "content": "The tower of Esk is black."}
    assert "is bound to sources" in problem(await herald.post(path, json=forged), 403)["detail"]
    line = json.dumps(forged).encode()
    problem(await herald.post(f"{path}:import", content=line, headers=NDJSON), 403)
    assert (await stored(owner))["gazette.example"] == ["The tower of Esk is red."]


async def test_no_source_is_called_like_that_of_another(
    herald: httpx.AsyncClient, owner: httpx.AsyncClient, problem: Problem
) -> None:
    for body in (
        {"name": "Reuters"},
        {"name": "Gazette"},
        {"name": "herald", "external_id": "reuters"},
        {"name": "Reuters", "external_id": "herald"},
        {"name": "Gazette", "external_id": "herald/x"},
    ):
        assert "is bound to sources" in problem(await herald.post(f"{CORPUS}/sources", json=body), 403)["detail"]
    # A name by which another source is found is taken, though the bound holds it.
    named = {"name": "herald/east", "external_id": "east.example"}
    assert (await owner.post(f"{CORPUS}/sources", json=named)).status_code == 201
    for body in ({"name": "herald/east"}, {"name": "herald", "external_id": "herald/east"}):
        problem(await herald.post(f"{CORPUS}/sources", json=body), 409)
    assert [line["status"] for line in await imported(herald, ("herald/east", "a", "Forged."))] == ["rejected"]
    assert set(await stored(owner)) == {"gazette.example", "east.example"}


async def test_an_id_of_another_source_is_not_taken_as_external_id(
    app: FastAPI, owner: httpx.AsyncClient, reading: Runtime, corpus: Corpus, problem: Problem
) -> None:
    gazette = (await owner.get(f"{CORPUS}/sources/Gazette")).json()["id"]
    async with client_of(app) as client:
        client.headers.update(await key(reading, corpus, scopes=["ingest"], source_prefix=gazette[:8]))
        taken = await client.post(f"{CORPUS}/sources", json={"name": gazette})
        problem(taken, 409)
        await send(client, gazette, "a", "Forged.", 403)
    assert (await stored(owner)) == {"gazette.example": ["The tower of Esk is red."]}


@for_each(
    ("method", "path", "body"),
    [
        ("PATCH", "/sources/herald", {"name": "Reuters"}),
        ("DELETE", "/sources/herald", None),
        ("PUT", "/sources/herald/override", {"reliability": 1, "reason": "r"}),
        ("DELETE", f"/sources/herald/documents/{NOBODY}", None),
        ("POST", "/queries", {"text": "Where?"}),
        ("DELETE", f"/queries/{NOBODY}", None),
        ("POST", f"/queries/{NOBODY}/gold", {"answers": ["Oslo"]}),
        ("POST", f"/connectors/{NOBODY}:run", None),
        ("POST", "/keys", {"name": "k", "scopes": ["ingest"]}),
        ("PATCH", "", {"description": "d"}),
    ],
)
async def test_it_changes_nothing_but_documents(
    herald: httpx.AsyncClient,
    owner: httpx.AsyncClient,
    problem: Problem,
    method: str,
    path: str,
    body: dict[str, object] | None,
) -> None:
    # The rows share a database.
    assert (await herald.post(f"{CORPUS}/sources", json={"name": "herald"})).status_code in {201, 409}
    detail = problem(await herald.request(method, CORPUS + path, json=body), 403)["detail"]
    assert "is bound to sources" in detail or "`admin`" in detail
    assert (await owner.get(f"{CORPUS}/sources/herald")).json()["name"] == "herald"


async def test_a_bound_key_sends_files_to_its_own_knowledge_bases(herald: httpx.AsyncClient, problem: Problem) -> None:
    base, gazette = f"{CORPUS}/open-webui/api/v1", "gazette.example"
    assert (await herald.post(f"{base}/knowledge/create", json={"name": "herald"})).status_code == 200
    problem(await herald.post(f"{base}/knowledge/create", json={"name": "other"}), 403)
    for source, status in (("herald", 200), (gazette, 403)):
        metadata = {"metadata": json.dumps({"knowledge_id": source})}
        sent = await herald.post(f"{base}/files/", data=metadata, files={"file": ("a", b"It is green.")})
        diff = await herald.post(f"{base}/knowledge/{source}/sync/diff", json={"manifest": []})
        cleanup = await herald.post(f"{base}/knowledge/{source}/sync/cleanup", json={"file_ids": []})
        assert [sent.status_code, diff.status_code, cleanup.status_code] == [status] * 3


async def test_routes_refuse_bound_keys_unless_they_hold_themselves_to_the_bound(app: FastAPI) -> None:
    """A route with the scope `ingest` is closed to bound keys until its name is put here, with a test above."""
    open_to_bound = {
        route.name
        for route in api_routes(app)
        for needed in requirements(route.dependant)
        if isinstance(needed, AccessWith) and needed.for_bound
    }
    writing = {
        "create_source",
        "send_document",
        "send_documents",
        "send_documents_of_sources",
        "import_votes",
        "upload",
        "create_knowledge",
        "send_file",
        "sync_diff",
        "sync_cleanup",
    }
    assert open_to_bound == writing | {"show_beginning"}


async def test_uploads_and_forms_of_a_bound_key(
    app: FastAPI, owner: httpx.AsyncClient, reading: Runtime, corpus: Corpus
) -> None:
    bound = KeyInput.model_validate({"name": "k", "scopes": ["read", "ingest"], "sources": ["herald"]})
    async with reading.database.begin() as session:
        _, secret = await keys.create(session, corpus, bound)
    async with client_of(app) as client:
        browser = Browser(client)
        await browser.get("/sign-in")
        await browser.send("/sign-in", api_key=secret)
        await browser.get("/corpora/default/documents")
        assert not [form for form in browser.page.forms if form.action.endswith("/queries")]
        (form,) = [form for form in browser.page.forms if form.action.endswith("documents:import")]
        for source, status in (("Gazette", 422), ("herald", 200)):
            files = {"file": ("a.txt", b"The tower of Esk is black.")}
            data = dict(form.form_values()) | {"source": source}
            assert (await client.post(form.action, data=data, files=files)).status_code == status
        refused = await client.post("/corpora/default/queries", data=dict(form.form_values()) | {"questions": "Where?"})
        assert refused.status_code == 403
    texts = await stored(owner)
    assert texts == {"gazette.example": ["The tower of Esk is red."], "herald": ["The tower of Esk is black."]}


async def test_a_narrower_bound_counts_at_once_and_a_repeated_request_writes_nothing(
    app: FastAPI, owner: httpx.AsyncClient, reading: Runtime, corpus: Corpus
) -> None:
    bound = KeyInput.model_validate({"name": "k", "scopes": ["ingest"], "source_prefix": "herald"})
    async with reading.database.begin() as session:
        made, secret = await keys.create(session, corpus, bound)
    path, first = f"{CORPUS}/sources/herald/documents", {"external_id": "a", "content": "First."}
    async with client_of(app) as client:
        client.headers["Authorization"] = f"Bearer {secret}"
        assert (await client.post(f"{CORPUS}/sources", json={"name": "herald"})).status_code == 201
        written = await client.post(path, json=first, headers={"Idempotency-Key": "1"})
        assert written.status_code == 201
        async with reading.database.begin() as session:
            patch = KeyPatch.model_validate({"sources": ["tribune"], "source_prefix": None})
            await key_store.update(session, corpus, made.id, patch)
        await send(owner, "herald", "a", "Mended by its owner.", 200)
        repeated = await client.post(path, json=first, headers={"Idempotency-Key": "1"})
        again = await client.post(path, json=first, headers={"Idempotency-Key": "2"})
        (line,) = await imported(client, ("herald", "a", "First."))
    assert (repeated.text, repeated.headers["idempotency-replayed"]) == (written.text, "true")
    assert (again.status_code, line["status"]) == (403, "rejected")
    assert (await stored(owner))["herald"] == ["Mended by its owner."]


async def test_the_key_of_another_gets_no_stored_response(herald: httpx.AsyncClient, owner: httpx.AsyncClient) -> None:
    """Nor does it write, in the name of that one, what it may not write itself."""
    body = {"external_id": "b", "content": "By the owner."}
    path, repeated = f"{CORPUS}/sources/gazette.example/documents", {"Idempotency-Key": "same"}
    assert (await owner.post(path, json=body, headers=repeated)).status_code == 201
    assert (await herald.post(path, json=body, headers=repeated)).status_code == 403


async def test_a_bound_is_checked_where_documents_are_written(
    reading: Runtime, corpus: Corpus, owner: httpx.AsyncClient
) -> None:
    """Whatever door a document comes through: the key that it is written for counts."""
    async with reading.database.begin() as session:
        made, _ = await keys.create(
            session, corpus, KeyInput.model_validate({"name": "k", "scopes": ["ingest"], "sources": ["herald"]})
        )
        gazette = await sources.find(session, corpus, "Gazette")
    document = DocumentInput(external_id="a", content="Forged.")
    with pytest.raises(Forbidden, match="bound to sources"):
        await ingest(reading, corpus, gazette.id, [document], key_id=made.id)
    assert (await stored(owner))["gazette.example"] == ["The tower of Esk is red."]


async def test_a_bound_is_kept_by_external_ids(owner: httpx.AsyncClient, problem: Problem) -> None:
    bound = {"name": "k", "scopes": ["ingest"], "sources": ["Gazette", "to come"]}
    made = await owner.post(f"{CORPUS}/keys", json=bound)
    assert made.json()["sources"] == ["gazette.example", "to come"]
    path = made.headers["location"]
    changed = await owner.patch(path, json={"source_prefix": "g"})
    assert (changed.json()["sources"], changed.json()["source_prefix"]) == (["gazette.example", "to come"], "g")
    assert (await owner.patch(path, json={"sources": None, "source_prefix": None})).json()["sources"] is None
    for scopes in (["read"], ["ingest", "admin"]):
        problem(await owner.post(f"{CORPUS}/keys", json=bound | {"scopes": scopes}), 422)
    admin = await owner.post(f"{CORPUS}/keys", json={"name": "k", "scopes": ["admin"]})
    problem(await owner.patch(admin.headers["location"], json={"sources": ["a"]}), 422)
    problem(await owner.post(f"{CORPUS}/keys", json=bound | {"sources": []}), 422)


async def test_keys_of_operators_are_not_bound(app: FastAPI, reading: Runtime, problem: Problem) -> None:
    async with client_of(app) as client:
        client.headers.update(await key(reading, None, scopes=["admin"]))
        body = {"name": "k", "scopes": ["ingest"], "sources": ["herald"]}
        problem(await client.post("/v1/keys", json=body), 422)
