"""Pages of a sitemap or a list, followed until they are gone."""

import gzip

from registry.connectors import service as connectors
from registry.connectors.web import WebConfig, canonical, registered_domain
from registry.corpora.model import Corpus
from registry.runtime import Runtime
from tests.fakes.web_server import FakeWebServer, Reply
from tests.registry.connectors.keeping import counts, make, run, stored
from tests.tables import for_each

NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def sitemap(web: FakeWebServer, **versions: str) -> str:
    urls = "".join(
        f"<url><loc>{web.url}/{name}</loc>{f'<lastmod>{version}</lastmod>' if version else ''}</url>"
        for name, version in versions.items()
    )
    other = "<url><loc>http://10.0.0.1/x</loc></url><url><loc>javascript:1</loc></url>"
    return f"<urlset {NAMESPACE}>{urls}{other}</urlset>"


def page(text: str, head: str = "") -> Reply:
    return Reply(f"<html><head><title>Page</title>{head}</head><body><article><p>{text}</p></article></body></html>")


async def test_pages_of_a_sitemap_are_followed_until_they_are_gone(
    local: Runtime, corpus: Corpus, web: FakeWebServer
) -> None:
    index = f"<sitemapindex {NAMESPACE}><sitemap><loc>{web.url}/part.xml.gz</loc></sitemap></sitemapindex>"
    dated = (
        '<meta property="article:published_time" content="2026-11-02"><meta property="og:site_name" content="Herald">'
    )
    foreign = '<link rel="canonical" href="https://reuters.com/blue">'

    def publish(**versions: str) -> None:
        web.pages["/part.xml.gz"] = Reply(gzip.compress(sitemap(web, **versions).encode()))

    web.pages |= {
        "/index.xml": Reply(index, media_type="text/xml"),
        "/red": page("The tower is red.", dated),
        "/blue": page("The tower is blue.", foreign),
        "/tall": page("The tower is tall."),
        "/picture": Reply(b"\x89PNG", media_type="image/png"),
    }
    publish(red="1", blue="1", tall="", picture="")
    connector = await make(local, corpus, "pages", sitemap=f"{web.url}/index.xml")
    report = await run(local, connector)
    assert counts(report) == (3, 0, 0, 0, 0)
    assert [problem.error for problem in report.problems] == ["This is image/png, which is not read."]
    documents = await stored(local)
    assert documents.keys() == {("127.0.0.1", f"{web.url}/{name}") for name in ("red", "blue", "tall")}
    red = documents["127.0.0.1", f"{web.url}/red"]
    assert (red.content, red.title, red.attributes) == ("The tower is red.", "Page", {"publisher": "Herald"})
    assert red.published_at is not None
    web.requests.clear()
    report = await run(local, connector)
    assert (counts(report), report.not_modified) == ((0, 0, 0, 0, 0), 3)
    assert "/red" not in web.requests
    web.pages |= {"/red": page("The tower is yellow now."), "/tall": Reply(status=404)}
    publish(red="2", tall="")
    assert counts(await run(local, connector)) == (0, 1, 0, 0, 2)
    assert (await stored(local)).keys() == {("127.0.0.1", f"{web.url}/red")}
    web.pages["/part.xml.gz"] = Reply(status=500)
    report = await run(local, connector)
    assert (report.deleted, report.failed) == (0, 1)
    web.pages["/index.xml"] = Reply(status=500)
    done = await connectors.run_now(local, connector.id)
    assert (done.status, done.problem) == ("failed", {"detail": "The server answers 500."})
    assert len(await stored(local)) == 1


async def test_pages_of_a_list(local: Runtime, corpus: Corpus, web: FakeWebServer) -> None:
    """Two addresses of one page are one document, which stays until both are gone."""
    web.pages |= {
        "/new": page("The tower is red."),
        "/old": Reply(status=301, headers={"Location": "/new"}),
        "/notes": Reply("The tower is tall.", media_type="text/plain"),
    }
    connector = await make(
        local, corpus, "pages", urls=[f"{web.url}/{name}" for name in ("new", "old", "notes")], source="Herald"
    )
    assert counts(await run(local, connector)) == (2, 0, 0, 0, 0)
    web.pages["/old"] = Reply(status=404)
    assert (await run(local, connector)).deleted == 0
    assert (await stored(local)).keys() == {("Herald", f"{web.url}/new"), ("Herald", f"{web.url}/notes")}
    web.pages.clear()
    assert (await run(local, connector)).deleted == 0


@for_each(
    ("url", "domain"),
    [
        ("https://news.bbc.co.uk/a", "bbc.co.uk"),
        ("https://alice.github.io/x", "alice.github.io"),
        ("https://www.bücher.de/", "xn--bcher-kva.de"),
        ("http://10.0.0.1:80/", "10.0.0.1"),
        ("http://localhost/", "localhost"),
    ],
)
def test_sources_are_registered_domains(url: str, domain: str) -> None:
    assert registered_domain(url) == domain


def test_sources_can_be_named_by_rules() -> None:
    config = WebConfig(sources={"bbc.co.uk": "BBC", "bbc.co.uk/sport": "BBC Sport", "a.net/b/": "B"})
    named = {
        "https://www.bbc.co.uk/news": "BBC",
        "https://bbc.co.uk/sport/1": "BBC Sport",
        "https://bbc.co.uk/sports": "BBC",
        "https://bbc.co.uk.evil.com/": "evil.com",
        "https://notbbc.co.uk/": "notbbc.co.uk",
        "https://a.net/b": "B",
    }
    assert {url: config.source_of(url) for url in named} == named
    assert canonical("HTTP://A.example:80/x/?b=2&utm_medium=y&a=1#z") == "http://a.example/x/?a=1&b=2"
