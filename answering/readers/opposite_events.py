"""Questions about an event that a passage tells the opposite of: when it closed, where it says when it opened. English.

A reader finds the year, or the person, of whatever happened to the subject.
"""

import re
from collections.abc import Iterator

_OPENED, _CLOSED = r"open(?:s|ed|ing)?", r"clos(?:e[sd]?|ing)|shut"
_LOST, _GOT = r"los(?:e[sd]?|ing|t)", r"gain\w*|achiev\w*|attain\w*|obtain\w*|acquir\w*"
_DIED, _BORN = r"die[sd]?|dying|death|killed", r"born|birth"
_BUILT, _RAZED = r"buil[dt]|erected|constructed", r"demolish\w*|destroy\w*|razed"
_OPPOSITES = tuple(
    (re.compile(rf"\b(?:{one})\b", re.IGNORECASE), re.compile(rf"\b(?:{other})\b", re.IGNORECASE))
    for pair in (
        (_OPENED, _CLOSED),
        (_LOST, _GOT),
        (_DIED, _BORN),
        (_BUILT, _RAZED),
    )
    for one, other in (pair, pair[::-1])
)
# Years of birth and death: 1867 - 1934.
_SPAN_OF_YEARS = re.compile(r"\d\s*(?:[\u2013\u2014-]+|to)\s*(?:\w+ ){0,2}\d")


def tells_opposite(question: str, sentence: str) -> bool:
    """Whether a sentence tells the opposite of what a question asks about, and not that itself.

    >>> tells_opposite("When did the mill close?", "The mill was opened in 1874.")
    True
    >>> tells_opposite("When did the mill close?", "The mill, opened in 1874, was closed in 1912.")
    False
    """
    return any(
        other.search(sentence) and not _SPAN_OF_YEARS.search(sentence) for other in _told_instead(question, sentence)
    )


def _told_instead(question: str, sentence: str) -> Iterator[re.Pattern[str]]:
    """The opposites of the events that the question asks about and the sentence does not tell."""
    for asked, other in _OPPOSITES:
        if asked.search(question) and not other.search(question) and not asked.search(sentence):
            yield other
