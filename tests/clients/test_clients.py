"""Clients for Node on a running service with keys: OpenAI's SDK, that of the Model Context Protocol, and others.

They run where Node and the packages are installed (`npm install --prefix tests/clients`), and are skipped elsewhere.
"""

import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from sqlalchemy import update

from answering.embedders import Embedder
from api.app import documented_app
from registry.corpora.model import Corpus
from registry.documents.model import Document
from registry.keys import service as keys
from registry.keys.schemas import KeyInput, Scope
from registry.platform.settings import Settings
from registry.runtime import Runtime
from tests.api.http.conftest import serving
from tests.registry.world import build, colour_reader, honest, liar, question

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
INSTALL = "install Node 22.19 or newer, then `npm install --prefix tests/clients`"
SECONDS = 60.0


def _missing() -> str | None:
    node = shutil.which("node")
    if node is None:
        return f"there is no Node: {INSTALL}"
    if not MODULES.is_dir():
        return f"the packages are not installed: {INSTALL}"
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True, timeout=SECONDS).stdout
    if tuple(map(int, version.strip("v\n").split("."))) < (22, 19, 0):
        return f"Node {version.strip()} is too old: {INSTALL}"
    return None


MISSING = _missing()
pytestmark = pytest.mark.skipif(MISSING is not None, reason=MISSING or "")


@pytest.fixture
async def environment(
    runtime: Runtime, corpus: Corpus, settings: Settings, embedder: Embedder
) -> AsyncIterator[dict[str, str]]:
    """The variables that scripts need: a service that requires keys, a key that may ask, and a question."""
    await build(runtime, corpus, {"herald": honest(), "gazette": honest(), "rumour": liar("Aldra")})
    async with runtime.database.begin() as session:
        await session.execute(update(Document).values(url="https://towers.example/aldra"))
        _, secret = await keys.create(session, None, KeyInput(name="node", scopes=frozenset({Scope.ASK, Scope.READ})))
    with serving(settings.model_copy(update={"require_api_keys": True}), colour_reader(), embedder) as url:
        yield {"CREDENCE_URL": url, "CREDENCE_KEY": secret, "QUESTION": question("Aldra")}


async def run(environment: dict[str, str], *command: str) -> dict[str, Any]:
    """What Node prints, as JSON."""
    with anyio.fail_after(SECONDS):
        done = await anyio.run_process(["node", *command], cwd=HERE, env=os.environ | environment, check=False)
    assert done.returncode == 0, (done.stderr + done.stdout).decode()
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


async def test_the_sdk_of_openai(environment: dict[str, str]) -> None:
    printed = await run(environment, "openai.mjs")
    assert "credence/default" in printed["models"]
    assert printed["chat"].startswith("**red**\n")
    assert printed["outcome"] == "answered"
    assert printed["streamedChat"] == printed["response"] == printed["streamedResponse"] == printed["chat"]
    assert printed["streamedUsage"] == 0
    assert (printed["events"][0], printed["events"][-1]) == ("response.created", "response.completed")
    assert printed["restricted"].startswith("**purple**\n")
    assert printed["failure"] == {"status": 404, "code": "not-found", "kind": "NotFoundError"}


async def test_the_sdk_of_the_model_context_protocol(environment: dict[str, str]) -> None:
    printed = await run(environment, "mcp.mjs")
    assert printed["server"] == "credence"
    assert printed["tools"] == ["ask", "search", "fetch", "sources", "conflict"]
    assert printed["text"].startswith("**red**\n")
    assert printed["answers"] == printed["stored"] == ["red"]
    assert printed["restricted"] == ["purple"]
    assert printed["fetched"]["title"] == "Aldra"
    assert printed["fetched"]["id"] == printed["found"][0]["id"]
    assert printed["failure"] == {
        "isError": True,
        "text": "Error executing tool fetch: There is no document '1' here.",
    }
    assert len(printed["templates"]) == 3
    assert set(printed["prompts"]) == {"cited_answer", "checked_draft"}


async def test_the_inspector_of_the_model_context_protocol(environment: dict[str, str], tmp_path: Path) -> None:
    bin_file = MODULES / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"
    address, key = f"{environment['CREDENCE_URL']}/mcp", f"Authorization: Bearer {environment['CREDENCE_KEY']}"
    environment |= {"HOME": str(tmp_path)}

    async def inspect(*options: str) -> dict[str, Any]:
        arguments = ("--cli", address, "--transport", "http", "--header", key, "--format", "json")
        return await run(environment, str(bin_file), *arguments, *options)

    listed = await inspect("--method", "tools/list", "--strict")
    assert "ask" in json.dumps(listed)
    asked = await inspect("--method", "tools/call", "--tool-name", "ask", "--tool-arg", f"question={question('Brin')}")
    assert "**blue**" in json.dumps(asked)


async def test_the_ai_sdk_of_vercel(environment: dict[str, str]) -> None:
    printed = await run(environment, "ai.mjs")
    assert printed["whole"] == printed["text"] == printed["chat"]
    assert printed["text"].startswith("**red**\n")
    assert set(printed["sources"]) == {"https://towers.example/aldra"}
    assert all(text.startswith("**purple**\n") for text in printed["restricted"])


async def test_the_types_for_typescript(environment: dict[str, str]) -> None:
    document = json.dumps(documented_app(Settings()).openapi()).encode()
    generator = [str(MODULES / ".bin" / "openapi-typescript"), "--default-non-nullable=false"]
    made = await anyio.run_process(generator, input=document)
    (HERE / "credence.d.ts").write_bytes(made.stdout)
    compiler = MODULES / "typescript" / "bin" / "tsc"
    checked = await anyio.run_process(["node", str(compiler), "--project", str(HERE)], check=False)
    assert checked.returncode == 0, checked.stdout.decode()
    printed = await run(environment, "typescript.ts")
    assert printed["answers"] == ["red"]
    assert printed["readings"] == 3
    assert set(printed["sources"]) == {"Rumour"}
    assert printed["page"] == [1, "string"]
    assert "There is no corpus 'nothing'" in printed["problem"]
    assert printed["wrong"] == "body.query"
