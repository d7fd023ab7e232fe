"""One trace leads from a request through its job to the call of a model, and holds no text of theirs."""

import contextlib
import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO

import pytest
import structlog
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from answering import tracing
from answering.errors import ModelRefused
from answering.models.openai import OpenAIChat
from answering.readers import LimitedReader
from api.app import create_app
from api.logs import configure_logging
from api.processes import configure_tracing
from api.tracing import WithoutSecrets
from registry.corpora.model import Corpus
from registry.jobs import worker
from registry.platform.settings import LogFormat, Settings
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS, client_of
from tests.fakes.openai_server import FakeOpenAIServer
from tests.fakes.scripted_reader import ScriptedReader
from tests.registry.world import STATEMENT, build, honest, question


@pytest.fixture
def exported(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    """The spans that end in this test; the provider of the process is only set for it."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(WithoutSecrets())
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
    monkeypatch.setattr(tracing._Tracing, "enabled", True)
    yield exporter
    provider.shutdown()


def by_name(exporter: InMemorySpanExporter, beginning: str) -> ReadableSpan:
    return next(span for span in exporter.get_finished_spans() if span.name.startswith(beginning))


async def run_jobs(runtime: Runtime) -> None:
    worker.register(runtime.jobs)
    await runtime.jobs.run_worker_async(
        wait=False, install_signal_handlers=False, additional_context={"runtime": runtime}
    )


async def test_a_trace_goes_from_the_request_to_the_reading(
    runtime: Runtime, settings: Settings, corpus: Corpus, exported: InMemorySpanExporter
) -> None:
    def read(asked: str, passages: object) -> str | ModelRefused | None:
        found = STATEMENT.findall(str(passages))
        return next((colour for tower, colour in found if tower in asked), ModelRefused("It said zanzibar."))

    reader = LimitedReader(ScriptedReader(read), concurrency=1, timeout=5, attempts=1)
    reading = replace(runtime, reader=reader)
    await build(reading, corpus, {"herald": honest()})
    lines, root = StringIO(), logging.getLogger()
    handlers, level = root.handlers, root.level
    configure_logging(settings.model_copy(update={"log_format": LogFormat.JSON}))
    root.handlers[0].setStream(lines)  # type: ignore[attr-defined]  # it is a stream's
    caller = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    headers = {"traceparent": caller, "Prefer": "respond-async"}
    try:
        async with client_of(create_app(settings, runtime=reading)) as client:
            asked = {"question": question("Aldra")}
            assert (await client.post(f"{CORPUS}/answers?zanzibar=1", json=asked, headers=headers)).status_code == 202
            await run_jobs(reading)
            await client.get("/shared/zanzibar")
    finally:
        root.handlers, root.level = handlers, level
        structlog.reset_defaults()
    request, job, call = (by_name(exported, name) for name in ("POST", "job answer", "reading"))
    assert {f"{span.context.trace_id:032x}" for span in (request, job, call)} == {caller.split("-")[1]}
    assert job.parent is not None
    assert job.parent.span_id == request.context.span_id
    assert request.attributes is not None
    assert request.attributes["http.route"] == "/v1/corpora/{corpus}/answers"
    logged = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert next(line for line in logged if line["event"] == "request")["trace_id"] == caller.split("-")[1]
    told = "".join(span.to_json() for span in exported.get_finished_spans())
    assert "/shared/..." in told
    assert not [text for text in ("zanzibar", "Aldra", "tower", "red") if text in told.replace("shared", "")]


async def test_a_model_server_is_told_the_trace(exported: InMemorySpanExporter) -> None:
    with FakeOpenAIServer() as server:
        async with contextlib.aclosing(OpenAIChat(base_url=server.url, model="fake")) as chat:
            with tracing.span("question"):
                await chat.complete("Answer.", question("Aldra"))
    context = by_name(exported, "question").context
    told = server.requests[-1].headers["traceparent"].rpartition("-")[0]
    assert told == f"00-{context.trace_id:032x}-{context.span_id:016x}"


async def test_an_error_is_named_by_its_class(exported: InMemorySpanExporter) -> None:
    with pytest.raises(ModelRefused), tracing.span("model call", model="scripted"):
        raise ModelRefused("It said zanzibar.")
    failed = by_name(exported, "model call")
    assert failed.attributes == {"model": "scripted", "error.type": "ModelRefused"}
    assert not failed.status.is_ok
    assert "zanzibar" not in failed.to_json()


def test_without_a_collector_nothing_is_traced(settings: Settings) -> None:
    configure_tracing(settings)
    with tracing.span("model call"):
        assert tracing.carrier() == {}
        assert tracing.current_ids() == {}
