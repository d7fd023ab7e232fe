"""Headings above the chunks of a document, which say what a chunk is about where it does not say so itself."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

import regex

from registry.documents.schemas import MediaType

# As in a trail of a page: Norway | Economy.
SEPARATOR = " | "
MAX_CHARACTERS = 300
_HEADING = regex.compile(r"^[ ]{0,3}+(#{1,6}+)[ \t]++([^\n]++)$", regex.MULTILINE)


def headings_above(document: str, media_type: MediaType, starts: Sequence[int]) -> list[str]:
    """The headings above each offset, the outermost first; empty unless the text is Markdown.

    >>> headings_above("# Norway\\n\\n## Economy\\n\\nFish.", MediaType.MARKDOWN, [0, 22])
    ['', 'Norway | Economy']
    """
    trails = list(_trails(document)) if media_type is MediaType.MARKDOWN else []
    ends = [end for end, _ in trails]
    places = (bisect_right(ends, start) for start in starts)
    return [trails[place - 1][1][:MAX_CHARACTERS] if place else "" for place in places]


def _trails(document: str) -> Iterator[tuple[int, str]]:
    """The end of each heading, with it and those that it stands below."""
    above: dict[int, str] = {}
    for match in _HEADING.finditer(document):
        level = len(match[1])
        above = {number: text for number, text in above.items() if number < level}
        above[level] = match[2].strip(" \t#*_")
        yield match.end(), SEPARATOR.join(above.values())
