"""The door for Nextcloud's Context Chat, asked by Guzzle, the HTTP client of Nextcloud, from PHP."""

import base64
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import anyio
import pytest

from answering.embedders import Embedder
from registry.corpora.model import Corpus
from registry.keys import service as keys
from registry.keys.schemas import KeyInput, Scope
from registry.platform.settings import Settings
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS, serving
from tests.registry.world import colour_reader, question

GUZZLE = Path("/usr/share/php/GuzzleHttp/autoload.php")
pytestmark = pytest.mark.skipif(
    shutil.which("php") is None or not GUZZLE.is_file(),
    reason="it needs PHP with Guzzle: apt-get install php-cli php-guzzlehttp-guzzle",
)
# Requests as AppAPI makes them, with errors of HTTP told as statuses.
SCRIPT = """
require '%s';
$requests = json_decode(stream_get_contents(STDIN), true);
$client = new GuzzleHttp\\Client(['http_errors' => false, 'headers' => $requests['headers']]);
$told = [];
foreach ($requests['requests'] as [$method, $url, $options]) {
    $response = $client->request($method, $url, $options);
    $told[] = [$response->getStatusCode(), json_decode((string) $response->getBody(), true)];
}
echo json_encode($told);
"""


def item(number: int, title: str, contents: str, users: str, provider: str = "files__default") -> dict[str, Any]:
    headers = {"userIds": users, "title": title, "type": "text/markdown", "modified": 1_760_000_000}
    headers["provider"] = provider
    return {"name": "sources", "filename": f"{provider}: {number}", "contents": contents, "headers": headers}


async def asked(address: str, secret: str, *requests: tuple[str, str, dict[str, Any]]) -> list[tuple[int, Any]]:
    """The status and the JSON of each response."""
    headers = {
        "AA-VERSION": "32.0.0",
        "EX-APP-ID": "context_chat_backend",
        "EX-APP-VERSION": "5.3.1",
        "AUTHORIZATION-APP-API": base64.b64encode(f"alice:{secret}".encode()).decode(),
    }
    sent = [(method, f"{address}{CORPUS}/nextcloud/{route}", options) for method, route, options in requests]
    given = json.dumps({"headers": headers, "requests": sent})

    def run() -> subprocess.CompletedProcess[str]:
        command = ["php", "-r", SCRIPT % GUZZLE]
        return subprocess.run(command, input=given, capture_output=True, text=True, timeout=60, check=True)

    done = await anyio.to_thread.run_sync(run)
    return [(status, body) for status, body in json.loads(done.stdout)]


async def test_items_are_sent_asked_about_and_removed(
    settings: Settings, embedder: Embedder, runtime: Runtime, corpus: Corpus
) -> None:
    async with runtime.database.begin() as session:
        _, secret = await keys.create(session, corpus, KeyInput(name="nextcloud", scopes=frozenset({Scope.ADMIN})))
    items = [
        item(1, "files/Überblick/Türme.md", "The tower of Aldra is painted red.", "alice,bob"),
        item(2, "files/notes.md", "The tower of Brin is painted blue.", "bob"),
    ]
    with serving(settings.model_copy(update={"require_api_keys": True}), colour_reader(), embedder) as address:
        enabled, loaded, counted, found, reply, removed, gone = await asked(
            address,
            secret,
            ("GET", "enabled", {}),
            ("PUT", "loadSources", {"multipart": items}),
            ("POST", "countIndexedDocuments", {"headers": {"Content-Type": "application/json"}}),
            ("POST", "docSearch", {"json": {"query": "tower", "userId": "alice"}}),
            ("POST", "query", {"json": {"query": question("Aldra"), "userId": "alice", "useContext": True}}),
            ("POST", "deleteSources", {"json": {"sourceIds": ["files__default: 1"]}}),
            ("POST", "docSearch", {"json": {"query": "tower", "userId": "alice"}}),
        )
        ((refused, _),) = await asked(address, "crd_wrong", ("GET", "enabled", {}))
    assert (enabled[0], enabled[1]["enabled"]) == (200, True)
    assert loaded == (200, {"loaded_sources": ["files__default: 1", "files__default: 2"], "sources_to_retry": []})
    assert counted == (200, {"files__default": 2})
    assert found == (200, [{"source_id": "files__default: 1", "title": "Türme.md"}])
    assert (reply[0], reply[1]["sources"]) == (200, ["files__default: 1"])
    assert "red" in reply[1]["output"]
    assert (removed[0], gone) == (200, (200, []))
    assert refused == 401
