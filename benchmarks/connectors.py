"""`python -m benchmarks.connectors`: a drill with a thousand feeds and a sitemap, of which a tenth of feeds misbehave.

Feeds are served on loopback, each from an address of its own, which makes it a source of its own. Bad ones are dead,
slow, endless, lie about their type, redirect to a private address, or burst when unpacked or expanded. In four rounds
everything is new, nothing changed, a third changed and some pages are gone, and nothing changed again. At the end every
document is compared with what is published.
"""

import asyncio
import gzip
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from ipaddress import ip_network

from sqlalchemy import select
from sqlalchemy.engine import URL

from benchmarks.harness import Benchmark, Headline, Report, database, run
from benchmarks.harness.processes import peak_bytes, reset_peak
from registry.connectors import fetching
from registry.connectors import service as connectors
from registry.connectors.model import Connector
from registry.connectors.result_schemas import ConnectorReport
from registry.connectors.schemas import ConnectorInput
from registry.corpora import store as corpora
from registry.documents.model import Document
from registry.runtime import Runtime
from tests.fakes.scripted_reader import ScriptedReader
from tests.fakes.web_server import FakeWebServer, Reply

BENCHMARK = Benchmark(
    "connectors",
    "feeds and pages that are followed while a tenth of them misbehave",
    page="connectors",
    headlines=(
        Headline(
            "documents that are missing, stale, there twice or not deleted",
            "wrong_documents",
            aim=0,
            higher_is_better=False,
            form=".0f",
        ),
        Headline("feeds a second, all new", "feeds_per_second", form=",.0f"),
        Headline("memory that a run takes, at its peak", "peak_mib", aim=200, higher_is_better=False, form=".0f MiB"),
    ),
)

SECONDS = 2.0
MAX_BYTES = 1_000_000
CONCURRENCY = 32
ENTRIES = 3
MIB = 2**20
CLOSED_PORT = 1
ENTITIES = '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><rss version="2.0"><channel>&b;</channel></rss>'


@cache
def bad_replies() -> tuple[Reply, ...]:
    """What the feeds that fail answer with, one of them a bomb."""
    return (
        Reply(status=500),  # never asked for: these feeds are at a port on which nobody listens
        Reply(delay=3_600),
        Reply(b"<rss>" + b"x" * 65_536, endless=True),
        Reply(b"\x89PNG\x00" * 100, media_type="application/rss+xml"),
        Reply("<html><p>Not found.</p></html>", media_type="application/atom+xml"),
        Reply(status=302, headers={"Location": "http://169.254.169.254/latest/meta-data/"}),
        Reply(gzip.compress(bytes(50 * MIB)), headers={"Content-Encoding": "gzip"}),
        Reply(ENTITIES),
    )


@dataclass(slots=True)
class Site:
    """What is published: entries of feeds and pages, by address with the version of their text."""

    server: FakeWebServer
    feeds: int
    pages: int
    published: dict[str, str] = field(default_factory=dict)
    """Texts that documents must have, by external id."""

    def feed_urls(self) -> list[str]:
        """The addresses of all feeds."""
        return [f"{self._origin(feed)}/feed/{feed}" for feed in range(self.feeds)]

    def publish(self, version: int) -> None:
        """Publish a version: from the second on a third of the feeds, and a fifth of the pages, are other ones."""
        for feed in range(self.feeds):
            changed = version > 1 and feed % 3 == 0
            self.server.pages[f"/feed/{feed}"] = self._feed(feed, version if changed else 1)
        listed = [page for page in range(self.pages) if version == 1 or page % 10 != 0]
        for page in range(self.pages):
            self._page(page, version if version > 1 and page % 10 == 1 else 1, listed=page in listed)
        urls = "".join(f"<url><loc>{self._page_url(page)}</loc></url>" for page in listed)
        sitemap = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'
        self.server.pages["/sitemap.xml"] = Reply(sitemap, media_type="text/xml")

    def _feed(self, feed: int, version: int) -> Reply:
        if feed % 10 == 9:
            return bad_replies()[feed // 10 % len(bad_replies())]
        first = 0 if version == 1 else 1
        items = []
        for entry in range(first, first + ENTRIES):
            url = f"{self._origin(feed)}/entry/{feed}/{entry}"
            text = f"Entry {entry} of feed {feed}, version {version if entry == first else 1}, is about towers."
            self.published[url] = text
            items.append(f"<item><link>{url}?utm_source=rss</link><description>{text}</description></item>")
        body = f'<rss version="2.0"><channel><title>Feed {feed}</title>{"".join(items)}</channel></rss>'
        # Half of the servers name versions; the content of the others is compared.
        return Reply(body, media_type="application/rss+xml", etag=f'"{version}"' if feed % 2 else None)

    def _page(self, page: int, version: int, *, listed: bool) -> None:
        url, text = self._page_url(page), f"Page {page} in its version {version} is about towers and their colours."
        self.server.pages[f"/page/{page}"] = Reply(f"<html><body><article><p>{text}</p></article></body></html>")
        if listed:
            self.published[url] = text
        else:
            self.published.pop(url, None)

    def _page_url(self, page: int) -> str:
        return f"{self.server.url}/page/{page}"

    def _origin(self, feed: int) -> str:
        port = CLOSED_PORT if feed % (10 * len(bad_replies())) == 9 else self.server.port
        return f"http://127.1.{feed // 250}.{feed % 250 + 1}:{port}"


def measure(report: Report) -> None:
    """The four rounds, and the comparison at the end."""
    feeds, pages = (400, 40) if report.options.quick else (1_000, 100)
    with database.temporary_server() as (url, _):
        asyncio.run(_drill(report, url, feeds, pages))


async def _drill(report: Report, url: URL, feeds: int, pages: int) -> None:
    settings = {
        "connector_networks": [ip_network("127.0.0.0/8")],
        "connector_max_bytes": MAX_BYTES,
        "connector_concurrency": CONCURRENCY,
    }
    # Servers that say nothing would make it long.
    fetching.SECONDS = SECONDS
    everywhere = "0.0.0.0"  # noqa: S104  (each feed has an address of its own on loopback)
    async with FakeWebServer(everywhere) as server, database.opened(url, ScriptedReader(), **settings) as runtime:
        site = Site(server, feeds, pages)
        made = await _make(runtime, site)
        await runtime.embedder.embed(["loads the model"])
        reset_peak()
        rest, rows, peaks = peak_bytes() / MIB, [], []
        for name, version in (
            ("all is new", 1),
            ("nothing changed", 1),
            ("a third changed", 2),
            ("nothing changed", 2),
        ):
            site.publish(version)
            reset_peak()
            began = time.perf_counter()
            totals = await _run(runtime, made)
            seconds, peak = time.perf_counter() - began, peak_bytes() / MIB
            peaks.append(peak)
            rows.append([name, f"{seconds:.1f}", *(f"{totals[count]:,}" for count in COUNTS), f"{peak:.0f}"])
            if len(rows) == 1:
                report.figure("feeds_per_second", feeds / seconds)
        wrong = await _compare(runtime, site.published)
    title = f"{feeds:,} feeds, {feeds // 10} of them bad; {pages:,} pages; {rest:.0f} MiB at rest"
    report.table(title, ["round", "seconds", *COUNTS, "peak MiB"], rows)
    report.table("At the end", list(wrong), [[f"{count:,}" for count in wrong.values()]])
    report.figure("wrong_documents", float(sum(wrong.values()) - wrong["right"]))
    report.figure("peak_mib", max(peaks) - rest)


COUNTS = ("created", "updated", "unchanged", "deleted", "not_modified", "failed")


async def _make(runtime: Runtime, site: Site) -> list[Connector]:
    values: list[dict[str, object]] = [
        {"name": "feeds", "kind": "feed", "config": {"urls": site.feed_urls()}},
        {"name": "pages", "kind": "pages", "config": {"sitemap": f"{site.server.url}/sitemap.xml", "source": "Site"}},
    ]
    async with runtime.database.begin() as session:
        corpus = await corpora.get(session, corpora.DEFAULT)
        return [await connectors.create(session, corpus, ConnectorInput.model_validate(each)) for each in values]


async def _run(runtime: Runtime, made: list[Connector]) -> Counter[str]:
    totals: Counter[str] = Counter()
    for connector in made:
        done = await connectors.run_now(runtime, connector.id)
        if done.status != "succeeded":
            raise RuntimeError(done.problem)
        totals.update(ConnectorReport.model_validate(done.report).model_dump(exclude={"problems"}))
    return totals


async def _compare(runtime: Runtime, published: Mapping[str, str]) -> dict[str, int]:
    """How many documents are right, missing, stale, there twice, or were not deleted."""
    async with runtime.database.begin() as session:
        stored = list(await session.execute(select(Document.external_id, Document.content)))
    texts = {identifier: content.strip() for identifier, content in stored}
    return {
        "right": sum(texts.get(identifier) == text for identifier, text in published.items()),
        "missing": len(published.keys() - texts.keys()),
        "stale": sum(texts.get(identifier, text) != text for identifier, text in published.items()),
        "twice": len(stored) - len(texts),
        "not deleted": len(texts.keys() - published.keys()),
    }


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
