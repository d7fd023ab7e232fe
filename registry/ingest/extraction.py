"""The text of a document, as passages and citations count its characters."""

import logging

import trafilatura
from lxml import etree, html

from registry.errors import InvalidInput
from registry.inputs.documents import MediaType

# It calls a page without text an error; the caller hears of it anyway.
logging.getLogger("trafilatura").setLevel(logging.CRITICAL)

# Beyond this a tree is an attack on parsers, not a page.
MAX_HTML_CHARACTERS = 4_000_000
INVISIBLE = ("script", "style", "noscript", "template", "head")


def extract(content: str, media_type: MediaType) -> str:
    """The text to search and cite; raises `InvalidInput` if there is none."""
    extracted = _from_html(content) if media_type is MediaType.HTML else content
    if not extracted.strip():
        raise InvalidInput("There is no text in this document.", field="content")
    return extracted


def _from_html(content: str) -> str:
    if len(content) > MAX_HTML_CHARACTERS:
        raise InvalidInput(f"HTML is limited to {MAX_HTML_CHARACTERS} characters.", field="content")
    found: str | None = trafilatura.extract(content, include_comments=False, include_tables=True, favor_recall=True)
    return found or _all_text(content)


def _all_text(content: str) -> str:
    """Every visible word: what is too short or too odd for the search of the main text."""
    try:
        # Bytes, since lxml refuses text that declares an encoding; a limit on depth is its own (256).
        tree = html.document_fromstring(content.encode("utf-8"), parser=html.HTMLParser(encoding="utf-8"))
    except (etree.LxmlError, ValueError):
        return ""
    for invisible in list(tree.iter(*INVISIBLE)):
        invisible.drop_tree()
    lines = (" ".join(piece.split()) for piece in tree.itertext())
    return "\n".join(line for line in lines if line)
