"""Commands as clients of a service elsewhere, and of the one within this process."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from pydantic import SecretStr

from answering.embedders import Embedder
from api.cli.in_process import LocalApp
from registry.corpora.model import Corpus
from registry.platform.settings import Settings
from registry.runtime import Runtime
from tests.api.cli.conftest import Credence
from tests.api.client.test_calls import CALLS, call_of
from tests.api.http.conftest import serving
from tests.registry.world import colour_reader

ROOT = Path(__file__).parents[3]
# What nothing is needed of where the service is elsewhere.
HEAVY = ("sqlalchemy", "numpy", "fastapi", "registry.platform.settings")


@pytest.fixture
def live(settings: Settings, embedder: Embedder) -> Iterator[str]:
    """The address of a service that does jobs."""
    with serving(settings, colour_reader(), embedder) as url:
        yield url


@pytest.fixture
def far(settings: Settings, embedder: Embedder, live: str) -> Credence:
    """The command as the client of that service; its own settings lead nowhere."""
    nowhere = settings.model_copy(update={"database_url": SecretStr("postgresql://nobody@127.0.0.1:1/nothing")})
    command = Credence(nowhere, embedder, None)
    command.before = ("--url", live)
    return command


@pytest.fixture
def other_service() -> Iterator[str]:
    """The address of a service that answers otherwise."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps({"items": [{"unknown": 1}], "next_cursor": None}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_what_a_service_refuses_is_said_in_one_line(
    far: Credence, live: str, other_service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.client.clients.time.sleep", lambda _seconds: None)
    assert "There is no source 'nobody'" in far.refused("sources", "show", "nobody")
    assert "There is no source 'a/b'" in far.refused("sources", "show", "a/b")
    secret = far.done("keys", "create", "reader", "--scope", "read").out.split()[-1]
    cases = {
        ("--url", live, "--key", "crd_wrong", "sources"): "--key or CREDENCE_KEY",
        ("--url", live, "--key", secret, "sources", "add", "x"): "the scope `ingest`",
        ("--url", "http://127.0.0.1:1", "sources"): "Connection refused. Is a service",
        ("--url", "nowhere", "sources"): "cannot be reached",
        ("--url", other_service, "sources"): "install the version of the service",
        ("--url", live, "eval"): "on the machine of the service only",
        ("--url", live, "backup", "x"): "on the machine of the service only",
    }
    far.before = ()
    for arguments, why in cases.items():
        said = far.refused(*arguments)
        assert why in said
        assert said.count("\n") == 1


def test_a_list_from_elsewhere_imports_no_database(live: str) -> None:
    code = f"""
import sys
from api.cli import main
try:
    main()
except SystemExit:
    print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)
"""
    command = [sys.executable, "-c", code, "--url", live, "sources", "list"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "There are no sources" in done.stdout
    assert done.stderr.strip() == "[]"


def test_every_call_has_a_route_within_this_process(credence: Credence) -> None:
    asked = list(map(call_of, CALLS))

    async def missing(runtime: Runtime, _corpus: Corpus) -> set[str]:
        app = LocalApp(runtime, "somebody")
        for call in asked:
            app.mount(call.url)
        paths = {getattr(route, "path", "").replace(":segment", "") for route in app.routes}
        return {call.template for call in asked} - paths

    assert credence.with_runtime(missing) == set()
