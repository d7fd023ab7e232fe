"""Scripts of other web sites: none is answered unless the settings name its origin, and none ever with cookies."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from pydantic import ValidationError

from api.app import create_app
from registry.platform.settings import Settings
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS, client_of

Problem = Callable[[httpx.Response, int], dict[str, Any]]
APP, EVIL = "https://app.example", "https://evil.example"
MCP = {"Accept": "application/json, text/event-stream"}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def asking_from(origin: str, method: str = "POST") -> dict[str, str]:
    """The header of what a browser asks before a script of the origin may send its request."""
    wanted = "authorization, content-type, x-stainless-lang"
    return {
        "Origin": origin,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": wanted,
        "Access-Control-Request-Private-Network": "true",
    }


async def test_by_default_no_other_site_is_answered(client: httpx.AsyncClient, problem: Problem) -> None:
    asked = await client.options(f"{CORPUS}/answers", headers=asking_from(APP))
    assert not [name for name in asked.headers if name.startswith("access-control")]
    # Browsers send this without asking first.
    sent = await client.post(f"{CORPUS}/estimations", headers={"Origin": EVIL, "Content-Type": "text/plain"})
    assert "CREDENCE_CORS_ORIGINS" in str(problem(sent, 403)["detail"])
    problem(await client.get(f"{CORPUS}/sources", headers={"Origin": "null"}), 403)
    # Forms of the pages come so, as the pages ask for no referrer; they carry a token.
    assert "not from this service" in (await client.post("/corpora/default/quality", headers={"Origin": "null"})).text
    for own in ("http://localhost:5173", "http://127.0.0.1:8000", "http://[::1]"):
        assert (await client.get(f"{CORPUS}/sources", headers={"Origin": own})).status_code == 200


async def test_scripts_of_a_named_origin_may_send_keys_and_no_cookies(
    settings: Settings, reading: Runtime, problem: Problem
) -> None:
    app = create_app(settings.model_copy(update={"cors_origins": (APP,), "require_api_keys": True}), runtime=reading)
    async with client_of(app) as client:
        for path in (f"{CORPUS}/answers", "/v1/chat/completions", "/mcp"):
            asked = await client.options(path, headers=asking_from(APP))
            assert asked.status_code == 200
            assert asked.headers["access-control-allow-origin"] == APP
            assert asked.headers["access-control-allow-headers"] == "authorization, content-type, x-stainless-lang"
            assert asked.headers["access-control-allow-private-network"] == "true"
            assert "access-control-allow-credentials" not in asked.headers
            refused = await client.options(path, headers=asking_from(EVIL))
            assert (refused.status_code, refused.headers.get("access-control-allow-origin")) == (400, None)
        # A script must be able to read why it was refused, and when to ask again.
        failed = await client.get(f"{CORPUS}/sources", headers={"Origin": APP})
        problem(failed, 401)
        assert failed.headers["access-control-allow-origin"] == APP
        assert "Retry-After" in failed.headers["access-control-expose-headers"]
        assert "Origin" in failed.headers["vary"]
        for path, origin in ((f"{CORPUS}/sources", EVIL), ("/sign-in", APP), ("/livez", APP)):
            answered = await client.get(path, headers={"Origin": origin})
            assert "access-control-allow-origin" not in answered.headers


async def test_without_keys_a_named_origin_reaches_this_machine_under_its_own_name_only(
    settings: Settings, reading: Runtime
) -> None:
    app = create_app(settings.model_copy(update={"cors_origins": (APP,)}), runtime=reading)
    async with app.router.lifespan_context(app), client_of(app) as client:
        for url, origin, status in (
            ("http://localhost/mcp", APP, 200),
            ("http://localhost/mcp", EVIL, 403),
            ("http://evil.example/mcp", APP, 403),
        ):
            answered = await client.post(url, json=PING, headers={**MCP, "Origin": origin})
            assert (answered.status_code, url, origin) == (status, url, origin)
        assert (await client.get(f"{CORPUS}/sources", headers={"Origin": APP})).status_code == 200


def test_an_origin_is_named_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CREDENCE_CORS_ORIGINS", "https://app.example, http://localhost:5173,app://obsidian.md")
    assert Settings().cors_origins == (APP, "http://localhost:5173", "app://obsidian.md")
    for wrong in ("*", "https://*.example", "app.example", "https://app.example/", "https://App.example", "null"):
        with pytest.raises(ValidationError, match="should match pattern"):
            Settings(cors_origins=(wrong,))
