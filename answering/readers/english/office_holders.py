"""Who holds an office is nobody who has left it, is to get it, or holds another: not the ousted speaker, not the
nominee, not the deputy. English.
"""

import re
from itertools import combinations

# Who is the mayor, who's mayor, who leads Lyng; not: who is Ada Dahl.
_ASKS_FOR_HOLDER = re.compile(
    r"\b[Ww]ho(?:(?:['\u2019]s| is| are)(?: now| currently)? (?![A-Z])"
    r"| (?:now |currently )?(?:leads|heads|runs|owns|chairs|governs)\b)"
)
_REMOVED = "ousted|removed|deposed|dismissed|unseated|toppled|replaced|succeeded|fired|sacked|axed|voted out|forced out"
_LEFT = "stepped down|steps down|resign(?:s|ed)|retire[sd]|died|lost (?:his|her|their|the) (?:job|post|seat|office)"
_STANDS = "nominees?|candidates?|contenders?|hopefuls?|presumptive"
_ASKS_FOR_OTHERS = re.compile(
    rf"\b(?:first|former|previous|last|when|[12]\d{{3}}|{_REMOVED}|{_LEFT}|{_STANDS}|nominat\w+|elections?|running|seeking"
    r"|(?:step|resign|retir|leav|dy)ing)\b",
    re.IGNORECASE,
)
_REMOVES = (
    r"(?:oust|remov|depos|dismiss|unseat|toppl|replac|succeed|sack)(?:e|es|s|ed|ing)?|fired|nominat(?:e|es|ed|ing)"
)
# The former mayor Ada Dahl; they voted to remove Mayor Ada Dahl; they nominated Ada Dahl.
_BEFORE = re.compile(
    rf"\b(?:former|ex|previous|outgoing|{_REMOVES}|{_STANDS})"
    r"[ -](?:(?:(?!by\b|with\b|was\b)[\w'\u2019.-]+|\([^)]*\)),? ){0,5}$",
    re.IGNORECASE,
)
# Ole Lund moved to oust Mayor Ada Dahl, where all of it is the answer.
_INSIDE = re.compile(rf"\b(?:{_REMOVES})\b", re.IGNORECASE)
# Ada Dahl's council was divided, and in 2003 she was ousted.
_LATER_REMOVED = re.compile(
    rf"['\u2019]s\b[^.;\n]{{0,120}}\b(?:he|she) (?:was|had been) (?:\w+ )?(?:{_REMOVED})\b", re.IGNORECASE
)
# Ada Dahl (Lyng), the mayor, was ousted; Ada Dahl is the first mayor to be removed; Ada Dahl won the nomination.
_BEHIND = re.compile(
    r"(?!['\u2019]s\b)(?:(?!\b(?:after|when|since|because|whom|by|and|but)\b|\. [A-Z])[^;\n]){0,80}?"
    rf"\b(?:(?:was|were|is|been|being|be|got) (?:\w+ )?(?:{_REMOVED})|(?:ousted|removed|sacked) (?:as|from)|{_LEFT}"
    r"|will (?:step down|resign|retire)|nominated (?:[a-z]+ ){0,2}(?:to|for|as)\b|running for"
    r"|(?:w[io]ns?|secure[sd]?|seeks?|sought|lost|accept\w*) (?:\w+ ){0,3}nomination"
    rf"|(?:the|a|their|its) (?:\w+ ){{0,3}}(?:{_STANDS}))\b"
)
_OFFICE = (
    r"minister|secretary|president|chancellor|premier|mayor|governor|executive|officer|director"
    r"|chief(?! (?:executive|\w+ officer)\b)|chair(?:man|woman|person)?|king|queen"
    r"|ambassador|commissioner|speaker|head|leader"
)
_OFFICE_ASKED = re.compile(rf"(?P<of>(?:[\w'\u2019-]+[ -]){{0,2}})(?P<office>{_OFFICE})\b", re.IGNORECASE)
# The deputy mayor Ada Dahl; Ada Dahl, the deputy mayor of Lyng.
_OFFICE_BEFORE = re.compile(rf"(?P<of>(?:[\w'\u2019-]+[ -]){{0,2}})(?P<office>{_OFFICE}),? $", re.IGNORECASE)
_OFFICE_BEHIND = re.compile(
    rf"(?:,|,? (?:is|was)) (?P<of>(?:[\w'\u2019-]+[ -]){{0,4}}?)(?P<office>{_OFFICE})\b(?! is)", re.IGNORECASE
)
_ASKS_FOR_NAME = re.compile(
    rf"\bwhat(?:['\u2019]s| is) the name of (?:the )?(?:[\w-]+ ){{0,3}}?(?:{_OFFICE})\b", re.IGNORECASE
)
# In the training sets 19 right answers to who was the first of some are said to be within 73 characters; of the 10 that
# held an office three are not said to be so at all.
_ASKS_FOR_FIRST = re.compile(rf"\bwho (?:is|was|were) the first (?:\w+ )?(?:{_OFFICE})\b", re.IGNORECASE)
_SAID_TO_BE_FIRST = re.compile(r"\b(?:first|1st|founding|founder|inaugural|initial|earliest)\b", re.IGNORECASE)
_LOWER = frozenset({"vice", "deputy", "assistant", "associate", "shadow"})
_NEVER_BOTH = {frozenset(both) for both in combinations(("king", "queen", "president"), 2)}
_NEVER_PRIME = frozenset({"king", "queen", "president", "mayor", "governor"})
# Of one kind there are several, which what stands before tells apart.
_SEVERAL = frozenset({"minister", "secretary", "officer"})
_ARTICLES = frozenset({"the", "a", "an"})
_ONLY = frozenset({"executive", "president", "king", "queen", "mayor", "governor", "chancellor", "premier"})
# Characters before a name; behind it as many. Half and double hide as many right answers of the training sets, and
# find 26 and 27 of 33 web pages on an ousting (27), those on which the rule was written.
_WITHIN = 80


def is_no_holder(question: str, passage: str, start: int, end: int) -> bool:
    """Whether a question asks who holds an office now, and the passage says that [start, end) has left one, stands for
    one, or holds another; or it asks who was the first, and the passage does not say that of [start, end). Of 1,632
    right answers to such questions of the training sets it hides thirteen.

    >>> passage = "Mayor Ada Dahl was ousted; Ole Lund is the mayor."
    >>> is_no_holder("Who is the mayor?", passage, 6, 14), is_no_holder("Who is the mayor?", passage, 27, 35)
    (True, False)
    >>> is_no_holder("Who was ousted as the mayor?", passage, 6, 14)
    False
    """
    if _ASKS_FOR_FIRST.search(question):
        return not _SAID_TO_BE_FIRST.search(passage, max(start - _WITHIN, 0), end + _WITHIN)
    asks = _ASKS_FOR_HOLDER.search(question) or _ASKS_FOR_NAME.search(question)
    if not asks or _ASKS_FOR_OTHERS.search(question):
        return False
    if _holds_other(question, passage, start, end):
        return True
    inside = _INSIDE.search(passage, start, end)
    before = _BEFORE.search(passage[max(start - _WITHIN, 0) : start])
    behind = _BEHIND.match(passage, end) or _LATER_REMOVED.match(passage, end)
    return inside is not None or before is not None or behind is not None


def _holds_other(question: str, passage: str, start: int, end: int) -> bool:
    """Whether the passage gives somebody the office of a deputy, of another minister, or of a queen or president where
    the king is asked for.
    """
    asked = _OFFICE_ASKED.search(question)
    if asked is None:
        return False
    stated = (
        _OFFICE_BEFORE.search(passage[max(start - _WITHIN, 0) : start]),
        _OFFICE_BEHIND.match(passage, end),
        _OFFICE_ASKED.search(passage, start, end),
    )
    # A passage that names both is not one of a president who leads the government.
    names_both = _kind(asked) == "prime" and "prime minister" in passage.lower()
    if names_both and any(office and office["office"].lower() == "president" for office in stated):
        return True
    return any(_is_other(asked, office, question) for office in stated if office)


def _is_other(asked: re.Match[str], stated: re.Match[str], question: str) -> bool:
    office, other = asked["office"].lower(), stated["office"].lower()
    words, said = set(re.findall(r"\w+", question.lower())), set(re.findall(r"\w+", stated["of"].lower()))
    is_lower = bool(_LOWER & set(re.findall(r"\w+", asked["of"].lower())))
    if (_LOWER & said) - words or (is_lower and office == other and not _LOWER & said):
        return True
    if frozenset({office, other}) in _NEVER_BOTH and other not in words:
        return True
    kind, other_kind = _kind(asked), _kind(stated)
    if other_kind == "prime" and office in _NEVER_PRIME and "prime" not in words:
        return True
    if office in _SEVERAL and other in _ONLY:
        return kind not in {"", "prime"} and other not in words
    if other not in _SEVERAL or not other_kind or other_kind in words:
        return False
    return bool(kind) if office == other else office in _ONLY and other_kind != "prime"


def _kind(office: re.Match[str]) -> str:
    """Of which kind a minister is, if it is said."""
    words = office["of"].lower().split()
    return words[-1] if words and words[-1] not in _ARTICLES else ""
