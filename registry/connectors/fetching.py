"""Fetching over HTTP from servers that nobody vouches for.

Time, size, decompression and redirects are bounded, addresses must be public (`registry.platform.addresses`), and
robots.txt is kept (RFC 9309). Every failure is a `FetchFailed` that names its cause.
"""

import asyncio
import hashlib
import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from email.message import Message
from functools import cached_property
from importlib.metadata import version
from types import TracebackType
from typing import TYPE_CHECKING, Self
from urllib.parse import urljoin

import httpcore
import httpx
from protego import Protego

from estimator.errors import DISTRIBUTION
from registry.platform.addresses import Network, PublicBackend
from registry.platform.errors import FetchFailed, NothingThere

if TYPE_CHECKING:
    from registry.platform.settings import Settings

AGENT = "Credence"
HEADERS = (("User-Agent", f"{AGENT}/{version(DISTRIBUTION)} (knowledge base connector)"), ("Accept-Encoding", "gzip"))
MAX_REDIRECTS = 5
MAX_URL_CHARACTERS = 2_000
# RFC 9309 asks for at least 500 KiB.
ROBOTS_BYTES = 500 * 2**10
REQUESTS_PER_HOST = 2
# The time limit of fetching one address.
SECONDS = 30.0
# A Crawl-delay above it is taken for this many seconds.
MAX_CRAWL_DELAY = 10.0
REDIRECTS = frozenset({301, 302, 303, 307, 308})
GONE = frozenset({404, 410})
NOT_MODIFIED = 304


@dataclass(frozen=True, slots=True)
class Limits:
    seconds: float = SECONDS
    max_bytes: int = 10 * 2**20
    """Largest response, counted after decompression."""
    networks: Sequence[Network] = ()
    """Networks that may be fetched from though they are not public."""

    @classmethod
    def of(cls, settings: "Settings") -> Self:
        return cls(SECONDS, settings.connector_max_bytes, settings.connector_networks)


@dataclass(frozen=True, slots=True)
class Validators:
    """The validators that a server sent with a version; sent back, they let it answer whether there is a newer one."""

    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True)
class Page:
    """A response with content; `url` is where the redirects ended."""

    url: str
    content: bytes
    media_type: str
    charset: str | None
    validators: Validators

    @cached_property
    def content_hash(self) -> bytes:
        """SHA-256 of the content."""
        return hashlib.sha256(self.content).digest()


@dataclass(slots=True)
class _Host:
    """A server: how many requests go to it at once, and not before when the next one."""

    slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(REQUESTS_PER_HOST))
    next_at: float = 0.0


class Fetcher:
    """Fetches pages; robots.txt of each origin is read once in its life. Use it as an async context manager."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._pool = httpcore.AsyncConnectionPool(
            max_connections=None, keepalive_expiry=5.0, network_backend=PublicBackend(limits.networks)
        )
        self._hosts: dict[str, _Host] = {}
        self._robots: dict[str, asyncio.Task[Protego]] = {}

    async def __aenter__(self) -> Self:
        await self._pool.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._robots.values():
            task.cancel()
        await asyncio.gather(*self._robots.values(), return_exceptions=True)
        await self._pool.__aexit__(kind, error, trace)

    async def get(self, url: str, validators: Validators | None = None) -> Page | None:
        """The page at the address; None if it is still the version of the validators.

        Raises `NothingThere` where the server says that there is no such page, otherwise `FetchFailed`.
        """
        for _ in range(MAX_REDIRECTS + 1):
            address = _checked(url)
            rules = await self._rules_of(address)
            delay = await asyncio.to_thread(_delay_by, rules, address)
            outcome = await self._request(address, validators, delay)
            if not isinstance(outcome, str):
                return outcome
            url = outcome
        raise FetchFailed(f"More than {MAX_REDIRECTS} redirects, the last to {url}.")

    async def _rules_of(self, address: httpx.URL) -> Protego:
        origin = str(address.copy_with(raw_path=b""))
        if origin not in self._robots:
            self._robots[origin] = asyncio.create_task(self._read_robots(origin))
        return await asyncio.shield(self._robots[origin])

    async def _read_robots(self, origin: str) -> Protego:
        """The rules of an origin; without a robots.txt all is allowed, with one that cannot be read nothing."""
        url: str | Page | None = f"{origin}/robots.txt"
        try:
            for _ in range(MAX_REDIRECTS + 1):
                if not isinstance(url, str):
                    break
                url = await self._request(_checked(url), None, 0.0, ROBOTS_BYTES)
        except NothingThere:
            return Protego.parse("")
        except FetchFailed as error:
            raise FetchFailed(f"{origin}/robots.txt cannot be read: {error}") from error
        text = url.content.decode("utf-8", errors="replace") if isinstance(url, Page) else "User-agent: *\nDisallow: /"
        return await asyncio.to_thread(Protego.parse, text)

    async def _request(
        self, address: httpx.URL, validators: Validators | None, delay: float, max_bytes: int = 0
    ) -> Page | str | None:
        """One request: a page, None for 304, or the address that it redirects to."""
        host = self._hosts.setdefault(address.host, _Host())
        async with host.slots:
            wait = host.next_at - time.monotonic()
            host.next_at = max(host.next_at, time.monotonic()) + delay
            if wait > 0:
                await asyncio.sleep(wait)
            try:
                async with asyncio.timeout(self._limits.seconds):
                    return await self._exchange(address, validators, max_bytes or self._limits.max_bytes)
            except TimeoutError as error:
                raise FetchFailed(f"No complete answer in {self._limits.seconds:g} s.") from error
            except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException, OSError) as error:
                raise FetchFailed(f"The connection failed: {str(error) or type(error).__name__}.") from error

    async def _exchange(self, address: httpx.URL, validators: Validators | None, max_bytes: int) -> Page | str | None:
        url, headers = str(address), list(HEADERS)
        if validators is not None and validators.etag:
            headers.append(("If-None-Match", validators.etag))
        if validators is not None and validators.last_modified:
            headers.append(("If-Modified-Since", validators.last_modified))
        async with self._pool.stream("GET", url, headers=headers) as response:
            received = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
            if response.status == NOT_MODIFIED and validators is not None:
                return None
            if response.status in REDIRECTS and "location" in received:
                return urljoin(url, received["location"])
            _refuse_status(response.status)
            return _page(url, received, await _body(response, received.get("content-encoding", ""), max_bytes))


def _delay_by(rules: Protego, address: httpx.URL) -> float:
    """Seconds between requests; raises `FetchFailed` where the address is not allowed.

    Half a megabyte of rules takes a tenth of a second to go through, for every address.
    """
    if not rules.can_fetch(str(address), AGENT):
        raise FetchFailed(f"robots.txt of {address.host} does not allow {address}.")
    return min(rules.crawl_delay(AGENT) or 0.0, MAX_CRAWL_DELAY)


def _checked(url: str) -> httpx.URL:
    """An address that may be asked for, in ASCII and without a fragment."""
    try:
        address = httpx.URL(url[: MAX_URL_CHARACTERS + 1]).copy_with(fragment=None)
    except httpx.InvalidURL as error:
        raise FetchFailed(f"{url[:200]!r} is not a web address.") from error
    if address.scheme not in {"http", "https"} or not address.host or address.userinfo:
        raise FetchFailed(f"{url[:200]!r} is not an address that begins with http:// or https://, without a user.")
    if len(url) > MAX_URL_CHARACTERS:
        raise FetchFailed(f"The address is longer than {MAX_URL_CHARACTERS} characters.")
    return address


def _refuse_status(status: int) -> None:
    if status in GONE:
        raise NothingThere(f"The server answers {status}: there is no such page.")
    if not 200 <= status < 300:
        raise FetchFailed(f"The server answers {status}.")


async def _body(response: httpcore.Response, encoding: str, max_bytes: int) -> bytes:
    """The content, decompressed; no more than `max_bytes` of it are ever held, however small it was sent."""
    if encoding.lower() not in {"", "identity", "gzip", "x-gzip"}:
        raise FetchFailed(f"The content is encoded as {encoding[:50]!r}, which was not asked for.")
    gunzip = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS) if "gzip" in encoding.lower() else None
    content = bytearray()
    async for chunk in response.aiter_stream():
        content += chunk if gunzip is None else _inflated(gunzip, chunk, max_bytes + 1 - len(content))
        if len(content) > max_bytes:
            raise FetchFailed(f"The content is larger than {max_bytes:,} bytes (CREDENCE_CONNECTOR_MAX_BYTES).")
    if gunzip is not None and not gunzip.eof:
        raise FetchFailed("The compressed content is cut off.")
    return bytes(content)


def gunzipped(content: bytes, max_bytes: int) -> bytes:
    """The content of a gzip file, such as a compressed sitemap, up to `max_bytes`; others as they are."""
    if not content.startswith(b"\x1f\x8b"):
        return content
    inflated = _inflated(zlib.decompressobj(wbits=16 + zlib.MAX_WBITS), content, max_bytes + 1)
    if len(inflated) > max_bytes:
        raise FetchFailed(f"The file is larger than {max_bytes:,} bytes when unpacked (CREDENCE_CONNECTOR_MAX_BYTES).")
    return inflated


def _inflated(gunzip: "zlib._Decompress", chunk: bytes, max_bytes: int) -> bytes:
    try:
        return gunzip.decompress(chunk, max_bytes)
    except zlib.error as error:
        raise FetchFailed("The compressed content is damaged.") from error


def _page(url: str, received: dict[str, str], content: bytes) -> Page:
    message = Message()
    message["content-type"] = received.get("content-type", "")
    validators = Validators(received.get("etag"), received.get("last-modified"))
    return Page(url, content, message.get_content_type(), message.get_content_charset(), validators)
