"""Logging of Credence and of its libraries: structlog to standard error, as text or as JSON."""

import logging
import sys

import structlog
from structlog.typing import Processor

from registry.settings import LogFormat, Settings

# At INFO these libraries repeat what Credence logs itself.
_VERBOSE = ("alembic", "apscheduler", "httpcore", "httpx", "httpx2", "mcp", "openai", "procrastinate", "uvicorn.access")
_SHARED: tuple[Processor, ...] = (
    structlog.contextvars.merge_contextvars,
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
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_rendering(settings.log_format)],
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
