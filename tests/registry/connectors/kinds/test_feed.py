"""Feeds: new entries come, changed ones are updated, those that scroll out stay; a bad feed harms no other."""

from datetime import UTC, datetime

from registry.corpora.model import Corpus
from registry.runtime import Runtime
from tests.fakes.web_server import FakeWebServer, Reply
from tests.registry.connectors.keeping import counts, make, run, stored


def rss(*entries: tuple[str, str], title: str = "The Herald") -> str:
    """A feed with the link and the text of each entry."""
    items = "".join(
        f"<item><title>News of\n {link}</title><link>{link}</link><pubDate>Mon, 02 Nov 2026 10:00:00 +0100</pubDate>"
        f"<description>&lt;p&gt;{text}&lt;/p&gt;</description></item>"
        for link, text in entries
    )
    return f'<?xml version="1.0"?><rss version="2.0"><channel><title>{title}</title>{items}</channel></rss>'


ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Gazette</title><entry><id>tag:7</id><title>Blue</title>
<updated>2026-11-03T00:00:00Z</updated><content type="text">The tower is blue.</content></entry></feed>"""
RED, TALL = ("/red?utm_source=rss#top", "The tower is red."), ("/tall", "The tower is tall.")


async def test_feeds_are_followed(local: Runtime, corpus: Corpus, web: FakeWebServer) -> None:
    web.pages |= {
        "/feed": Reply(rss(RED, TALL), etag='"1"', media_type="text/html"),
        "/copy": Reply(rss(RED), media_type="application/rss+xml"),
        "/atom": Reply(ATOM, headers={"Last-Modified": "Tue, 03 Nov 2026 00:00:00 GMT"}),
    }
    urls = [f"{web.url}/{name}" for name in ("feed", "copy", "atom")]
    host = web.url.removeprefix("http://")
    connector = await make(local, corpus, "feed", urls=urls, sources={"127.0.0.1/atom": "Gazette"})
    assert counts(await run(local, connector)) == (3, 0, 0, 0, 0)
    documents = await stored(local)
    red = documents["127.0.0.1", f"http://{host}/red"]
    assert (red.content, red.title, red.url) == ("The tower is red.", f"News of {RED[0]}", f"http://{host}/red")
    assert red.published_at == datetime(2026, 11, 2, 9, tzinfo=UTC)
    assert red.attributes["publisher"] == "The Herald"
    assert documents["Gazette", "tag:7"].content == "The tower is blue."
    report = await run(local, connector)
    assert (counts(report), report.not_modified) == ((0, 0, 0, 0, 0), 3)
    web.pages["/feed"] = Reply(rss((RED[0], "The tower is yellow now."), ("/new", "The tower is new.")), etag='"2"')
    assert counts(await run(local, connector)) == (1, 1, 0, 0, 0)
    documents = await stored(local)
    assert documents["127.0.0.1", f"http://{host}/red"].content == "The tower is yellow now."
    assert len(documents) == 4


async def test_bad_feeds_harm_no_other_and_no_other_source(local: Runtime, corpus: Corpus, web: FakeWebServer) -> None:
    """An entry belongs to the source of its feed, whatever address it claims."""
    bomb = '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>' + rss(("/x", "&b;"))
    web.pages |= {
        "/dead": Reply(status=500),
        "/slow": Reply(delay=5),
        "/endless": Reply(rss(RED), endless=True),
        "/page": Reply("<html><p>No feed.</p></html>", media_type="application/rss+xml"),
        "/picture": Reply(b"\x89PNG\x00\x00", media_type="application/atom+xml"),
        "/bomb": Reply(bomb),
        "/away": Reply(status=301, headers={"Location": "http://10.0.0.1/feed"}),
        "/gone": Reply(status=410),
        "/broken": Reply(rss(("https://reuters.com/x", "It is false."), ("http://[", "It is odd."))[:-40]),
    }
    connector = await make(local, corpus, "feed", urls=[web.url + path for path in web.pages], source="Liar")
    report = await run(local, connector)
    assert (report.created, report.failed) == (2, 8)
    why = {problem.location.removeprefix(web.url): problem.error for problem in report.problems}
    assert why["/dead"] == "The server answers 500."
    assert why["/slow"] == "No complete answer in 0.5 s."
    assert why["/endless"].startswith("The content is larger than 100,000 bytes")
    assert why["/page"].startswith("This is no RSS or Atom feed")
    assert why["/picture"] == "The content is binary, not text."
    assert "declares entities" in why["/bomb"]
    assert "10.0.0.1 is not a public address" in why["/away"]
    assert "410" in why["/gone"]
    assert {source for source, _ in await stored(local)} == {"Liar"}
