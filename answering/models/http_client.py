"""Connections to model servers that speak the OpenAI protocol."""

from urllib.parse import urlsplit

from openai import AsyncOpenAI, DefaultAsyncHttpxClient

_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


def open_client(base_url: str, api_key: str | None, *, timeout: float, retries: int = 0) -> AsyncOpenAI:
    """A client with this timeout (seconds) a request; a server on this machine is never asked through a proxy."""
    proxied = urlsplit(base_url).hostname not in _LOOPBACK
    return AsyncOpenAI(
        base_url=base_url,
        # The client wants a key; a server that wants none ignores it.
        api_key=api_key or "none",
        max_retries=retries,
        http_client=DefaultAsyncHttpxClient(trust_env=proxied, timeout=timeout),
    )
