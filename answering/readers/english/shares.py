"""Lists of names with their shares: what most speak, of `Norn 65.2%, Scots 13.7%, Sami 3.8%`, is the one with the
largest. English.
"""

import re

_ASKS_FOR_MOST = re.compile(
    r"\b(?:most|main|majority|largest|biggest|(?:pre)?dominant|principal|primary|widespread)\b", re.IGNORECASE
)
# Norn (official) 65.2%, with a comma or a semicolon before all but the first.
_ITEM = re.compile(
    r"(?:(?<=: )|(?<=, )|(?<=; )|(?<=\n)|^)(?P<name>[A-Z][\w'\u2019-]*(?: [\w'\u2019-]+){0,3})(?: \([^()\n]{1,60}\))?"
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
    line, line_end = passage.rfind("\n", 0, start) + 1, passage.find("\n", end)
    text = passage[line : line_end if line_end >= 0 else len(passage)]
    items = list(_ITEM.finditer(text)) if _ASKS_FOR_MOST.search(question) else []
    if len(items) < _FEWEST_ITEMS or not any(start - line in range(*item.span("name")) for item in items):
        return start, end
    largest = max(items, key=lambda item: float(item["share"]))
    return line + largest.start("name"), line + largest.end("name")
