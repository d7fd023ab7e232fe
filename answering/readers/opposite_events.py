"""Questions about an event of which a passage tells another, mostly its opposite: when it closed, where it says when it
opened. English.

A reader finds the year, or the person, of whatever happened to the subject.
"""

import re

_OPENED, _CLOSED = r"open(?:s|ed|ing)?", r"clos(?:e[sd]?|ing)|shut"
_LOST, _GOT = r"los(?:e[sd]?|ing|t)", r"gain\w*|achiev\w*|attain\w*|obtain\w*|acquir\w*"
_DIED, _BORN = r"die[sd]?|dying|death|killed", r"born|birth"
_BUILT, _RAZED = r"buil[dt]|erected|constructed", r"demolish\w*|destroy\w*|razed"
# No opposites, but years apart.
_REPUBLIC, _INDEPENDENT = r"(?:a|the) republic", r"independen\w+"
_OPPOSITES = tuple(
    (re.compile(rf"\b(?:{one})\b", re.IGNORECASE), re.compile(rf"\b(?:{other})\b", re.IGNORECASE))
    for pair in ((_OPENED, _CLOSED), (_LOST, _GOT), (_DIED, _BORN), (_BUILT, _RAZED), (_REPUBLIC, _INDEPENDENT))
    for one, other in (pair, pair[::-1])
)
# Years of birth and death: 1867 - 1934.
_SPAN_OF_YEARS = re.compile(r"\d\s*(?:[\u2013\u2014-]+|to)\s*(?:\w+ ){0,2}\d")


def tells_opposite(question: str, sentence: str) -> bool:
    """Whether a sentence tells another event than a question asks about, mostly the opposite, and not that itself.

    >>> tells_opposite("When did the mill close?", "The mill was opened in 1874.")
    True
    >>> tells_opposite("When did the mill close?", "The mill, opened in 1874, was closed in 1912.")
    False
    """
    if _SPAN_OF_YEARS.search(sentence):
        return False
    return any(
        asked.search(question) and not other.search(question) and other.search(sentence) and not asked.search(sentence)
        for asked, other in _OPPOSITES
    )
