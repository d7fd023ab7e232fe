"""The demo, end to end: with a reader that misses nothing, and with the one it has."""

import os
import signal
import socket
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any
from uuid import UUID

import httpx
import pytest

from answering.embedders import Embedder
from answering.readers import ReaderKind
from api.cli.commands.demo import demo_settings
from api.demo.audit import Audit, audit
from registry.corpora.model import Corpus
from registry.estimations.model import EstimationRun
from registry.platform.settings import Settings
from registry.runtime import Runtime
from tests.api.cli.conftest import Credence
from tests.api.demo.perfect_reader import perfect_reader

VISITORS_QUESTION = "Which bird nests on Skerrow in the largest numbers?"


@pytest.fixture
def demo(settings: Settings, embedder: Embedder) -> Credence:
    """The command, with a reader that misses nothing of the demo corpus."""
    chosen = settings.model_copy(update={"reader": ReaderKind("gguf"), "reader_model": "unused.gguf"})
    return Credence(chosen, embedder, perfect_reader())


@pytest.mark.timeout(300)
def test_the_demo_does_the_whole_job_and_the_next_ones_start_from_what_is_there(
    demo: Credence, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first leaves the service running, whose examples work; the second changes nothing.

    After a change of the documents, or with another reader, one would estimate anew.
    """
    audited: dict[UUID, Audit] = {}

    async def audit_once(runtime: Runtime, corpus: Corpus, run: EstimationRun, given: EstimationRun) -> Audit:
        """It reads every query of a person with every source, for the same run with the same outcome."""
        if run.id not in audited:
            audited[run.id] = await audit(runtime, corpus, run, given)
        return audited[run.id]

    monkeypatch.setattr("api.cli.commands.demo.audit", audit_once)
    first, responses = left_running(demo)
    assert first.count("curl -s http") == 3
    assert [response.status_code for response in responses] == [200, 200, 201]
    assert responses[2].json()["result"]["answers"] == ["storm petrel"]
    assert "11 sources" in first
    assert "Estimated from" in first
    assert "Copy group: The Whispering Gull, Velmarra Buzz, Island Feed Daily." in first
    one_line = " ".join(first.split())
    assert "The others copy The Whispering Gull." in one_line
    assert "48 queries written from the documents, such as: In which year was the Coast Line electrified?" in one_line
    assert "From 64 hand-written queries instead: 1.00 and 0.04." in one_line
    assert "the service answers 61 of these 64 right and leaves 1 open" in one_line
    assert "a majority vote is right on 56." in one_line
    assert "It is right; a majority of all sources says Gustav Eiklund (4 of 7 votes), which is wrong" in first
    by_topic = first.partition("Sources differ by topic")[2].partition("Estimates against the truth")[0]
    assert all(name in by_topic for name in ("Salt on My Boots", "Hearthside Tales"))
    # It is taken for what its words say it is about, as no user names a topic.
    asked = first.partition("A question most sources get wrong:")[2]
    assert "Topic: port, ørsa, grauwick (by its embedding, with probability 0." in asked
    assert ("overall" in asked, "on topic" in asked) == (True, True)
    assert "It is right: no document says it." in first
    rows = demo.done("sources", "--corpus", "demo", "--json").documents
    ranked = sorted(rows, key=lambda row: row["reliability"]["estimated"])
    assert {row["external_id"] for row in ranked[:3]} == {"whispering-gull", "velmarra-buzz", "island-feed"}
    assert {row["external_id"] for row in ranked[-2:]} == {"harbour-authority", "statistics-bureau"}

    reader = demo.reader = perfect_reader()
    second = demo.done("demo", "--once").out
    assert not reader.calls
    assert "all there already" in second
    assert "Nothing changed since the estimation of" in second
    assert len(demo.done("estimations", "--corpus", "demo", "--json").documents) == 2
    assert table_of(second) == table_of(first)

    demo.reader = perfect_reader(name="another")
    assert estimates_anew(demo)
    demo.reader = reader
    (document, *_) = demo.done("documents", "list", "town-museum", "--corpus", "demo", "--json").documents
    demo.done("documents", "delete", "town-museum", document["id"], "--yes", "--corpus", "demo")
    assert estimates_anew(demo)


class Decided(Exception):
    """Ends a demo as soon as it estimates or goes on without."""


def estimates_anew(demo: Credence) -> bool:
    """Whether a demo would estimate now."""

    def deciding(what: str) -> Callable[..., Coroutine[Any, Any, None]]:
        async def decide(*_args: object) -> None:
            raise Decided(what)

        return decide

    with pytest.MonkeyPatch.context() as patch:
        for name in ("estimate", "audit"):
            patch.setattr(f"api.cli.commands.demo.{name}", deciding(name))
        with pytest.raises(Decided) as decided:
            demo("demo", "--once")
    return str(decided.value) == "estimate"


def left_running(demo: Credence) -> tuple[str, list[httpx.Response]]:
    """What the demo prints that leaves the service running, and the responses of the service."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    demo.settings = demo.settings.model_copy(update={"port": port})
    responses: list[httpx.Response] = []
    ended = threading.Event()

    def visit() -> None:
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}/v1/corpora/demo", timeout=240) as client:
                while not (responses or ended.wait(0.1)):
                    with suppress(httpx.ConnectError):
                        responses.append(client.get("/sources"))
                responses.append(client.get("/estimations"))
                responses.append(client.post("/answers", json={"question": VISITORS_QUESTION}))
        finally:
            if not ended.is_set():
                os.kill(os.getpid(), signal.SIGTERM)

    visitor = threading.Thread(target=visit)
    visitor.start()
    try:
        printed = demo.done("demo").out
    finally:
        ended.set()
        visitor.join()
    return printed, responses


def test_a_reader_in_the_settings_is_taken_instead_and_the_data_stay_apart(settings: Settings) -> None:
    chosen = settings.model_copy(update={"reader": ReaderKind("gguf"), "reader_model": "mine.gguf"})
    assert demo_settings(chosen).reader_model == "mine.gguf"
    assert demo_settings(chosen).data_dir == settings.data_dir / "demo"


def table_of(printed: str) -> list[str]:
    """The lines of the table of reliabilities."""
    return [line for line in printed.splitlines() if "█" in line]
