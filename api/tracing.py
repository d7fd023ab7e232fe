"""Traces for an OpenTelemetry collector: requests, jobs, readings and calls of models, without any text of theirs.

Needs the extra `tracing`.
"""

import os

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Span, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from answering import tracing
from api.http.authorization import told_path

QUERY, PATH = "url.query", "url.path"


class WithoutSecrets(SpanProcessor):
    """Empties the query of a request, which may hold what somebody searches for, and takes tokens out of its path."""

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:  # noqa: ARG002  (the library's)
        """Called by the library when a span begins."""
        if span.attributes and QUERY in span.attributes:
            span.set_attribute(QUERY, "")
        if span.attributes and PATH in span.attributes:
            span.set_attribute(PATH, told_path(str(span.attributes[PATH])))


def send_traces(collector: str) -> None:
    """Trace this process from now on, and send the spans to the collector at this URL."""
    resource = Resource.create({"service.name": os.environ.get("OTEL_SERVICE_NAME", "credence")})
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(WithoutSecrets())
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{collector.rstrip('/')}/v1/traces")))
    trace.set_tracer_provider(provider)
    tracing.enable()
