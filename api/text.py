"""Text for people: without what would steer a terminal or mislead about its order, shortened, and in the plural."""

import unicodedata

# Embeddings and overrides of writing direction, with which a text could make what stands beside it read differently.
DIRECTION_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def clean(text: str) -> str:
    """Text from outside without what would steer the terminal."""
    return "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    if character in "\n\t":
        return character
    hidden = unicodedata.category(character) in {"Cc", "Cs"} or character in DIRECTION_CONTROLS
    return "\N{REPLACEMENT CHARACTER}" if hidden else character


def shorten(text: str, limit: int) -> str:
    """Safe text on one line, of at most `limit` characters."""
    flat = " ".join(clean(text).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def plural(count: int, noun: str, many: str | None = None) -> str:
    """`1 source`, `2 sources`, `1,000 sources`."""
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"
