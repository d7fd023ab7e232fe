"""Text of sources in Markdown: shown as it is, never as a link, an image or markup of its own."""

import re
from urllib.parse import quote, urlsplit

from api.text import clean

# Chat front ends take `\[` for mathematics and search for tags before they read Markdown: these become references.
_REFERENCES = {"[": "&#91;", "]": "&#93;", "<": "&lt;", ">": "&gt;"}
_SPECIAL = re.compile(r"[\[\]<>\\`*_~$#{}!]|&(?=#|\w+;)")
# Many front ends make links of bare addresses; an invisible character (word joiner) in them prevents that.
_ADDRESS = re.compile(r"(?<=:)(?=//)|(?<=www)(?=\.)|(?<=mailto)(?=:)|(?=@)", re.IGNORECASE)
_JOINER = "\u2060"
_URL_CHARACTERS = "%/:?#@$&'*+,;=~-._"


def escape(text: str) -> str:
    """The text on one line, such that Markdown shows it and makes nothing of it.

    >>> escape("![x](https://evil.example) *now*")
    '\\\\!&#91;x&#93;(https:\\u2060//evil.example) \\\\*now\\\\*'
    """
    escaped = _SPECIAL.sub(_escaped, " ".join(clean(text).split()))
    return _ADDRESS.sub(_JOINER, escaped)


def web_address(url: str | None) -> str | None:
    """The address as the target of a Markdown link; None if it is none or not of http or https.

    >>> web_address("https://example.org/a (b)")
    'https://example.org/a%20%28b%29'
    >>> web_address("javascript:alert(1)")
    """
    try:
        parts = urlsplit(url or "")
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        return None
    return quote(parts.geturl(), safe=_URL_CHARACTERS)


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    return "&amp;" if character == "&" else _REFERENCES.get(character, f"\\{character}")
