"""Pages of the web: those of a sitemap, or of a list of addresses."""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Self

import httpx
from pydantic import Field, model_validator

from registry.connectors.connector import (
    ConnectorKind,
    Content,
    DocumentOrProblem,
    Listing,
    Location,
    Seen,
    Tools,
    changed_page,
)
from registry.connectors.connector import document as document_of
from registry.connectors.fetching import MAX_URL_CHARACTERS, Page, gunzipped
from registry.connectors.files import parse_xml, read_file, text_of, xml_text_of
from registry.connectors.reading import read_with
from registry.connectors.result_schemas import ConnectorProblem
from registry.connectors.web import WebConfig, canonical, external_id, registered_domain
from registry.platform.addresses import WebAddress
from registry.platform.errors import FetchFailed

MAX_SITEMAPS = 100
# Where a page says what it is; four million characters of markup take a minute and 300 MB to look through.
METADATA_CHARACTERS = 500_000
HTML = frozenset({"text/html", "application/xhtml+xml"})
SUFFIX_OF_TYPE = {"text/plain": ".txt", "text/markdown": ".md", "application/pdf": ".pdf"}


class PagesConfig(WebConfig):
    """Pages of a sitemap or of a list."""

    urls: Annotated[list[WebAddress], Field(max_length=10_000, title="Addresses")] = Field(default_factory=list)
    """Addresses of the pages."""
    sitemap: WebAddress | None = None
    """Address of a sitemap, or of an index of sitemaps, of which pages of the same registered domain are taken."""
    max_pages: Annotated[int, Field(ge=1, le=50_000, title="Most pages")] = 1_000
    """The most pages of the sitemap."""

    @model_validator(mode="after")
    def _either(self) -> Self:
        if bool(self.urls) == (self.sitemap is not None):
            raise ValueError("name either `urls` or a `sitemap`")
        return self


class PagesConnector:
    """A location is the address of a page, with the time of its change that the sitemap gives as version."""

    def __init__(self, config: PagesConfig, tools: Tools) -> None:
        self._config = config
        self._fetcher, self._processes = tools.fetcher, tools.processes
        self._max_bytes = tools.settings.connector_max_bytes

    async def locations(self) -> Listing:
        """The addresses; the listing is incomplete where a part of the sitemap could not be read."""
        if self._config.sitemap is None:
            return Listing([Location(url) for url in dict.fromkeys(self._config.urls)])
        return await self._walk(self._config.sitemap)

    async def _walk(self, root: str) -> Listing:
        domain, pages, problems = registered_domain(root), dict[str, Location](), list[ConnectorProblem]()
        waiting, visited = [root], set[str]()
        while waiting and len(visited) < MAX_SITEMAPS and len(pages) <= self._config.max_pages:
            sitemap = waiting.pop(0)
            visited.add(sitemap)
            try:
                sitemaps, locations = await self._sitemap(sitemap, domain)
            except FetchFailed as error:
                if sitemap == root:
                    raise
                problems.append(ConnectorProblem(sitemap, str(error)))
                continue
            waiting += [url for url in sitemaps if url not in visited]
            pages |= {location.key: location for location in locations}
        complete = not problems
        if waiting or len(pages) > self._config.max_pages:
            problems.append(
                ConnectorProblem(root, f"Only the first {self._config.max_pages:,} pages are read (`max_pages`).")
            )
            complete = False
        return Listing(list(pages.values())[: self._config.max_pages], complete, problems)

    async def _sitemap(self, url: str, domain: str) -> tuple[list[str], list[Location]]:
        """The sitemaps and the pages of a domain that a sitemap lists."""
        page = await self._fetcher.get(url)
        if page is None:
            return [], []
        return await read_with(self._processes, _listed, page, self._max_bytes, domain)

    async def read(self, location: Location, seen: Seen, /) -> Content | None:
        """The one document of a page; None if it did not change."""
        page = await changed_page(self._fetcher, location, seen)
        if page is None:
            return None
        documents = partial(_documents, self._config, location.key, page)
        return Content(documents, page.validators, page.content_hash)


def _documents(config: PagesConfig, key: str, page: Page) -> Iterator[DocumentOrProblem]:
    yield document_of(key, source=config.source_of(page.url), **fields_of(page))


def _listed(page: Page, max_bytes: int, domain: str) -> tuple[list[str], list[Location]]:
    """The sitemaps and the pages of a domain that a sitemap lists."""
    text = xml_text_of(gunzipped(page.content, max_bytes), page.charset)
    sitemaps, pages = [], []
    if page.media_type == "text/plain" and not text.lstrip().startswith("<"):
        pages = [Location(line.strip()) for line in text.splitlines() if line.strip()]
    else:
        for entry in parse_xml(text).iterchildren("{*}sitemap", "{*}url"):
            address = (entry.findtext("{*}loc") or "").strip()
            if str(entry.tag).endswith("sitemap"):
                sitemaps.append(address)
            else:
                pages.append(Location(address, (entry.findtext("{*}lastmod") or "").strip()[:100] or None))
    return (
        [url for url in sitemaps if _domain(url) == domain],
        [location for location in pages if _domain(location.key) == domain],
    )


def fields_of(page: Page) -> dict[str, object]:
    """The fields of the document on a page, without its source; raises `FetchFailed` where it has none."""
    return _html_fields(page) if page.media_type in HTML else _file_fields(page)


def _html_fields(page: Page) -> dict[str, object]:
    from trafilatura import extract_metadata  # noqa: PLC0415  (takes 0.2 s)

    text = text_of(page.content, page.charset)
    try:
        metadata = extract_metadata(text[:METADATA_CHARACTERS], default_url=page.url, extensive=False)
    except Exception as error:  # its heuristics raise all kinds of errors on pages they do not expect
        raise FetchFailed("Nothing can be read in this page.") from error
    # A page could claim to be one of another publisher's.
    claimed = metadata.url or ""
    url = canonical(claimed if _domain(claimed) == registered_domain(page.url) else page.url)
    return {
        "external_id": external_id(url),
        "url": url,
        "title": metadata.title,
        "content": text,
        "media_type": "text/html",
        "published_at": metadata.date,
        "attributes": {"publisher": str(metadata.sitename)[:200]} if metadata.sitename else {},
    }


def _file_fields(page: Page) -> dict[str, object]:
    suffix = SUFFIX_OF_TYPE.get(page.media_type)
    if suffix is None:
        raise FetchFailed(f"This is {page.media_type or 'of an unknown type'}, which is not read.")
    text, media_type = read_file(f"page{suffix}", page.content)
    url = canonical(page.url)
    return {"external_id": external_id(url), "url": url, "content": text, "media_type": media_type.value}


def _domain(url: str) -> str | None:
    """The registered domain of a web address; None for what is none."""
    if not url.startswith(("http://", "https://")) or len(url) > MAX_URL_CHARACTERS:
        return None
    try:
        return registered_domain(url)
    except httpx.InvalidURL:
        return None


KIND = ConnectorKind(
    name="pages",
    summary="HTML, text and PDF pages of a sitemap or of a list of addresses",
    config=PagesConfig,
    main_field="urls",
    make=PagesConnector,
    deletes=lambda _: True,
)
