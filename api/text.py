"""Text for people: without what would steer a terminal or mislead about its order, shortened, and in the plural."""

import re
import unicodedata

from pydantic_core import to_json, to_jsonable_python

# Embeddings and overrides of writing direction, with which a text could make what stands beside it read differently.
DIRECTION_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

# Spreadsheets compute a text that begins so, which somebody else wrote, unless an apostrophe stands before it. Some do
# behind spaces, or with the wide forms of these characters.
_FORMULA_STARTS = frozenset("=+-@")

# The prefix of the names of settings, which only those who run a service can change.
_SETTING = "CREDENCE_"
_MENDED_BY = "Whoever runs this service can change that."


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


def without_settings(text: str) -> str:
    """A message for those who cannot change settings: no names of any, and no advice to set one."""
    plain = re.sub(rf" \({_SETTING}\w+\)", "", text)
    clauses = re.split(r"(?<=[.;]) ", plain)
    kept = [clause for clause in clauses if _SETTING not in clause]
    if len(kept) == len(clauses):
        return plain
    said = " ".join(kept).rstrip(".; ")
    return f"{said}. {_MENDED_BY}" if said else _MENDED_BY


def plural(count: int, noun: str, many: str | None = None) -> str:
    """`1 source`, `2 sources`, `1,000 sources`."""
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"


def csv_cell(value: object) -> object:
    """The value of a cell of CSV: no formula, and lists, objects and truth values as JSON."""
    plain = to_jsonable_python(value)
    if isinstance(plain, str):
        begin = unicodedata.normalize("NFKC", plain.lstrip()[:1])
        return f"'{plain}" if begin in _FORMULA_STARTS or plain.startswith(("\t", "\r")) else plain
    return to_json(plain).decode() if isinstance(plain, list | dict | bool) else plain
