"""Connections to servers of the OpenAI protocol, and the translation of their errors to `answering.errors`.

The libraries of the client are imported when one is opened: that takes a second, and most processes open none.
"""

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache
from time import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import ValidationError

from answering import tracing
from answering.errors import (
    ModelError,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
    UnreadableReply,
)
from answering.models.chat import single_line

if TYPE_CHECKING:
    from ssl import SSLContext

    from httpx2 import URL, Request, Response
    from openai import APIError, AsyncOpenAI
    from pydantic_ai.exceptions import ModelAPIError

_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
# Of the body of a failure, in its message.
REPLY_CHARACTERS = 200
# Statuses below 500 after which another attempt may succeed.
_TRANSIENT = frozenset({408, 409, 425})
_MALFORMED = (ValidationError, ValueError, TypeError, AttributeError, IndexError)


@dataclass(frozen=True, slots=True)
class ModelServer:
    """The name of a server in error messages, and of the settings with its URL, model and key."""

    name: str
    url: str
    model: str
    key: str


READER = ModelServer("The model server", "CREDENCE_READER_URL", "CREDENCE_READER_MODEL", "CREDENCE_READER_API_KEY")
CHAT = ModelServer("The model server", "CREDENCE_CHAT_URL", "CREDENCE_CHAT_MODEL", "CREDENCE_CHAT_API_KEY")
EMBEDDINGS = ModelServer(
    "The embeddings server", "CREDENCE_EMBEDDING_URL", "CREDENCE_EMBEDDING_MODEL", "CREDENCE_EMBEDDING_API_KEY"
)


def open_client(base_url: str, api_key: str | None, *, timeout: float, retries: int = 0) -> "AsyncOpenAI":
    """A client with a timeout (seconds) for each request; a server on this machine is never asked through a proxy."""
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

    proxied = urlsplit(base_url).hostname not in _LOOPBACK
    return AsyncOpenAI(
        base_url=base_url,
        # The client requires a key; a server that requires none ignores it.
        api_key=api_key or "none",
        max_retries=retries,
        http_client=DefaultAsyncHttpxClient(
            trust_env=proxied,
            timeout=timeout,
            verify=_tls(trust_env=proxied),
            event_hooks={"request": [_add_trace]},
        ),
    )


async def _add_trace(request: "Request") -> None:
    """Name the current span, so that the server's own spans belong to the same trace."""
    request.headers.update(tracing.carrier())


@cache
def _tls(*, trust_env: bool) -> "SSLContext":
    """Shared by all clients: to read the certificates takes 30 ms."""
    from httpx2 import create_ssl_context

    return create_ssl_context(trust_env=trust_env)


@contextmanager
def translate_errors(server: ModelServer) -> Iterator[None]:
    """Raises errors of a request, and of reading its reply, as `ModelError` with the original as the cause."""
    from openai import APIError
    from pydantic_ai.exceptions import ModelAPIError, UnexpectedModelBehavior

    try:
        yield
    except ModelError:
        raise
    except ModelAPIError as error:
        cause = error.__cause__
        raise _translated(cause if isinstance(cause, APIError) else error, server) from error
    except APIError as error:
        raise _translated(error, server) from error
    except (UnexpectedModelBehavior, *_MALFORMED) as error:
        raise _unreadable(server) from error


def _translated(error: "APIError | ModelAPIError", server: ModelServer) -> ModelError:
    from openai import APIConnectionError, APIStatusError, APITimeoutError
    from pydantic_ai.exceptions import ModelRequestTimeout

    if isinstance(error, APITimeoutError | ModelRequestTimeout):
        return ModelTimeout(f"{server.name} did not reply in time.")
    if isinstance(error, APIConnectionError):
        at = _address(error.request.url)
        return ModelUnavailable(f"{server.name} cannot be reached at {at}; look at {server.url}.")
    if isinstance(error, APIStatusError):
        return _of_status(error.response, server)
    return _unreadable(server)


def _of_status(response: "Response", server: ModelServer) -> ModelError:
    status, headers = response.status_code, response.headers
    at, quoted = _address(response.request.url), _reply(response)
    if status == 429:
        message = f"{server.name} asks for fewer requests; lower CREDENCE_READER_CONCURRENCY."
        return ModelRateLimited(message, retry_after=_retry_after(headers))
    if status in _TRANSIENT or status >= 500:
        message = f"{server.name} at {at} ({server.url}) failed with status {status}{quoted}."
        failure: ModelError = ModelUnavailable(message, retry_after=_retry_after(headers))
        failure.quoted = quoted
        return failure
    # Servers repeat parts of a key that they refuse.
    look_at, reply = (server.key, "") if status in {401, 403} else (f"{server.url} and {server.model}", quoted)
    failure = ModelRefused(f"{server.name} at {at} refused the request with status {status}{reply}; look at {look_at}.")
    failure.quoted = reply
    return failure


def _address(url: "URL") -> str:
    """A URL without credentials and query."""
    return str(url.copy_with(username=None, password=None, query=None))


def _reply(response: "Response") -> str:
    """The start of the body on one line, to end a sentence with."""
    body = single_line(response.text[:REPLY_CHARACTERS]).strip()
    return f" and said {body!r}" if body else ""


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that a Retry-After header asks for, as seconds or as a date (RFC 9110, section 10.2.3)."""
    value = headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        return _seconds_until(value)
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _seconds_until(date: str) -> float | None:
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - time())
    except (ValueError, OverflowError):
        return None


def _unreadable(server: ModelServer) -> UnreadableReply:
    return UnreadableReply(f"{server.name} sent something that is not the OpenAI protocol; look at {server.url}.")
