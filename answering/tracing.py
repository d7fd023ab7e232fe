"""Spans of OpenTelemetry: none are made, and its library is not imported, until tracing is enabled in the process.

No span holds a text: errors are named by their class.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

_NAME = "credence"


class _Tracing:
    enabled = False


def enable() -> None:
    """Make spans from now on, by the tracer provider of the process."""
    _Tracing.enabled = True


@contextmanager
def span(name: str, parent: Mapping[str, str] | None = None, **attributes: str) -> Iterator[None]:
    """A span for the duration of the block, below the span that `parent`, a `carrier`, names, else the current one."""
    if not _Tracing.enabled:
        yield
        return
    from opentelemetry import propagate, trace  # noqa: PLC0415  (takes a tenth of a second)

    context = propagate.extract(parent) if parent else None
    tracer = trace.get_tracer(_NAME)
    with tracer.start_as_current_span(
        name, context, attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as started:
        try:
            yield
        except Exception as error:
            started.set_status(trace.StatusCode.ERROR)
            started.set_attribute("error.type", type(error).__qualname__)
            raise


def carrier() -> dict[str, str]:
    """The name of the current span for another process; empty without one."""
    headers: dict[str, str] = {}
    if _Tracing.enabled:
        from opentelemetry import propagate  # noqa: PLC0415

        propagate.inject(headers)
    return headers


def current_ids() -> dict[str, str]:
    """`trace_id` and `span_id` of the current span, in hexadecimal; empty without one."""
    if not _Tracing.enabled:
        return {}
    from opentelemetry import trace  # noqa: PLC0415

    context = trace.get_current_span().get_span_context()
    return {"trace_id": f"{context.trace_id:032x}", "span_id": f"{context.span_id:016x}"} if context.is_valid else {}
