"""Agents by the SDK's own client: in this process, over HTTP with keys, and over standard input and output."""

import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from fastapi import FastAPI
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent

from api.app import create_app
from api.mcp_server.access import AgentAccess
from api.mcp_server.server import build_server
from registry.corpora.model import Corpus
from registry.keys import service as keys
from registry.keys.schemas import KeyInput, Scope
from registry.platform.settings import Settings
from registry.runtime import Runtime
from registry.sources.model import Source
from tests.api.http.conftest import client_of
from tests.registry.world import TOWERS, build, colour_reader, honest, liar, question
from tests.tables import for_each

ROOT = Path(__file__).parents[3]
URL = "http://127.0.0.1:8000"


@pytest.fixture
async def world(runtime: Runtime, corpus: Corpus) -> dict[str, Source]:
    return await build(runtime, corpus, {"herald": honest(), "gazette": honest(), "rumour": liar("Aldra")}, TOWERS)


@pytest.fixture
def reading(runtime: Runtime) -> Runtime:
    return replace(runtime, reader=colour_reader())


@pytest.fixture
async def agent(reading: Runtime, world: dict[str, Source]) -> AsyncIterator[Client]:
    """A client in this process."""
    assert world
    async with Client(build_server(AgentAccess(reading))) as client:
        yield client


def text_of(result: CallToolResult) -> str:
    """The one text of a result."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


async def called(client: Client, tool: str, **arguments: object) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    data: dict[str, Any] = json.loads(text_of(result))
    return data


async def test_an_answer_is_prose_and_data(agent: Client) -> None:
    result = await agent.call_tool("ask", {"question": question("Aldra")})
    assert text_of(result).startswith("**red**\n")
    assert "Who says otherwise" in text_of(result)
    data = result.structured_content or {}
    assert (data["outcome"], data["answers"]) == ("answered", ["red"])
    assert data["calibrated_confidence"]["basis"] == "too_little"
    assert "painted purple.” (" in text_of(result).partition("Who says otherwise")[2]
    assert [dissent["answer"] for dissent in data["dissent"]] == ["purple"]
    assert [citation["answer"] for citation in data["dissent_citations"]] == ["purple"]
    (stored,) = (await agent.read_resource(f"credence://default/answers/{data['answer_id']}")).contents
    assert json.loads(stored.text)["result"]["answers"] == ["red"]  # type: ignore[union-attr]  # text, not bytes


async def test_what_search_finds_can_be_fetched(agent: Client) -> None:
    found = (await called(agent, "search", query="tower of Aldra"))["results"]
    assert len(found) == len({result["id"] for result in found}) > 0
    assert set(found[0]) == {"id", "title", "url"}
    document = await called(agent, "fetch", id=found[0]["id"])
    assert set(document) == {"id", "title", "text", "url", "metadata"}
    assert document["title"] == "Aldra"
    assert "The tower of Aldra is painted" in document["text"]
    assert document["url"] == found[0]["url"]
    (content,) = (await agent.read_resource(document["url"])).contents
    assert json.loads(content.text) == document  # type: ignore[union-attr]


async def test_questions_and_searches_can_be_restricted(agent: Client) -> None:
    result = await agent.call_tool("ask", {"question": question("Aldra"), "sources": ["rumour"]})
    assert text_of(result).startswith("**purple**\n")
    titles = {found["title"] for found in (await called(agent, "search", query="Aldra", sources=["Rumour"]))["results"]}
    assert titles
    assert all("Rumour" in title for title in titles)
    assert (await called(agent, "search", query="Aldra", published_from="2026-01-01"))["results"] == []


async def test_sources_say_what_their_reliability_rests_on(agent: Client, world: dict[str, Source]) -> None:
    listed = await called(agent, "sources")
    assert listed["total"] == 3
    assert all("No votes yet" in source["why"] for source in listed["sources"])
    (content,) = (await agent.read_resource("credence://default/sources/herald")).contents
    assert json.loads(content.text)["id"] == str(world["herald"].id)  # type: ignore[union-attr]


async def test_a_draft_is_held_against_the_documents(agent: Client) -> None:
    score = await called(agent, "conflict", response="The tower of Aldra is painted red.")
    assert [claim["text"] for claim in score["claims"]] == ["The tower of Aldra is painted red."]


async def test_votes_are_stored_and_what_they_agree_on_is_said(agent: Client) -> None:
    votes = [{"source": name, "query": "task 7", "answer": answer} for name, answer in (("ant", 72), ("bee", "72"))]
    told = await called(agent, "import_votes", votes=[*votes, {"source": "cat", "query": "task 7"}])
    assert told["counts"] == {"created": 2, "rejected": 1}
    assert [(refused["vote"], "answer" in refused["error"]) for refused in told["rejected"]] == [(3, True)]
    assert (await called(agent, "import_votes", votes=votes))["counts"] == {"unchanged": 2}
    found = await called(agent, "consensus", query="task 7")
    assert (found["answer"], found["votes"]) == ("72", 2)
    sent = await called(agent, "consensus", votes={"ant": "70", "nobody": "71"})
    assert (sent["answer"], sent["unknown_sources"]) == ("70", ["nobody"])
    assert (await called(agent, "consensus", query="task 7"))["votes"] == 2


async def test_prompts_teach_to_cite(agent: Client) -> None:
    assert {prompt.name for prompt in (await agent.list_prompts()).prompts} == {"cited_answer", "checked_draft"}
    prompt = await agent.get_prompt("cited_answer", {"question": "Who leads {Acme}?"})
    assert "Who leads {Acme}?" in prompt.messages[0].content.text  # type: ignore[union-attr]


@for_each(
    ("tool", "arguments", "message"),
    [
        ("ask", {"question": " "}, "must not be blank"),
        ("consensus", {}, "Give a query or votes"),
        ("consensus", {"query": "none"}, "There is no query 'none'"),
        ("consensus", {"votes": {"herald": " "}}, "must not be blank"),
        ("ask", {"question": "Who built the mill?", "corpus": "nothing"}, "There is no corpus 'nothing'"),
        ("ask", {"question": "Who built the mill?", "strategy": "madam"}, "CREDENCE_CHAT_MODEL"),
        ("ask", {"question": "Who built the mill?", "sources": ["times"]}, "There is no source 'times'"),
        (
            "ask",
            {"question": "Who built the mill?", "published_from": "yesterday"},
            "published_from: is neither a date",
        ),
        ("search", {"query": " "}, "empty"),
        ("search", {"query": "x", "sources": []}, "sources: "),
        ("fetch", {"id": "1"}, "There is no document '1'"),
    ],
)
async def test_failures_are_told_to_the_model(
    agent: Client, tool: str, arguments: dict[str, object], message: str
) -> None:
    result = await agent.call_tool(tool, arguments)
    assert result.is_error
    assert message in text_of(result)


async def test_an_unknown_resource_is_no_crash(agent: Client) -> None:
    with pytest.raises(MCPError, match="There is no answer 'x'"):
        await agent.read_resource("credence://default/answers/x")


@asynccontextmanager
async def http_agent(app: FastAPI, mode: str = "auto", **headers: str) -> AsyncIterator[Client]:
    """A client over HTTP of a service that is up."""
    transport = httpx2.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, headers=headers) as http,
        Client(streamable_http_client(f"{URL}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_over_http_a_key_sees_its_corpus(settings: Settings, reading: Runtime, corpus: Corpus, mode: str) -> None:
    """By the handshake of old and by the present protocol."""
    async with reading.database.begin() as session:
        _, asker = await keys.create(session, corpus, KeyInput(name="agent", scopes=frozenset({Scope.ASK})))
        _, importer = await keys.create(session, corpus, KeyInput(name="import", scopes=frozenset({Scope.INGEST})))
    guarded = settings.model_copy(update={"require_api_keys": True})
    async with http_agent(create_app(guarded, runtime=reading), mode, Authorization=f"Bearer {asker}") as agent:
        names = {tool.name for tool in (await agent.list_tools()).tools}
        assert names == {"ask", "search", "fetch", "sources", "consensus", "import_votes", "conflict"}
        refused = await agent.call_tool("import_votes", {"votes": [{"source": "a", "query": "q", "answer": "x"}]})
        assert "`ingest`" in text_of(refused)
        result = await agent.call_tool("ask", {"question": question("Aldra")})
        assert text_of(result).startswith("**red**\n")
        refused = await agent.call_tool("ask", {"question": "Who built the mill?", "corpus": "other"})
        assert refused.is_error
    async with http_agent(create_app(guarded, runtime=reading), mode, Authorization=f"Bearer {importer}") as agent:
        refused = await agent.call_tool("ask", {"question": question("Aldra")})
        assert "`ask`" in text_of(refused)


async def test_without_a_key_there_is_no_tool(settings: Settings, reading: Runtime) -> None:
    guarded = create_app(settings.model_copy(update={"require_api_keys": True}), runtime=reading)
    async with client_of(guarded) as client:
        refused = await client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, 'Bearer realm="credence"')


async def test_requests_of_agents_are_counted(settings: Settings, reading: Runtime) -> None:
    limited = settings.model_copy(update={"require_api_keys": True, "requests_per_minute": 1})
    async with reading.database.begin() as session:
        _, secret = await keys.create(session, None, KeyInput(name="agent", scopes=frozenset({Scope.ASK})))
    async with client_of(create_app(limited, runtime=reading)) as client:
        headers = {"Authorization": f"Bearer {secret}"}
        statuses = {(await client.get("/mcp", headers=headers)).status_code for _ in range(3)}
        assert statuses == {405, 429}


async def test_what_clients_try_first_is_answered(settings: Settings, reading: Runtime) -> None:
    app = create_app(settings, runtime=reading)
    async with app.router.lifespan_context(app), httpx.AsyncClient(transport=httpx.ASGITransport(app)) as client:
        unasked = await client.get(f"{URL}/mcp", headers={"Accept": "text/event-stream"})
        assert (unasked.status_code, unasked.headers["allow"]) == (405, "OPTIONS, POST")
        assert (await client.get(f"{URL}/.well-known/oauth-protected-resource/mcp")).status_code == 404
        body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        headers = {"Accept": "application/json, text/event-stream"}
        foreign = await client.post("http://evil.example/mcp", json=body, headers=headers)
        assert foreign.status_code == 403
        assert (await client.post(f"{URL}/mcp", json=body, headers=headers)).status_code == 200


@pytest.fixture
def command(settings: Settings, tmp_path: Path) -> StdioServerParameters:
    environment = {
        **{name: value for name, value in os.environ.items() if name.startswith(("PYTHON", "CREDENCE_"))},
        "PYTHONPATH": str(ROOT),
        "DATABASE_URL": settings.database_url.get_secret_value() if settings.database_url else "",
    }
    code = "from api.cli import main; main()"
    return StdioServerParameters(command=sys.executable, args=["-c", code, "mcp"], env=environment, cwd=tmp_path)


@pytest.mark.usefixtures("world")
async def test_over_standard_input(command: StdioServerParameters) -> None:
    async with Client(command) as agent:
        assert (await called(agent, "sources"))["total"] == 3
