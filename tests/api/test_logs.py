"""A log line holds no key, document, question or reply unless that is asked for."""

import json
import logging
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from io import StringIO
from typing import Any

import httpx
import pytest
import structlog

from answering.errors import ModelRefused
from api.app import create_app
from api.logs import configure_logging
from registry.answers import store as stored_answers
from registry.corpora.model import Corpus
from registry.documents import preparation
from registry.estimations import service as estimation
from registry.estimations.schemas import EstimationParameters
from registry.keys import service as keys
from registry.keys.schemas import KeyInput, Scope
from registry.platform.enums import Trigger
from registry.platform.settings import LogFormat, Settings
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS, client_of
from tests.fakes.scripted_chat import ScriptedChat
from tests.fakes.scripted_reader import ScriptedReader

DOCUMENT, QUESTION, REPLY = "zanzibar", "quagga", "xylophone"
TEXT = f"The tower of Aldra is {DOCUMENT}."
ASKED = {"question": f"Is Aldra a {QUESTION}?"}


def failing(asked: str, passages: Sequence[str]) -> str:
    """What a model server does at its worst: it fails and repeats what it was sent."""
    error = ModelRefused(f"It failed with status 400 and said {REPLY} {asked} {passages}; look at the setting.")
    error.quoted = f" and said {REPLY} {asked} {passages}"
    raise error


def broken(*arguments: object, **_: object) -> Any:  # noqa: ANN401  (it never returns)
    """A fault whose message repeats what it was working on."""
    raise ValueError(f"cannot do {arguments} {TEXT} {ASKED}")


@pytest.fixture
def lines() -> Iterator[StringIO]:
    """What is logged, also at the level DEBUG; the logging of the tests comes back."""
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    yield StringIO()
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


def log_to(lines: StringIO, settings: Settings) -> None:
    configure_logging(settings)
    handler = logging.getLogger().handlers[0]
    assert isinstance(handler, logging.StreamHandler)
    handler.setStream(lines)


@pytest.fixture
async def client(runtime: Runtime, settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    failed = replace(runtime, reader=ScriptedReader(failing), chat=ScriptedChat(REPLY))
    async with client_of(create_app(settings.model_copy(update={"require_api_keys": True}), runtime=failed)) as client:
        yield client


async def use(
    client: httpx.AsyncClient, runtime: Runtime, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, set[int]]:
    """Ingest, ask, estimate and fail in all ways; returns the secret that opened it all and the statuses."""
    async with runtime.database.begin() as session:
        _, secret = await keys.create(session, None, KeyInput(name="app", scopes=frozenset({Scope.ADMIN})))
    client.headers["Authorization"] = f"Bearer {secret}"
    source = (await client.post(f"{CORPUS}/sources", json={"name": "herald"})).json()["id"]
    path = f"{CORPUS}/sources/{source}/documents"
    ndjson = {"Content-Type": "application/x-ndjson"}
    line = json.dumps({"content": TEXT}).encode()
    responses = [
        await client.post(path, json={"content": TEXT}),
        await client.post(path, json={"content": f"<p>{TEXT}", "media_type": "text/html"}),
        await client.post(f"{path}:import", content=line + b"\n{" + line, headers=ndjson),
        await client.post(path, content=f'{{"content": "{DOCUMENT}', headers={"Content-Type": "application/json"}),
        await client.post(path, json={"content": TEXT, DOCUMENT: 1}),
        await client.post(f"{CORPUS}/queries", json={"text": ASKED["question"], "gold_answers": [DOCUMENT]}),
        await client.post(f"{CORPUS}/answers", json=ASKED),
        await client.post(f"{CORPUS}/conflict-scores", json={"response": TEXT, **ASKED}),
        await client.post(f"{CORPUS}/search", json={"query": ASKED["question"]}),
        await client.get(f"{CORPUS}/sources", headers={"Authorization": f"Bearer {secret}x"}),
        await client.get(f"{CORPUS}/answers?{QUESTION}={DOCUMENT}", headers={"Authorization": secret}),
        await client.get(f"/corpora?cursor={DOCUMENT}", headers={"Cookie": f"credence_session={secret}"}),
        await client.get(f"/shared/{DOCUMENT}"),
        await client.get(f"/feeds/{DOCUMENT}"),
    ]
    failed = replace(runtime, reader=ScriptedReader(failing))
    run = await estimation.start(failed, corpus, EstimationParameters(), Trigger.COMMAND)
    await estimation.run(failed, run.id)
    monkeypatch.setattr(preparation, "extract_and_chunk", broken)
    monkeypatch.setattr(stored_answers, "page", broken)
    responses += [
        await client.post(path, json={"content": f"{TEXT} And more."}),
        await client.get(f"{CORPUS}/answers"),
    ]
    logging.getLogger("asyncio").error("Task exception was never retrieved\nfuture: %r", ValueError(TEXT))
    return secret, {response.status_code for response in responses}


@pytest.mark.parametrize("log_format", LogFormat)
async def test_no_line_holds_a_key_a_document_a_question_or_a_reply(
    client: httpx.AsyncClient,
    runtime: Runtime,
    settings: Settings,
    corpus: Corpus,
    lines: StringIO,
    monkeypatch: pytest.MonkeyPatch,
    log_format: LogFormat,
) -> None:
    log_to(lines, settings.model_copy(update={"log_level": "DEBUG", "log_format": log_format}))
    secret, statuses = await use(client, runtime, corpus, monkeypatch)
    logged = lines.getvalue()
    assert {201, 400, 401, 422, 500, 503} <= statuses, statuses
    for planted in (DOCUMENT, QUESTION, REPLY, secret[4:]):
        assert planted not in logged, next(line for line in logged.splitlines() if planted in line)
    for event in ("request", "extraction_failed", "estimation_failed", "ValueError", "broken", "status 400; look at"):
        assert event in logged, event
