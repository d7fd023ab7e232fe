"""`python -m benchmarks.clients`: time to the first byte and to the whole reply by each interface, and its readings.

The service is the real one, a process of its own with an embedded PostgreSQL, with a model server on loopback that
takes 50 ms a reading, four at once. Every request asks what nobody asked before of six sources, so that no reading is
known; the interfaces take turns. Readings are the requests that the model server got: one for equal passages of several
sources.
"""

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import httpx
import numpy as np

from api.client import AsyncClient, calls
from benchmarks.drill.service import Service, model_server, question
from benchmarks.harness import Benchmark, Headline, Report, run
from benchmarks.harness.service import CORPUS
from registry.platform.database import embedded

BENCHMARK = Benchmark(
    "clients",
    "a question by each interface: first byte, whole reply, readings",
    page="clients",
    headlines=(
        Headline(
            "first byte of a streamed chat, median",
            "chat_first_ms",
            {"a response": "responses_first_ms", "MCP": "mcp_first_ms"},
            higher_is_better=False,
            form=".0f ms",
        ),
        Headline(
            "a streamed chat until it is whole, median",
            "chat_whole_ms",
            {"POST answers": "answers_whole_ms", "MCP": "mcp_whole_ms", "Python client": "python_whole_ms"},
            higher_is_better=False,
            form=".0f ms",
        ),
        Headline("readings of a chat", "chat_readings", {"POST answers": "answers_readings"}, form=".1f"),
        Headline("readings of a title that a front end asks for", "title_readings", aim=0, higher_is_better=False),
    ),
)
MODEL = "credence/default"
TITLE = "Provide a concise, 5-word-or-less title for the conversation, using title case conventions. User: Where?"
AGENT = {"Accept": "application/json, text/event-stream"}

Ask: TypeAlias = Callable[[str], AsyncIterator[object]]
"""Sends a question, and yields whenever something of the reply has come."""


@dataclass(slots=True)
class Measured:
    """What the requests of one interface took."""

    first: list[float] = field(default_factory=list)
    """Seconds to the first byte of the body."""
    whole: list[float] = field(default_factory=list)
    """Seconds to its last one."""
    readings: int = 0

    @property
    def readings_each(self) -> float:
        """Readings of one request."""
        return self.readings / len(self.whole)


def measure(report: Report) -> None:
    """Ask by every interface in turn."""
    rounds = 5 if report.options.quick else 60
    with tempfile.TemporaryDirectory(prefix="credence-clients-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        try:
            measured = asyncio.run(_measured(Path(folder), rounds))
        finally:
            embedded.stop(Path(folder) / "data")
    rows = [
        [name, *_milliseconds(of.first), *_milliseconds(of.whole), f"{of.readings_each:.1f}"]
        for name, of in measured.items()
    ]
    columns = ["interface", "first byte, p50 ms", "p95 ms", "whole, p50 ms", "p95 ms", "readings"]
    report.table(f"{rounds} new questions by each interface, six sources", columns, rows)
    for name, of in measured.items():
        report.figure(f"{name}_first_ms", float(np.median(of.first)) * 1e3)
        report.figure(f"{name}_whole_ms", float(np.median(of.whole)) * 1e3)
        report.figure(f"{name}_readings", of.readings_each)


def _milliseconds(seconds: Sequence[float]) -> list[str]:
    return [f"{np.percentile(seconds, share) * 1e3:.0f}" for share in (50, 95)]


async def _measured(folder: Path, rounds: int) -> dict[str, Measured]:
    with model_server() as model:
        service = Service(folder, model)
        await service.start()
        try:
            await service.fill()
            async with service.client() as http, AsyncClient(service.url) as python:
                asks = _interfaces(http, python)
                measured = {name: Measured() for name in asks}
                for number in range(-len(asks), rounds * len(asks)):
                    name = list(asks)[number % len(asks)]
                    before = len(model.requests)
                    first, whole = await _time(asks[name](question(1_000 + number)))
                    # The first request of each opens connections and fills caches.
                    if number >= 0:
                        measured[name].first.append(first)
                        measured[name].whole.append(whole)
                        measured[name].readings += len(model.requests) - before
        finally:
            await service.stop()
    return measured


async def _time(reply: AsyncIterator[object]) -> tuple[float, float]:
    """Seconds until something of a reply has come, and until all has."""
    began = time.perf_counter()
    first = None
    async for _ in reply:
        first = first or time.perf_counter() - began
    whole = time.perf_counter() - began
    return first or whole, whole


def _interfaces(http: httpx.AsyncClient, python: AsyncClient) -> Mapping[str, Ask]:
    def posting(path: str, body: Callable[[str], dict[str, Any]], **headers: str) -> Ask:
        async def ask(text: str) -> AsyncIterator[bytes]:
            async with http.stream("POST", path, json=body(text), headers=headers) as response:
                response.raise_for_status()
                async for part in response.aiter_bytes():
                    yield part

        return ask

    async def ask_python(text: str) -> AsyncIterator[object]:
        yield await python.send(calls.ask(text))

    async def follow_python(text: str) -> AsyncIterator[object]:
        begun = await python.send(calls.start_answer(text))
        async for event in python.follow(calls.follow_answer(begun.id)):
            yield event

    def chat(text: str) -> dict[str, Any]:
        return {"model": MODEL, "messages": [{"role": "user", "content": text}]}

    return {
        "answers": posting(f"{CORPUS}/answers", lambda text: {"question": text}),
        "chat": posting("/v1/chat/completions", lambda text: chat(text) | {"stream": True}),
        "chat_whole": posting("/v1/chat/completions", chat),
        "title": posting("/v1/chat/completions", lambda text: chat(f"{TITLE} {text}")),
        "responses": posting("/v1/responses", lambda text: {"model": MODEL, "input": text, "stream": True}),
        "mcp": posting("/mcp", _tool_call, **AGENT),
        "dify": posting("/v1/dify/retrieval", lambda text: {"knowledge_id": "default", "query": text}),
        "search": posting(f"{CORPUS}/search", lambda text: {"query": text}),
        "python": ask_python,
        "python_followed": follow_python,
    }


def _tool_call(text: str) -> dict[str, Any]:
    parameters = {"name": "ask", "arguments": {"question": text}}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters}


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
