"""The answer type that a question expects, and its content words. English."""

import re
from enum import StrEnum

from answering.equivalence import find_unit
from answering.text import word_set

FUNCTION_WORDS = word_set(
    """a about after all also an and any are as at be because been before but by can could did do does during each for
    from had has have he her here his how if in into is it its may me more most must no not now of on once one's only
    or other our out over she since so some such than that the their them then there these they this those through to
    under until up was we were what when where which while who whom whose why will with would you your"""
)


class AnswerType(StrEnum):
    """The kind of answer that a question expects."""

    QUANTITY = "quantity"
    COUNT = "count"
    YEAR = "year"
    DATE = "date"
    NAME = "name"
    PROPER_NAME = "proper_name"
    YES_NO = "yes_no"
    REASON = "reason"
    MANNER = "manner"
    THING = "thing"


_PATTERNS: tuple[tuple[AnswerType, re.Pattern[str]], ...] = (
    (
        AnswerType.QUANTITY,
        re.compile(
            r"\bhow (tall|long|high|heavy|far|old|deep|large|big|fast|wide|thick|much|hot|cold)\b"
            r"|\bwhat (is|was|are|were) the ((\w+ )?(mean|average|maximum|minimum|total|top|highest|lowest) )?(\w+ )?"
            r"(height|length|weight|depth|width|distance|speed|area|size|age|price|cost|fee|fare|capacity|volume"
            r"|temperature|rainfall|altitude|elevation|gauge|duration|output|power|salary|budget)\b"
            r"|\bwhat(['\u2019]?s| is| was) the (\w+ ){0,2}(gdp|gnp|gross (domestic|national) product|income|revenue"
            r"|debt|inflation|literacy|deficit|\w+ expectancy|\w+ density|\w+ rate) (of|in|for) \w"
            r"|\b(what|which) (height|length|weight|depth|width|distance|speed|price|temperature)\b"
            r"|\bwhat(['\u2019]?s| is| was| are) (an? |the |your |my )?(\w+ )?(normal|healthy|average|ideal|typical"
            r"|safe|recommended|maximum|minimum|resting|optimal|good) ([\w-]+ ){0,2}(rate|temperature|pressure|bmi"
            r"|body mass index|weight|count|dose|dosage|height|pulse|intake|level)s?"
            r"(?=\W*$| (of|for|in|at|to|during|when)\b)"
        ),
    ),
    (
        AnswerType.COUNT,
        re.compile(r"\bhow (many|often)\b|\bwhat (is|was|are|were) the (number|population|share|percentage)\b"),
    ),
    (AnswerType.YEAR, re.compile(r"\b(what|which) (year|century)\b")),
    (AnswerType.DATE, re.compile(r"\bwhen\b|\b(what|which) (date|day|month)\b")),
    (
        AnswerType.NAME,
        re.compile(r"\bwho(m|se)?\b|\bwhere\b"),
    ),
    (
        AnswerType.PROPER_NAME,
        re.compile(
            r"\b(what|which) ((?!(is|was|are|were|do|does|did|has|had|can|will|of|in|to|on|for|from|the|a|an|kind|type"
            r"|happened|percent|percentage)\b)[\w\u2019'-]+ ){0,4}"
            r"(country|city|town|village|state|county|province|continent|company|university|club|team|band|newspaper"
            r"|actor|actress|singer|player|golfer|politician|lawmaker|president|minister|contender|candidate|celebrity"
            r"|author|writer|artist|composer|director|scientist|leader|organi[sz]ation|publication|airline|airport)\b"
            r"|\b(what|which)(['\u2019]?s| is| was) the ([\w'-]+ ){0,2}(\w{3,}est|most \w+|first|last|second|third"
            r"|main) (\w+ )?(mountain|peak|river|lake|island|volcano|waterfall|desert|glacier|city|town|village"
            r"|country|state|province|county|continent|airport|university|airline|newspaper|park|port)\b"
            r"(?! [a-z]+ (is|was|of)\b)"
            r"|\b(what|which)(['\u2019]?s| is| was) the (highest|lowest) (natural |geographic(al)? )?point (of|in|on)\b"
            r"|\b((what|which)(['\u2019]?s| is| was)? )?(the |^)capital( city)? of\b"
            r"|\b(what|which)(['\u2019]?s| is| was) (?!the )[^?]{1,60}['\u2019]s capital( city)?\W*$"
            r"|^(?!(?:what|which|is|was|the|a)\b)([\w\u2019'-]+ ){1,4}capital( city)?\W*$"
        ),
    ),
    (
        AnswerType.YES_NO,
        re.compile(r"^(is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|must|shall) (?!.*\bor\b)"),
    ),
    (AnswerType.REASON, re.compile(r"\bwhy\b|\bhow come\b|\bfor what reason\b")),
    (
        AnswerType.MANNER,
        re.compile(r"\bhow (do|does|did|is|are|was|were|has|have|had|can|could|will|would|should|may|might|must|to)\b"),
    ),
    (AnswerType.THING, re.compile(r"\b(what|which)\b")),
)


_SEVERAL = re.compile(
    r"^(?:name|list|enumerate) (?!an? |one |the (?:most |\w+est )|any |your )|\b(?:who|what|which) (?:are|were)\b"
    r"|\b(?:what|which|whose) (?:other |the )?(?:two|three|four|five|six|seven|eight|nine|ten|\d+)\b"
    r"|\b(?:what|which) (?!is\b|was\b|does\b|has\b)(?:[\w'-]+ )?(?!(?:is|was|does|has|this|its|his)\b)"
    r"(?!news\b)\w+(?:[^su'i]s|ies)\b"
)
# When the ship sank, who was aboard?
_CONDITION = re.compile(
    r"^(?:when|where|while|if) (?!(?:do|does|did|is|are|was|were|will|would|can|could|has|have|had|should)\b)"
    r".*?[ ,]((?:who|whom|whose|what|which|how|why)\b)"
)

_PRESENT = re.compile(r"\b(?:is|are|does|do|has|have)\b|\b(?:who|what|where|how)['\u2019]s\b", re.IGNORECASE)
_PAST = re.compile(r"\b(?:was|were|did|had|been|when|first|[12]\d{3})\b", re.IGNORECASE)

_AUXILIARIES = "is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|must|shall"
_WH_WORDS = "who|whom|whose|what|which|when|where|why|how"
# Can you please; do you know; tell me who.
_WHO_IS_ASKED = "(?:you|any(?:one|body)|some(?:one|body))"
_ASKING = "tell (?:me|us)|say|explain|describe|find out|let me know"
_POLITENESS = re.compile(
    rf"^(?:please,? )?(?:(?:can|could|would|will) {_WHO_IS_ASKED} (?:please |kindly |be so (?:kind|good) as to )?"
    rf"(?=(?:{_ASKING}|name|list|enumerate|give)\b)|do(?:es)? {_WHO_IS_ASKED} (?:happen to )?know\b"
    r"|(?:i|we)(?:'d| would)? (?:want|need|like|love) to know\b|(?:may|might|can|could) (?:i|we) ask\b|i wonder\b)\s*",
    re.IGNORECASE,
)
_NUMERAL = re.compile(r"^\(?(?:\d{1,2}[.)]|[a-z]\))\s+(?=\S)", re.IGNORECASE)
_REQUEST = re.compile(rf"^(?:please,? )?(?:{_ASKING}) (?=(?:{_WH_WORDS}|if|whether)\b)", re.IGNORECASE)
# Isn't it old? asks whether it is old; didn't mean to asks nothing.
_NEGATIVE = re.compile(
    r"^(is|are|was|were|do|does|did|has|have|had|could|would|should)n['\u2019]?t\b(?=.*\?\s*$)", re.IGNORECASE
)
_TRUE_OR_FALSE = re.compile(
    r"^(?:is (?:it|this) )?true or false\b(?: that\b)?[:,.?!\s-]*(?P<behind>\w.*?)[.?!]*$"
    r"|^(?!(?:who|what|which|how|why)\b)(?P<before>.*?\w)[.,:;!?]?\s+(?:is (?:it|this|that) )?true or false\W*$",
    re.IGNORECASE | re.DOTALL,
)
# The mill is old, as a question: is the mill old. Not: the mill that is old burnt.
_STATED = re.compile(
    r"(?P<subject>(?:(?!(?:who|that|which|where|if|when)\b)[\w'\u2019-]+ ){1,5})(?P<verb>is|are|was|were) (?P<rest>.+)",
    re.IGNORECASE | re.DOTALL,
)
_WHETHER = re.compile(r"^(?:if|whether)\b", re.IGNORECASE)
# In 1931, was the bridge opened?
_INTRODUCTION = re.compile(
    r"^(?P<introduction>(?:in|on|at|after|before|during|according to|by|since|until|when|while|under|despite)\b"
    rf"(?! (?:{_AUXILIARIES}|{_WH_WORDS})\b)[^,?]{{1,80}}), (?P<rest>(?:{_AUXILIARIES}) (?!.*\b(?:{_WH_WORDS})\b).*)",
    re.IGNORECASE | re.DOTALL,
)


def direct_question(question: str) -> str:
    """The question without a numeral and the words that ask for its answer, its verb first if it wants yes or no.

    >>> direct_question("Can you tell me who built the mill?")
    'who built the mill?'
    >>> direct_question("Do you know whether the mill is old?"), direct_question("In 1874, was the mill built?")
    ('Is it true that the mill is old?', 'was the mill built In 1874?')
    """
    question = _NUMERAL.sub("", question.strip().replace("(s)", "s"))
    asked = _REQUEST.sub("", _POLITENESS.sub("", question)) or question
    if asked != question:
        asked = _WHETHER.sub("Is it true that", asked)
    asked = true_or_false(asked)
    asked = _NEGATIVE.sub(r"\1", asked)
    parts = _INTRODUCTION.match(asked)
    return f"{parts['rest'].rstrip(' ?')} {parts['introduction']}?" if parts else asked


def true_or_false(question: str) -> str:
    """A statement that is asked to be true or false, as a question for yes or no; any other text as it is.

    >>> true_or_false("True or false: Kenya is flat."), true_or_false("Kenya has hills. True or false?")
    ('is Kenya flat?', 'Is it true that Kenya has hills?')
    """
    stated = _TRUE_OR_FALSE.match(question)
    if stated is None:
        return question
    statement = stated["behind"] or stated["before"]
    asked = _STATED.sub(r"\g<verb> \g<subject>\g<rest>", statement, count=1)
    return f"Is it true that {statement}?" if asked == statement else f"{asked}?"


def expected_answer_type(question: str) -> AnswerType:
    """The type of answer that a question expects: the one whose words come first in it.

    How many tonnes is a quantity, how many boats a count; what did she carry when she sank asks what, not when.
    """
    folded = _CONDITION.sub(r"\1", question.lower())
    matches = ((answer_type, pattern.search(folded)) for answer_type, pattern in _PATTERNS)
    starts = {answer_type: match.start() for answer_type, match in matches if match}
    answer_type = min(starts, key=lambda matched: starts[matched], default=AnswerType.THING)
    return AnswerType.QUANTITY if answer_type is AnswerType.COUNT and _counts_units(folded) else answer_type


def asks_for_several(question: str) -> bool:
    """Whether a question wants a list of names or things.

    >>> asks_for_several("Which countries border Norway?"), asks_for_several("Which bird is on the flag?")
    (True, False)
    """
    return _SEVERAL.search(direct_question(question).lower()) is not None


def asks_of_now(question: str) -> bool:
    """Whether a question asks what is so now: in the present, and of no year.

    >>> asks_of_now("Who is the mayor of Esk?"), asks_of_now("Who was the mayor of Esk?"), asks_of_now("Who built Esk?")
    (True, False, False)
    """
    return _PRESENT.search(question) is not None and _PAST.search(question) is None


def content_words(text: str) -> frozenset[str]:
    """The stems of the words that carry meaning."""
    return frozenset(_stem(word) for word in re.findall(r"\w+", text.lower()) if word not in FUNCTION_WORDS)


def _stem(word: str) -> str:
    """The stem of a word: at most six letters without common endings; closed, closes and closing are clos."""
    word = word.removesuffix("s")
    word = word[:-1] if word.endswith("ed") else word
    word = word[:-3] if word.endswith("ing") and len(word) > 5 else word
    word = word[:-1] if word.endswith("e") and len(word) > 3 else word
    return (word[:-1] + "i" if word.endswith("y") else word)[:6]


def _counts_units(question: str) -> bool:
    counted = re.search(r"\bhow many (\w+)(?: (\w+))?", question)
    if counted is None:
        return False
    first, second = counted.groups()
    return any(find_unit(name) is not None for name in (first, f"{first} {second}") if len(name) > 2)
