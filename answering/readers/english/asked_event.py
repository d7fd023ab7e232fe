"""Questions about an event of which a passage tells another: when it closed, where it says when it opened. English.

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
# What causes something is not what is taken against it. None of 180 right answers is hidden.
_CAUSE_ASKED = re.compile(
    r"^what (?:\w+ )?(?:causes|caused|triggers|triggered)\b"
    r"|\bwhat (?:is|are|was|were) the (?:\w+ ){0,2}(?:causes?|triggers?) of\b",
    re.IGNORECASE,
)
_CAUSE_TOLD = re.compile(
    r"\b(?:caus\w*|trigger\w*|due|becaus\w*|result\w*|leads?|led|leading|factors?|contribut\w*|induc\w*|provok\w*"
    r"|aggravat\w*|worsen\w*|reasons?|by|from|owing|produc\w*|responsible|creat\w*|associat\w*|linked)\b",
    re.IGNORECASE,
)
_CURE_TOLD = re.compile(
    r"\b(?:treat(?:s|ed|ing|ments?)?|cure[sd]?|reliev\w*|remed(?:y|ies)|prevent\w*|heal(?:s|ed|ing)?|therap\w+"
    r"|effective\w*|fights?)\b",
    re.IGNORECASE,
)
# When somebody died is said in many words. Each right answer to 57 such questions of the training sets stands in a
# sentence with one of these.
_DEATH_ASKED = re.compile(
    r"\b(?:did|does) .*\b(?:die|pass away)\b|\b(?:date|year|place|day) of (?:\w+ )?death\b", re.IGNORECASE
)
_DEATH_TOLD = re.compile(
    r"\b(?:die[sd]?|dying|death|dead|deceased|late|last|lost|loss|passed away|passing|shot|hanged|hung|slain|fell|until"
    r"|(?:kill|murder|assassin|execut|perish|drown|behead|poison|stabb|burn|succumb|slaughter|surviv|victim|fatal|suicid"
    r"|funeral|buried|tomb|obituar|crash|collaps|guillotin|electrocut|demise|fate)\w*)\b",
    re.IGNORECASE,
)
# That it became independent does not say when it lost that.
_LOSS_ASKED = re.compile(r"\blos(?:e|es|t|ing)\b.*\bindependence\b", re.IGNORECASE)
_LOSS_TOLD = re.compile(
    r"\b(?:los[est]\w*|annex|occup|conquer|coloni|protectorate|invad|part of|cession|ceded)", re.IGNORECASE
)
_NEEDED = ((_DEATH_ASKED, _DEATH_TOLD), (_LOSS_ASKED, _LOSS_TOLD))
# Years of birth and death: 1867 - 1934.
_LIFE = re.compile(r"\d\s*[\u2013\u2014-]+\s*(?:\w+ ){0,2}\d")
_SPAN_OF_YEARS = re.compile(rf"{_LIFE.pattern}|\d to (?:\w+ ){{0,2}}\d")


def tells_another_event(question: str, sentence: str) -> bool:
    """Whether a sentence tells another event than a question asks about, mostly the opposite, and not that itself.

    >>> tells_another_event("When did the mill close?", "The mill was opened in 1874.")
    True
    >>> tells_another_event("When did the mill close?", "The mill, opened in 1874, was closed in 1912.")
    False
    >>> tells_another_event("When did Ada Dahl die?", "Ada Dahl became the mayor in 1874.")
    True
    """
    if any(asked.search(question) and not told.search(sentence) for asked, told in _NEEDED):
        return not _LIFE.search(sentence)
    if _CAUSE_ASKED.search(question):
        return _CURE_TOLD.search(sentence) is not None and _CAUSE_TOLD.search(sentence) is None
    if _SPAN_OF_YEARS.search(sentence):
        return False
    return any(
        asked.search(question) and not other.search(question) and other.search(sentence) and not asked.search(sentence)
        for asked, other in _OPPOSITES
    )
