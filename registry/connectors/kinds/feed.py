"""Entries of RSS and Atom feeds."""

import hashlib
from calendar import timegm
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any

from registry.connectors.connector import (
    ConnectorKind,
    Content,
    DocumentOrProblem,
    Listing,
    Location,
    Seen,
    Tools,
    bounded_id,
    changed_page,
)
from registry.connectors.connector import document as document_of
from registry.connectors.fetching import Page
from registry.connectors.files import xml_text_of
from registry.connectors.web import Urls, WebConfig, canonical, external_id
from registry.platform.errors import FetchFailed

MAX_ENTRIES = 1_000
# Parsing takes up to 3 s a megabyte.
MAX_FEED_BYTES = 5 * 2**20


class FeedConfig(WebConfig):
    """Feeds."""

    urls: Urls
    """Addresses of the feeds."""


class FeedConnector:
    """A location is the address of a feed. The source is that of the feed, wherever its entries say that they are."""

    def __init__(self, config: FeedConfig, tools: Tools) -> None:
        self._config = config
        self._fetcher = tools.fetcher

    async def locations(self) -> Listing:
        """The addresses."""
        return Listing([Location(url) for url in dict.fromkeys(self._config.urls)])

    async def read(self, location: Location, seen: Seen, /) -> Content | None:
        """The entries; None for a feed that did not change."""
        page = await changed_page(self._fetcher, location, seen)
        if page is None:
            return None
        if len(page.content) > MAX_FEED_BYTES:
            raise FetchFailed(f"The feed is larger than {MAX_FEED_BYTES:,} bytes.")
        documents = partial(_documents, self._config, location.key, page)
        return Content(documents, page.validators, page.content_hash)


def _documents(config: FeedConfig, key: str, page: Page) -> Iterator[DocumentOrProblem]:
    feed = _parse(page)
    publisher = str(feed.feed.get("title") or "")[:200]
    for entry in feed.entries[:MAX_ENTRIES]:
        bodies = entry.get("content") or ([entry.summary_detail] if entry.get("summary_detail") else [])
        body: dict[str, Any] = max(bodies, key=lambda content: len(content.get("value") or ""), default={})
        link = str(entry.get("link") or "")
        url = canonical(link) if link.startswith(("http://", "https://")) else None
        title, text = str(entry.get("title") or ""), str(body.get("value") or "")
        identity = external_id(url) if url else bounded_id(str(entry.get("id") or "") or _hash(title, text))
        yield document_of(
            key,
            source=config.source_of(key),
            external_id=identity,
            title=title,
            content=text if text.strip() else title,
            media_type="text/html" if "html" in str(body.get("type") or "") else "text/plain",
            url=url,
            published_at=_time(entry.get("published_parsed") or entry.get("updated_parsed")),
            attributes={"publisher": publisher, "feed": key} if publisher else {"feed": key},
        )


def _parse(page: Page) -> Any:  # noqa: ANN401  (feedparser has no types)
    import feedparser  # noqa: PLC0415  (takes 0.2 s)

    text = xml_text_of(page.content, page.charset)
    headers = {"content-location": page.url, "content-type": "application/xml; charset=utf-8"}
    feed = feedparser.parse(text.encode("utf-8", errors="replace"), response_headers=headers)
    # It leaves out fields where it cannot begin to read.
    if not feed.get("version") and not feed.get("entries"):
        raise FetchFailed(f"This is no RSS or Atom feed, but {page.media_type}.")
    return feed


def _time(parsed: Any) -> datetime | None:  # noqa: ANN401  (a struct_time of feedparser's)
    try:
        return datetime.fromtimestamp(timegm(parsed), UTC) if parsed else None
    except (ValueError, OverflowError, OSError):
        return None


def _hash(*texts: str) -> str:
    return hashlib.sha256("\n".join(texts).encode(errors="replace")).hexdigest()


KIND = ConnectorKind(
    name="feed",
    summary="entries of RSS and Atom feeds; entries that leave the feed stay",
    config=FeedConfig,
    main_field="urls",
    make=FeedConnector,
    deletes=lambda _: False,
)
