"""Subjects that a question only describes: the capital of Peru, the country west of it, its second president. English.

A reader finds the capital, or the president, of what is named.
"""

import re

from answering.questions.answer_type import AnswerType, content_words, expected_answer_type

_OFFICE = (
    "capital|president|prime minister|king|queen|emperor|mayor|governor|minister|chancellor|leader|wife|husband|pope"
)
# The population of the capital of Peru is not that of Peru.
_ONE = (
    rf"{_OFFICE}|father|mother|son|daughter"
    r"|(?:largest|biggest|smallest|oldest|highest|longest|tallest|deepest) \w+"
)
_BELONGING = re.compile(
    rf"\bthe (?P<one>{_ONE})(?: city)? of (?:the )?[A-Z]|\b[A-Z][\w'-]*['\u2019]s (?P<own>{_ONE})\b(?!\W*$)"
)
_NUMBERS = frozenset({AnswerType.YEAR, AnswerType.DATE, AnswerType.QUANTITY, AnswerType.COUNT})
# The capital of the country west of Peru.
_PLACED = re.compile(
    r"\b(?:of|in) (?:the|an?) (?:[\w-]+ )?(?:country|state|nation|city|town|village|island|region|province|capital) "
    r"(?:(?:that|which|is|lies|located|just|directly|to|the) )*"
    r"(?P<where>north|south|east|west|next|near|clos|adjacent|opposite|beside|border|neighbou?r|across)\w*",
    re.IGNORECASE,
)
# The capital of the capital of Peru.
_TWICE = re.compile(r"\b(?P<noun>[a-z]{4,}) of the (?P=noun) of\b")
_IN_ORDER = re.compile(rf"\b(?P<which>second|third|fourth|former|previous) (?:\w+ )?(?:{_OFFICE})\b", re.IGNORECASE)
_ORDER_SAID = {
    "second": re.compile(r"second|2nd|\bii\b|succe|replac|two|after|then|next|other"),
    "third": re.compile(r"third|3rd|\biii\b|three|after|then"),
    "fourth": re.compile(r"fourth|4th|\biv\b|four|after|then"),
    "former": re.compile(r"former|until|used to|previous|moved|replaced|ex-|once|before|old|\bwas\b|late|served"),
    "previous": re.compile(r"previous|former|before|until|earlier|prior|last|\bwas\b"),
}


class DescribedSubject:
    """What a question says of its subject, which the sentence of an answer has to say too.

    A number of what belongs to somebody stands beside that (of 12 such questions of the training sets one loses its
    right answer); where something lies is said; and which of several in an order (none of nine is lost).

    >>> DescribedSubject("Who is the second president of Peru?").allows("Its president is Ada Dahl.")
    False
    """

    def __init__(self, question: str) -> None:
        belonging = _BELONGING.search(question) if expected_answer_type(question) in _NUMBERS else None
        self._belonging = content_words(belonging["one"] or belonging["own"]) if belonging else frozenset[str]()
        placed, twice, order = (pattern.search(question) for pattern in (_PLACED, _TWICE, _IN_ORDER))
        self._place = placed["where"].lower() if placed else ""
        self._twice = twice["noun"] if twice else ""
        self._order = _ORDER_SAID[order["which"].lower()] if order else None

    def allows(self, text: str) -> bool:
        """Whether a text, of an answer its sentence, says of it what the question does."""
        said = text.lower()
        if self._belonging and self._belonging.isdisjoint(content_words(text)):
            return False
        if self._order and not self._order.search(said):
            return False
        return self._place in said and (not self._twice or said.count(self._twice) > 1)
