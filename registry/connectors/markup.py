"""Bytes that a server calls HTML or XML, as text of which nothing can expand or be loaded."""

import codecs
import re

from lxml import etree

from registry.platform.errors import FetchFailed

# Where a document names its encoding itself.
_HEAD_BYTES = 2048
_DECLARED = re.compile(
    rb"""<(?:\?xml[^>]{0,200}encoding|meta[^>]{0,200}charset)\s*=\s*["']?([\w.:-]{1,40})""", re.IGNORECASE
)
_ENTITY = re.compile("<!entity", re.IGNORECASE)
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def text_of(content: bytes, charset: str | None = None) -> str:
    """The content as text: by its byte order mark, by `charset`, as it declares itself, as UTF-8, or as Windows-1252.

    Raises `FetchFailed` for what is no text.
    """
    marked = next((name for mark, name in _BYTE_ORDER_MARKS if content.startswith(mark)), None)
    declared = _DECLARED.search(content[:_HEAD_BYTES])
    for name in (marked, charset, declared and declared[1].decode("ascii"), "utf-8"):
        if name and (text := _decoded(content, name)) is not None:
            break
    else:
        text = content.decode("cp1252", errors="replace")
    if "\x00" in text:
        raise FetchFailed("The content is binary, not text.")
    return text


def xml_text_of(content: bytes, charset: str | None = None) -> str:
    """Like `text_of`; raises `FetchFailed` for a document with entities of its own, which may expand without end."""
    text = text_of(content, charset)
    if _ENTITY.search(text):
        raise FetchFailed("The XML declares entities, which feeds and sitemaps need not; it is not read.")
    return text


def parse_xml(text: str) -> etree._Element:
    """The root element; nothing is expanded, loaded or deeper than 256 levels. Raises `FetchFailed`."""
    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True
    )
    try:
        root = etree.fromstring(text.encode("utf-8", errors="replace"), parser)
    except (etree.LxmlError, ValueError) as error:
        raise FetchFailed(f"The XML cannot be read: {error}") from error
    if root is None:
        raise FetchFailed("There is no XML in it.")
    return root


def _decoded(content: bytes, name: str) -> str | None:
    try:
        return content.decode(name)
    except (LookupError, ValueError):
        return None
