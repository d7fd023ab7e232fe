"""API keys: who is let in, to what, and what a key of one corpus sees of another."""

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from api.app import create_app
from registry.corpora.model import Corpus
from registry.keys import service as keys
from registry.keys.schemas import KeyInput, Scope
from registry.platform.settings import Settings
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS, client_of
from tests.tables import for_each

Problem = Callable[[httpx.Response, int], dict[str, Any]]
SOURCE = {"name": "Acme", "external_id": "acme"}
NDJSON = {"Content-Type": "application/x-ndjson"}
NOBODY = "0199f0a2-c4e5-7d3a-8b1c-2d3e4f5a6b7c"


@pytest.fixture
def app(settings: Settings, reading: Runtime) -> FastAPI:
    return create_app(settings.model_copy(update={"require_api_keys": True}), runtime=reading)


@pytest.fixture
async def guarded(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(app) as client:
        yield client


async def key(runtime: Runtime, corpus: Corpus | None, *scopes: Scope, **options: datetime) -> dict[str, str]:
    """The header with a new key."""
    values = KeyInput(name="test", scopes=frozenset(scopes), **options)
    async with runtime.database.begin() as session:
        _, secret = await keys.create(session, corpus, values)
    return {"Authorization": f"Bearer {secret}"}


@for_each(
    "header",
    [None, "", "Bearer", "Bearer ", "Basic YTpi", "Bearer crd_unknown", "crd_unknown", "Bearer crd_\x7f", "Bearer é"],
)
async def test_without_a_good_key_nothing_is_let_in(
    guarded: httpx.AsyncClient, problem: Problem, header: str | None
) -> None:
    headers = {} if header is None else {b"Authorization": header.encode()}
    refused = await guarded.get(f"{CORPUS}/sources", headers=headers)
    problem(refused, 401)
    assert refused.headers["www-authenticate"] == 'Bearer realm="credence"'


@for_each("path", [f"{CORPUS}/sources", "/metrics", "/corpora"])
@for_each("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "[::1", "", "\xe9"])
async def test_without_keys_only_this_machine_is_answered(
    settings: Settings, reading: Runtime, host: str, path: str
) -> None:
    """Another site's page may have its own name resolve to 127.0.0.1 (DNS rebinding)."""
    async with client_of(create_app(settings, runtime=reading)) as client:
        assert (await client.get(path, headers={b"Host": host.encode()})).status_code == 403
        for own in ("localhost", "127.0.0.1:8000", "[::1]:8000"):
            assert (await client.get(path, headers={"Host": own})).status_code == 200
    trusting = settings.model_copy(update={"require_api_keys": False})
    async with client_of(create_app(trusting, runtime=reading)) as client:
        assert (await client.get(path, headers={b"Host": host.encode()})).status_code == 200


async def test_a_key_that_is_sent_counts_on_loopback_too(
    settings: Settings, reading: Runtime, corpus: Corpus, problem: Problem
) -> None:
    right = await key(reading, corpus, Scope.READ)
    async with client_of(create_app(settings, runtime=reading)) as client:
        for wrong in ("Bearer crd_wrong", "Bearer wrong", "bearer sk-1"):
            problem(await client.get(f"{CORPUS}/sources", headers={"Authorization": wrong}), 401)
        for none in (
            {},
            {"Authorization": "Bearer none"},
            {"Authorization": "Bearer "},
            {"Authorization": "Basic YTpi"},
        ):
            assert (await client.post(f"{CORPUS}/sources", json=SOURCE, headers=none)).status_code in {201, 409}
        assert (await client.get(f"{CORPUS}/sources", headers=right)).status_code == 200
        problem(await client.post(f"{CORPUS}/sources", json=SOURCE, headers=right), 403)
    trusting = settings.model_copy(update={"require_api_keys": False})
    async with client_of(create_app(trusting, runtime=reading)) as client:
        assert (await client.get(f"{CORPUS}/sources", headers={"Authorization": "Bearer proxy"})).status_code == 200
        problem(await client.get(f"{CORPUS}/sources", headers={"Authorization": "Bearer crd_wrong"}), 401)


async def test_a_stranger_is_refused_before_the_body_is_looked_at(guarded: httpx.AsyncClient, problem: Problem) -> None:
    problem(await guarded.post(f"{CORPUS}/sources", content=b"{", headers={"content-type": "application/json"}), 401)


async def test_health_needs_no_key(guarded: httpx.AsyncClient) -> None:
    for path in ("/livez", "/readyz", "/problems/not-found"):
        assert (await guarded.get(path)).status_code == 200


@pytest.mark.parametrize("path", ["/metrics", "/docs", "/openapi.json"])
async def test_metrics_and_documentation_need_any_key_or_a_setting(
    guarded: httpx.AsyncClient, app: FastAPI, reading: Runtime, corpus: Corpus, problem: Problem, path: str
) -> None:
    problem(await guarded.get(path), 401)
    assert (await guarded.get(path, headers=await key(reading, None, Scope.ASK))).status_code == 200
    of_one_corpus = await guarded.get(path, headers=await key(reading, corpus, Scope.ADMIN))
    assert of_one_corpus.status_code == (403 if path == "/metrics" else 200)
    settings: Settings = app.state.runtime.settings
    public = create_app(settings.model_copy(update={"public_operations": True}), runtime=reading)
    async with client_of(public) as client:
        assert (await client.get(path)).status_code == 200


async def test_revoked_and_expired_keys_are_refused(
    guarded: httpx.AsyncClient, problem: Problem, reading: Runtime, corpus: Corpus
) -> None:
    expired = await key(reading, corpus, Scope.READ, expires_at=datetime.now(UTC) - timedelta(seconds=1))
    problem(await guarded.get(f"{CORPUS}/sources", headers=expired), 401)
    admin = await key(reading, corpus, Scope.ADMIN)
    created = await guarded.post(f"{CORPUS}/keys", json={"name": "k", "scopes": ["read"]}, headers=admin)
    reader = {"Authorization": f"Bearer {created.json()['secret']}"}
    assert (await guarded.get(f"{CORPUS}/sources", headers=reader)).status_code == 200
    assert (await guarded.delete(created.headers["location"], headers=admin)).status_code == 204
    problem(await guarded.get(f"{CORPUS}/sources", headers=reader), 401)


async def test_a_key_of_one_corpus_sees_no_other(
    guarded: httpx.AsyncClient, problem: Problem, reading: Runtime, corpus: Corpus
) -> None:
    operator = await key(reading, None, Scope.ADMIN)
    assert (await guarded.post("/v1/corpora", json={"name": "other"}, headers=operator)).status_code == 201
    created = await guarded.post("/v1/corpora/other/sources", json=SOURCE, headers=operator)
    mine = await key(reading, corpus, Scope.ADMIN)
    hidden = await guarded.get(f"/v1/corpora/other/sources/{created.json()['id']}", headers=mine)
    missing = await guarded.get("/v1/corpora/nothing/sources", headers=mine)
    assert problem(hidden, 404)["detail"].replace("other", "nothing") == problem(missing, 404)["detail"]
    problem(await guarded.get(f"{CORPUS}/sources/{created.json()['id']}", headers=mine), 404)
    problem(await guarded.post("/v1/corpora/other/answers", json={"question": "Where?"}, headers=mine), 404)
    listed = await guarded.get("/v1/corpora", headers=mine)
    assert [answer["name"] for answer in listed.json()["items"]] == ["default"]
    assert len((await guarded.get("/v1/corpora", headers=operator)).json()["items"]) == 2


async def test_what_concerns_all_corpora_is_for_operators(
    guarded: httpx.AsyncClient, problem: Problem, reading: Runtime, corpus: Corpus
) -> None:
    mine = await key(reading, corpus, Scope.ADMIN)
    problem(await guarded.post("/v1/corpora", json={"name": "other"}, headers=mine), 403)
    problem(await guarded.delete(CORPUS, headers=mine), 403)
    problem(await guarded.get("/v1/keys", headers=mine), 403)
    problem(await guarded.post("/v1/keys", json={"name": "n", "scopes": ["admin"]}, headers=mine), 403)


async def test_a_key_is_rotated_and_bound_to_addresses(
    app: FastAPI, guarded: httpx.AsyncClient, problem: Problem, reading: Runtime
) -> None:
    operator = await key(reading, None, Scope.ADMIN)
    values = {"name": "feed", "scopes": ["admin"], "allowed_addresses": ["10.0.0.0/8"]}
    created = (await guarded.post("/v1/keys", json=values, headers=operator)).json()
    rotated = await guarded.post(f"/v1/keys/{created['id']}/secrets", json={}, headers=operator)
    assert rotated.headers["cache-control"] == "no-store"
    for secret in (created["secret"], rotated.json()["secret"]):
        bound = {"Authorization": f"Bearer {secret}"}
        problem(await guarded.get("/v1/corpora", headers=bound), 403)
        transport = httpx.ASGITransport(app, client=("10.3.2.1", 1234))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as inside:
            assert (await inside.get("/v1/corpora", headers=bound)).status_code == 200
    problem(await guarded.post("/v1/keys", json=values | {"allowed_addresses": ["10.0.0.0/40"]}, headers=operator), 422)


async def test_quotas_are_told_with_what_to_do(
    guarded: httpx.AsyncClient, problem: Problem, reading: Runtime, corpus: Corpus
) -> None:
    operator, mine = await key(reading, None, Scope.ADMIN), await key(reading, corpus, Scope.ADMIN)
    quotas = {"daily_questions": 0, "max_documents": 1}
    problem(await guarded.patch(CORPUS, json=quotas, headers=mine), 403)
    assert (await guarded.patch(CORPUS, json=quotas, headers=operator)).json()["max_documents"] == 1
    refused = await guarded.post(f"{CORPUS}/answers", json={"question": "Where?"}, headers=mine)
    assert problem(refused, 429)["type"] == "/problems/limit-reached"
    assert 0 < int(refused.headers["retry-after"]) <= 86_400
    source = (await guarded.post(f"{CORPUS}/sources", json=SOURCE, headers=mine)).json()["id"]
    path = f"{CORPUS}/sources/{source}/documents"
    assert (await guarded.post(path, json={"content": "One."}, headers=mine)).status_code == 201
    refused = await guarded.post(path, json={"content": "Two."}, headers=mine)
    assert problem(refused, 403)["type"] == "/problems/quota-exceeded"
    assert "retry-after" not in refused.headers
    imported = await guarded.post(f"{path}:import", content=b'{"content":"Three."}\n', headers=mine | NDJSON)
    assert "Delete documents" in problem(imported, 403)["detail"]


async def test_the_audit_log_names_who_changed_what(
    guarded: httpx.AsyncClient, problem: Problem, reading: Runtime, corpus: Corpus
) -> None:
    mine, operator = await key(reading, corpus, Scope.ADMIN), await key(reading, None, Scope.ADMIN)
    source = (await guarded.post(f"{CORPUS}/sources", json=SOURCE, headers=mine)).json()["id"]
    path = f"{CORPUS}/sources/{source}/override"
    changed = await guarded.put(path, json={"reliability": 0.5, "reason": "r"}, headers=mine)
    assert (await guarded.post("/v1/corpora", json={"name": "other"}, headers=operator)).status_code == 201
    event = (await guarded.get(f"{CORPUS}/audit", headers=mine)).json()["items"][0]
    assert (event["action"], event["actor"], event["key_name"]) == ("override.set", "key", "test")
    assert (event["address"], event["request_id"]) == ("127.0.0.1", changed.headers["x-request-id"])
    assert event["resource_id"] == source
    problem(await guarded.get("/v1/audit", headers=mine), 403)
    listed = (await guarded.get("/v1/audit?limit=2", headers=operator)).json()["items"]
    assert [event["action"] for event in listed] == ["corpus.created", "override.set"]


async def test_two_keys_that_send_the_same_idempotency_key_get_each_its_own_response(
    guarded: httpx.AsyncClient, reading: Runtime, corpus: Corpus
) -> None:
    senders = [await key(reading, corpus, Scope.INGEST) | {"Idempotency-Key": "same"} for _ in range(2)]
    first, other, again = [
        await guarded.post(f"{CORPUS}/sources", json={"name": "Acme"}, headers=senders[sender]) for sender in (0, 1, 0)
    ]
    assert (first.status_code, other.status_code) == (201, 409)  # the name is taken by then
    assert "idempotency-replayed" not in other.headers
    assert first.headers["location"] not in other.text
    assert (again.content, again.headers["idempotency-replayed"]) == (first.content, "true")


async def test_secrets_are_shown_once(guarded: httpx.AsyncClient, reading: Runtime) -> None:
    operator = await key(reading, None, Scope.ADMIN)
    created = await guarded.post("/v1/keys", json={"name": "robot", "scopes": ["ask", "read"]}, headers=operator)
    secret = created.json()["secret"]
    listed = await guarded.get("/v1/keys", headers=operator)
    robot = next(answer for answer in listed.json()["items"] if answer["name"] == "robot")
    assert secret.startswith(robot["prefix"])
    assert robot["scopes"] == ["ask", "read"]
    assert robot["corpus_id"] is None
    assert secret not in listed.text


async def test_off_loopback_keys_are_required_by_default(settings: Settings) -> None:
    assert settings.model_copy(update={"host": "0.0.0.0"}).keys_required  # noqa: S104  (nothing listens here)
    assert not settings.keys_required


async def test_who_may_not_read_is_not_told_what_others_published(
    guarded: httpx.AsyncClient, runtime: Runtime, corpus: Corpus, problem: Problem
) -> None:
    lines = {"Content-Type": "application/x-ndjson"}
    importer = await key(runtime, corpus, Scope.INGEST)
    for path in ("/documents:import", f"/sources/{NOBODY}/documents:import"):
        told = await guarded.post(f"{CORPUS}{path}?contradictions=9", headers=importer | lines, content=b"")
        assert "`read`" in problem(told, 403)["detail"]
    both = await key(runtime, corpus, Scope.INGEST, Scope.READ)
    asked = await guarded.post(f"{CORPUS}/documents:import?contradictions=9", headers=both | lines, content=b"")
    assert asked.status_code == 200
