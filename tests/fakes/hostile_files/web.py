"""Pages, archives of pages and feeds that are made to harm who reads them."""

import gzip
import struct
from collections.abc import Callable, Mapping

from tests.fakes.hostile_files.draws import MIB, Attack, Draw, deep, empty, endless, laughs, noise, outside, zeros


def _html(inner: Callable[[Draw], str]) -> Attack:
    return lambda draw: f"<title>x</title><body>{inner(draw)}".encode("utf-8", "surrogatepass")


def warc(body: bytes, *headers: str, length: int | None = None, url: str = "https://hostile.example/a") -> bytes:
    """A record of a response."""
    http = "\r\n".join(["HTTP/1.1 200 OK", *headers, "", ""]).encode() + body
    lines = ["WARC/1.0", "WARC-Type: response", f"WARC-Target-URI: {url}"]
    lines += [
        "WARC-Date: 2026-11-02T03:04:05Z",
        "WARC-Record-ID: <urn:x:1>",
        "Content-Type: application/http; msgtype=response",
    ]
    size = len(http) if length is None else length
    return "\r\n".join([*lines, f"Content-Length: {size}", "", ""]).encode() + http + b"\r\n\r\n"


AS_HTML = "Content-Type: text/html"
GZIP = "Content-Encoding: gzip"


def _gzipped(mebibytes: int) -> bytes:
    size = mebibytes * MIB
    # The sum of the content is a lie, which is found out at its end only.
    return gzip.compress(b"")[:10] + zeros(mebibytes) + struct.pack("<II", 0, size % 2**32)


def _warc_cut(draw: Draw) -> bytes:
    content = warc(b"<p>The tower.</p>", AS_HTML)
    return content[: draw.randrange(1, len(content))]


def _feed(inner: str) -> bytes:
    return f'<?xml version="1.0"?><rss version="2.0"><channel><title>x</title>{inner}</channel></rss>'.encode()


def _entries(draw: Draw) -> bytes:
    return _feed("<item><title>The tower</title><link>https://a.example/</link></item>" * draw.randrange(5_000, 20_000))


HTML: Mapping[str, Attack] = {
    "deep": _html(lambda draw: deep(draw, draw.choice(["div", "b", "table><tr><td", "ul><li"]))),
    "endless line": _html(endless),
    "attributes": _html(
        lambda draw: "<p " + " ".join(f"a{n}='{n}'" for n in range(draw.randrange(10_000, 100_000))) + ">x"
    ),
    "never closed": _html(
        lambda draw: draw.choice(["<!--", "<script>", "<![CDATA[", "<p a='", "<textarea>"]) + endless(draw)
    ),
    "entities": _html(lambda draw: "&" * draw.randrange(10_000, 500_000) + "&#x110000;&#0;" * 5_000),
    "huge table": _html(
        lambda draw: f"<table>{'<tr><td colspan=99999999 rowspan=99999999>x' * draw.randrange(100, 2_000)}</table>"
    ),
    "links": _html(lambda draw: "<a href='javascript:alert(1)'>x</a>" * draw.randrange(5_000, 50_000)),
    "laughs": lambda draw: laughs(draw, "html").encode(),
    "a file": lambda draw: outside(draw, "html").encode(),
    "utf-7": lambda draw: b"<meta charset=utf-7>+ADw-script+AD4-" * draw.randrange(1, 1_000),
    "half of utf-16": lambda draw: "<p>The tower.</p>".encode("utf-16")[: draw.randrange(2, 30)],
    "wrong magic": lambda draw: draw.choice([b"\x89PNG", b"%PDF-1.7", b"PK\x03\x04"]) + noise(draw),
    "empty": empty,
    "noise": noise,
}
WARC: Mapping[str, Attack] = {
    "bomb": lambda draw: gzip.compress(warc(b"x", AS_HTML)) + _gzipped(draw.choice([100, 400])),
    "page that is a bomb": lambda draw: warc(_gzipped(draw.choice([100, 400])), AS_HTML, GZIP),
    "length that lies": lambda draw: warc(b"<p>x", AS_HTML, length=draw.choice([-1, 0, 10**18, 3])),
    "endless header": lambda draw: warc(b"x", f"A: {endless(draw)}", AS_HTML),
    "thousands of headers": lambda draw: warc(
        b"x", *[f"A{n}: b" for n in range(draw.randrange(1_000, 50_000))], AS_HTML
    ),
    "bad chunks": lambda draw: warc(
        f"{draw.choice(['-1', 'ffffffffffffffff', 'z'])}\r\nx".encode(), AS_HTML, "Transfer-Encoding: chunked"
    ),
    "header without end": lambda draw: b"WARC/1.0\r\n" + b"A: b\r\n" * draw.randrange(1, 100_000),
    "deep page": lambda draw: warc(deep(draw, "div").encode(), AS_HTML),
    "binary page": lambda draw: warc(noise(draw), AS_HTML),
    "thousands of records": lambda draw: warc(b"<p>x", AS_HTML) * draw.randrange(100, 2_000),
    "cut": _warc_cut,
    "wrong magic": lambda draw: b"PK\x03\x04" + noise(draw),
    "empty": empty,
    "noise": noise,
}
XML: Mapping[str, Attack] = {
    "laughs": lambda draw: laughs(draw, "rss").encode(),
    "laughs in utf-16": lambda draw: laughs(draw, "rss").encode("utf-16"),
    "a file": lambda draw: outside(draw, "rss").encode(),
    "deep": lambda draw: _feed(deep(draw, "item")),
    "endless title": lambda draw: _feed(f"<item><title>{endless(draw)}</title></item>"),
    "thousands of entries": _entries,
    "attributes": lambda draw: _feed(
        "<item " + " ".join(f"a{n}='1'" for n in range(draw.randrange(5_000, 50_000))) + "/>"
    ),
    "deep page in an entry": lambda draw: _feed(
        f"<item><description><![CDATA[{deep(draw, 'div')}]]></description></item>"
    ),
    "time that is none": lambda draw: _feed(
        "<item><pubDate>" + "9" * draw.randrange(10, 100_000) + "</pubDate></item>"
    ),
    "never closed": lambda draw: _feed("<item><title><![CDATA[" + endless(draw)),
    "namespaces": lambda draw: _feed(
        "<item " + " ".join(f"xmlns:n{n}='n{n}'" for n in range(draw.randrange(1_000, 10_000))) + "/>"
    ),
    "wrong magic": lambda draw: b"PK\x03\x04" + noise(draw),
    "empty": empty,
    "noise": noise,
}
