"""Lists of names with their shares: what most speak, of `Norn 65.2%, Scots 13.7%, Sami 3.8%`, is the one with the
largest. English.
"""

import re

from answering.text.sentences import line_at

_ASKS_FOR_MOST = re.compile(
    r"^(?!.*\b(?:second|third|fourth|fifth|next|other|least|after)\b)"
    r".*\b(?:most|main|majority|largest|biggest|(?:pre)?dominant|principal|primary|widespread)\b",
    re.IGNORECASE,
)
# Norn (official) 65.2%, with a comma or a semicolon before all but the first.
_ITEM = re.compile(
    r"(?:(?<=[:,;] )|(?<=\n)|\A)(?P<name>[^\W\d][\w'\u2019-]*(?: [\w'\u2019-]+){0,3})(?: \([^()\n]{1,60}\))?"
    r" (?P<share>\d{1,3}(?:\.\d+)?) ?%"
)
_FEWEST_ITEMS = 3


def largest_share(question: str, passage: str, start: int, end: int) -> tuple[int, int]:
    """The name with the largest share of the list that [start, end) stands in, if the question asks for what most are
    or for the main one; else [start, end).

    >>> passage = "Languages of Esk: Norn 65.2%, Scots (of old) 13.7%, Sami 3.8%"
    >>> largest_share("What do most people speak in Esk?", passage, 52, 56)
    (18, 22)
    """
    items = _items(passage, start) if _ASKS_FOR_MOST.search(question) else []
    if not any(start in range(*item.span("name")) for item in items):
        return start, end
    return max(items, key=lambda item: float(item["share"])).span("name")


def is_share_of_list(passage: str, start: int) -> bool:
    """Whether one of the shares of a list begins at `start`.

    >>> passage = "Languages of Esk: Norn 65.2%, Scots (of old) 13.7%, Sami 3.8%"
    >>> [is_share_of_list(passage, start) for start in (23, 18)]
    [True, False]
    """
    return any(start == item.start("share") for item in _items(passage, start))


def _items(passage: str, at: int) -> list[re.Match[str]]:
    """Those of the list in the line at this place; none where they are too few."""
    line_start, line_end = line_at(passage, at)
    items = list(_ITEM.finditer(passage, line_start, line_end))
    return items if len(items) >= _FEWEST_ITEMS else []
