"""Addresses of the web: their canonical form, and the source that an address belongs to."""

from collections.abc import Mapping
from typing import Annotated
from urllib.parse import urldefrag

import httpx
from courlan import normalize_url
from pydantic import Field

from registry.connectors.connector import bounded_id
from registry.platform.addresses import WebAddress
from registry.platform.fields import ExternalId, Input

Urls = Annotated[list[WebAddress], Field(min_length=1, max_length=10_000, title="Addresses")]


class WebConfig(Input):
    """The mapping of addresses to sources."""

    source: ExternalId | None = None
    """The source of all documents; without one, the registered domain of each address, such as `bbc.co.uk`."""
    sources: dict[str, ExternalId] = Field(default_factory=dict, max_length=10_000, title="Sources by address")
    """Sources by the beginning of an address without its scheme, such as `bbc.co.uk/news`; the longest counts."""

    def source_of(self, url: str) -> str:
        """The source that an address belongs to."""
        return self.source or _named(url, self.sources) or registered_domain(url)


def canonical(url: str) -> str:
    """The address without fragment and tracking parameters, the others sorted."""
    try:
        return str(urldefrag(normalize_url(url)).url)
    except ValueError:
        return url


def external_id(url: str) -> str:
    return bounded_id(canonical(url))


def registered_domain(url: str) -> str:
    """The domain that somebody registered, below a public suffix such as `co.uk` or `github.io`; else the host."""
    from tld import get_fld  # noqa: PLC0415  (takes 0.2 s)

    host = httpx.URL(url).host
    domain: str | None = get_fld(f"http://{host}/", fail_silently=True, search_private=True)
    return domain or host


def _named(url: str, names: Mapping[str, str]) -> str | None:
    address = httpx.URL(url)
    path = address.path.rstrip("/") + "/"
    for prefix in sorted(names, key=len, reverse=True):
        host, _, below = prefix.partition("/")
        of_host = address.host == host or address.host.endswith(f".{host}")
        if of_host and path.startswith(f"/{below}/".replace("//", "/")):
            return names[prefix]
    return None
