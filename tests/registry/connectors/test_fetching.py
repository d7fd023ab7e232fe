"""What a hostile or broken server does ends with a `FetchFailed` that says what it was, soon and in little memory."""

import gzip
import threading
from collections.abc import Callable
from ipaddress import ip_address, ip_network

import pytest
from protego import Protego

from registry.connectors.fetching import MAX_CRAWL_DELAY, Fetcher, Limits, Validators, gunzipped
from registry.connectors.files import parse_xml, text_of, xml_text_of
from registry.platform.addresses import is_public
from registry.platform.errors import FetchFailed, NothingThere
from tests.fakes.web_server import FakeWebServer, Reply
from tests.tables import for_each

BOMB = gzip.compress(bytes(5_000_000))
HOSTILE = {
    "slow": (Reply("late", delay=5), "No complete answer in 0.5 s"),
    "endless": (Reply(b"x" * 65_536, endless=True), "larger than 100,000 bytes"),
    "large": (Reply(b"x" * 100_001), "larger than 100,000 bytes"),
    "bomb": (Reply(BOMB, headers={"Content-Encoding": "gzip"}), "larger than 100,000 bytes"),
    "damaged": (Reply(b"no gzip", headers={"Content-Encoding": "gzip"}), "compressed content is damaged"),
    "cut off": (Reply(gzip.compress(b"x" * 99)[:-9], headers={"Content-Encoding": "gzip"}), "is cut off"),
    "encoded": (Reply(b"x", headers={"Content-Encoding": "br"}), "encoded as 'br'"),
    "failing": (Reply(status=500), "answers 500"),
    "loop": (Reply(status=302, headers={"Location": "/x"}), "More than 5 redirects"),
    "to a file": (Reply(status=302, headers={"Location": "file:///etc/passwd"}), "begins with http"),
    "to metadata": (Reply(status=302, headers={"Location": "http://169.254.169.254/"}), "not a public address"),
    "long header": (Reply(headers={"X": "x" * 200_000}), "The connection failed"),
}


@pytest.mark.parametrize(("reply", "why"), HOSTILE.values(), ids=HOSTILE.keys())
async def test_a_hostile_server_is_refused(web: FakeWebServer, fetcher: Fetcher, reply: Reply, why: str) -> None:
    web.pages |= {"/x": reply, "/robots.txt": Reply("")}
    with pytest.raises(FetchFailed, match=why):
        await fetcher.get(f"{web.url}/x")


async def test_loopback_is_refused_by_whatever_name_and_after_a_redirect(web: FakeWebServer) -> None:
    port = web.url.rpartition(":")[2]
    async with Fetcher(Limits()) as fetcher:
        for host in ("127.0.0.1", "localhost", "0x7f.1", "2130706433", "[::1]", "[::ffff:127.0.0.1]", "0"):
            with pytest.raises(FetchFailed, match=r"public address|cannot be resolved"):
                await fetcher.get(f"http://{host}:{port}/")
    assert web.requests == []
    async with Fetcher(Limits(networks=(ip_network("127.0.0.1/32"),))) as fetcher:
        web.pages["/x"] = Reply(status=301, headers={"Location": f"http://127.0.0.2:{port}/"})
        with pytest.raises(FetchFailed, match=r"127\.0\.0\.2 is not a public address"):
            await fetcher.get(f"{web.url}/x")


@for_each(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1::1", True),
        ("64:ff9b::5db8:d822", True),
        ("10.0.0.1", False),
        ("100.100.100.200", False),
        ("168.63.129.16", False),
        ("169.254.169.254", False),
        ("224.0.0.1", False),
        ("0.1.2.3", False),
        ("fd00:ec2::254", False),
        ("fe80::1", False),
        ("::ffff:10.0.0.1", False),
        ("64:ff9b::a9fe:a9fe", False),
        ("2002:7f00:1::", False),
        ("::127.0.0.1", False),
        ("192.0.0.192", False),
        ("192.88.99.1", False),
        ("fec0::1", False),
        ("64:ff9b:1::1", False),
        ("::ffff:0:127.0.0.1", False),
        ("3fff::1", False),
        ("5f00::1", False),
    ],
)
def test_only_public_addresses_are_public(address: str, public: bool) -> None:
    assert is_public(ip_address(address)) is public


@for_each("url", ["", "x", "http://", "ftp://a/", "javascript:1", "http://u:p@127.0.0.1/", "http://a.b:x/"])
async def test_other_addresses_are_refused(fetcher: Fetcher, url: str) -> None:
    with pytest.raises(FetchFailed, match="address"):
        await fetcher.get(url)


async def test_a_page_is_fetched_once_and_then_only_if_it_changed(web: FakeWebServer, fetcher: Fetcher) -> None:
    zipped = gzip.compress("Grüße".encode("latin-1"))
    web.pages |= {
        "/old": Reply(status=301, headers={"Location": "/new?a=1#there"}),
        "/new?a=1": Reply(
            zipped, etag='"7"', media_type="text/html; charset=latin-1", headers={"Content-Encoding": "gzip"}
        ),
    }
    page = await fetcher.get(f"{web.url}/old")
    assert page is not None
    assert (page.url, page.media_type, page.validators) == (f"{web.url}/new?a=1", "text/html", Validators('"7"'))
    assert text_of(page.content, page.charset) == "Grüße"
    assert await fetcher.get(f"{web.url}/old", page.validators) is None
    assert web.requests.count("/robots.txt") == 1
    with pytest.raises(NothingThere):
        await fetcher.get(f"{web.url}/gone")


async def test_robots_txt_is_kept(web: FakeWebServer, fetcher: Fetcher) -> None:
    web.pages |= {
        "/robots.txt": Reply("User-agent: credence\nDisallow: /private\n\nUser-agent: *\nDisallow: /"),
        "/private": Reply("x"),
        "/public": Reply("x"),
        "/way": Reply(status=302, headers={"Location": "/private"}),
    }
    assert await fetcher.get(f"{web.url}/public") is not None
    for path in ("/private", "/way"):
        with pytest.raises(FetchFailed, match=r"robots\.txt of 127\.0\.0\.1 does not allow"):
            await fetcher.get(web.url + path)


async def test_rules_are_gone_through_beside_the_event_loop(
    web: FakeWebServer, fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a megabyte of them takes a tenth of a second for every address, in which nobody else would be served."""
    threads: list[int] = []
    for name in ("parse", "can_fetch", "crawl_delay"):
        original = getattr(Protego, name)

        def noted(*arguments: object, original: Callable[..., object] = original) -> object:
            threads.append(threading.get_ident())
            return original(*arguments)

        monkeypatch.setattr(Protego, name, noted)
    web.pages |= {"/robots.txt": Reply("User-agent: *\nDisallow: /private"), "/public": Reply("x")}
    for _ in range(2):
        assert await fetcher.get(f"{web.url}/public") is not None
    assert len(threads) == 5
    assert threading.get_ident() not in threads


@pytest.mark.parametrize("reply", [Reply(status=503), Reply(b"x" * 600_000), Reply("x", delay=5)])
async def test_where_robots_txt_cannot_be_read_nothing_is(web: FakeWebServer, fetcher: Fetcher, reply: Reply) -> None:
    web.pages |= {"/robots.txt": reply, "/x": Reply("x")}
    with pytest.raises(FetchFailed, match=r"robots\.txt cannot be read"):
        await fetcher.get(f"{web.url}/x")
    assert "/x" not in web.requests
    assert MAX_CRAWL_DELAY <= 10


ENTITIES = '<?xml version="1.0"{}?><!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><r>&b;</r>'


@for_each(("encoding", "charset"), [("utf-8", None), ("utf-16", None), ("utf-7", "utf-7"), ("cp037", "cp037")])
def test_entities_are_refused_in_any_encoding(encoding: str, charset: str | None) -> None:
    with pytest.raises(FetchFailed, match="declares entities"):
        xml_text_of(ENTITIES.format("").encode(encoding), charset)


def test_text_is_decoded_by_what_is_known_of_it() -> None:
    assert text_of("ü".encode("latin-1")) == "ü"
    assert text_of('<?xml version="1.0" encoding="iso-8859-2"?>ł'.encode("iso-8859-2")).endswith("ł")
    assert text_of(b'<meta charset="no-such"> \xc3\xbc').endswith("ü")
    with pytest.raises(FetchFailed, match="binary"):
        text_of(b"\x89PNG\r\n\x00\x00")
    root = parse_xml('<r><x href="file:///etc/passwd"/>')
    assert root.tag == "r"
    with pytest.raises(FetchFailed):
        parse_xml("")


def test_a_compressed_file_is_bounded() -> None:
    assert gunzipped(gzip.compress(b"abc"), 3) == b"abc"
    assert gunzipped(b"abc", 1) == b"abc"
    with pytest.raises(FetchFailed, match="larger than 1,000 bytes"):
        gunzipped(BOMB, 1_000)
