"""Folders that oikb, Open WebUI's synchroniser, sends to knowledge bases, each of which is a source here."""

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import httpx
import pytest

from answering.embedders import Embedder
from registry.corpora.model import Corpus
from registry.keys import service as keys
from registry.keys.schemas import KeyInput, Scope
from registry.platform.settings import Settings
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS, serving
from tests.registry.world import colour_reader

DOOR = f"{CORPUS}/open-webui"
SECONDS = 60.0


@pytest.fixture
async def address(settings: Settings, embedder: Embedder, corpus: Corpus) -> AsyncIterator[str]:  # noqa: ARG001  (which is there)
    with serving(settings.model_copy(update={"require_api_keys": True}), colour_reader(), embedder) as url:
        yield url


async def key(runtime: Runtime, corpus: Corpus, *scopes: Scope) -> str:
    async with runtime.database.begin() as session:
        _, secret = await keys.create(session, corpus, KeyInput(name="sync", scopes=frozenset(scopes)))
    return secret


async def oikb(address: str, secret: str, knowledge: str, *arguments: str) -> str:
    """What a command of oikb prints."""
    command = [sys.executable, "-c", "from oikb.cli import cli; cli()", *arguments, "--kb-id", knowledge]
    secrets = {"OPEN_WEBUI_URL": address + DOOR, "OPEN_WEBUI_API_KEY": secret}

    def run() -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, **secrets, "NO_COLOR": "1", "COLUMNS": "200"}
        return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=SECONDS, check=False)

    done = await anyio.to_thread.run_sync(run)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


async def test_oikb_keeps_a_source_as_a_folder_is(
    address: str, runtime: Runtime, corpus: Corpus, tmp_path: Path
) -> None:
    secret = await key(runtime, corpus, Scope.ADMIN)
    (tmp_path / "guides/deep").mkdir(parents=True)
    (tmp_path / "start.md").write_text("# Start\n\nThe tower of Aldra is red.\n")
    (tmp_path / "guides/deep/brin.py").write_text('print("The tower of Brin is blue.")\n')
    (tmp_path / "guides/corvo.html").write_text("<html><title>Corvo</title><p>The tower of Corvo is green.</html>")
    async with httpx.AsyncClient(base_url=address, headers={"Authorization": f"Bearer {secret}"}) as client:
        made = await client.post(f"{DOOR}/api/v1/knowledge/create", json={"name": "Handbook", "description": "Ours"})
        knowledge = made.json()["id"]
        listed = (await client.get(f"{DOOR}/api/v1/knowledge/")).json()
        assert listed == {"items": [made.json()], "total": 1}
        await client.post(f"{CORPUS}/sources/Handbook/documents", json={"external_id": "own", "content": "By hand."})

        async def stored() -> dict[str, tuple[str, int]]:
            items = (await client.get(f"{CORPUS}/sources/{knowledge}/documents")).json()["items"]
            return {item["external_id"]: (item["media_type"], item["revision"]) for item in items}

        await oikb(address, secret, knowledge, "sync", str(tmp_path), "--concurrency", "3")
        first = {
            "own": ("text/plain", 1),
            "start.md": ("text/markdown", 1),
            "guides/corvo.html": ("text/html", 1),
            "guides/deep/brin.py": ("text/plain", 1),
        }
        assert await stored() == first
        found = await client.post(f"{CORPUS}/search", json={"query": "What colour is the tower of Brin?"})
        assert "tower of Brin is blue" in found.text
        assert "3 unchanged" in await oikb(address, secret, knowledge, "sync", str(tmp_path))

        (tmp_path / "start.md").write_text("# Start\n\nThe tower of Aldra is yellow.\n")
        (tmp_path / "guides/corvo.html").unlink()
        await oikb(address, secret, knowledge, "sync", str(tmp_path))
        del first["guides/corvo.html"]
        assert await stored() == first | {"start.md": ("text/markdown", 2)}, "its revision before is kept"
        shown = await oikb(address, secret, knowledge, "ls")
        assert "start.md" in shown
        assert "guides/deep/brin.py" in shown
        assert "own" not in shown
        assert "Handbook" in await oikb(address, secret, knowledge, "status")

        await oikb(address, secret, knowledge, "reset", "--yes")
        assert await stored() == {"own": ("text/plain", 1)}


async def test_without_the_scope_admin_what_is_gone_stays(
    address: str, runtime: Runtime, corpus: Corpus, tmp_path: Path
) -> None:
    secret = await key(runtime, corpus, Scope.INGEST)
    headers = {"Authorization": f"Bearer {secret}"}
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(f"The tower of {name} is red.")
    async with httpx.AsyncClient(base_url=f"{address}{DOOR}/api/v1", headers=headers) as client:
        await client.post("/knowledge/create", json={"name": "Handbook"})
        await oikb(address, secret, "Handbook", "sync", str(tmp_path))
        (tmp_path / "a.txt").write_text("The tower of a is blue.")
        (tmp_path / "b.txt").unlink()
        assert "1 modified" in await oikb(address, secret, "Handbook", "sync", str(tmp_path))
        sent = await upload(client, "c.txt", b"The tower of c is red.", knowledge_id="Handbook")
        refused = await client.post("/knowledge/Handbook/sync/cleanup", json={"file_ids": [sent.json()["id"]]})
        assert refused.status_code == 403
        assert "admin" in refused.json()["detail"]
        assert (await client.post("/knowledge/Handbook/sync/cleanup", json={"file_ids": ["x"]})).status_code == 200


async def upload(client: httpx.AsyncClient, filename: str, content: bytes, **metadata: str) -> httpx.Response:
    files = {"file": (filename, content, "application/octet-stream")}
    return await client.post("/files/", files=files, data={"metadata": json.dumps(metadata)})


async def test_what_is_no_text_is_refused_with_a_reason(client: httpx.AsyncClient) -> None:
    client.base_url = client.base_url.join(f"{DOOR}/api/v1")
    await client.post("/knowledge/create", json={"name": "Handbook"})
    told = {}
    for filename, content in (("a.bin", b"\x00\x01"), ("a.pdf", b"%PDF-1.4 no"), ("b.md", b"  "), ("c" * 501, b"red")):
        response = await upload(client, filename, content, knowledge_id="Handbook")
        assert response.status_code == 422, response.text
        told[filename[:5]] = response.json()["detail"]
    assert "binary" in told["a.bin"]
    assert "PDF" in told["a.pdf"]
    assert (await upload(client, "a.md", b"red", knowledge_id="Nobody")).status_code == 404
    assert (await upload(client, "a.md", b"red")).status_code == 422
    assert (await client.post("/knowledge/create", json={"name": "Handbook"})).status_code == 409
    assert (await client.get("/knowledge/Handbook/files")).json() == {"items": [], "total": 0}
