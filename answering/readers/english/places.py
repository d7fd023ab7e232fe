"""Whether a place is another than the one that a question asks for. English.

The figures are of 79,865 right answers of the training sets and of SQuADShifts, unless others are named.
"""

import re

from answering.judges.quotes import sentence_at
from answering.questions.answer_type import content_words
from answering.readers.english.countries import is_country_and_no_city, may_name_a_country, names_countries
from answering.readers.english.measures import whole_name
from answering.text import without_accents

# The capital of Malta is Valletta; Valletta is the capital of Malta.
_BEFORE_CAPITAL = re.compile(
    r"\b[cC]apital(?: city)?(?: of (?:the )?[A-Z][\w' -]{0,60})?(?:,? (?:is|was)|:)(?: name:)?(?: [a-z]+)?\s$"
)
_BEHIND_CAPITAL = re.compile(r",? (?:is|was|became),? (?:[\w-]+ )?the (?:\w+ )?capital(?: city)? of\b")
_LONGEST_LABEL = 120
_MOST = re.compile(r"\b(?:most|\w{3,}est)\b", re.IGNORECASE)
_OF_TOWNS = re.compile(
    r"\b(?:capit[ao]ls?|city|cities|towns?|seat|metropolis|municipality|cent(?:re|er)|located|situated|govern\w*"
    r"|headquarter\w*)\b",
    re.IGNORECASE,
)
_NAME = r"[A-Z][\w'\u2019.-]*(?: (?:of (?:the )?)?[A-Z][\w'\u2019.-]*){0,6}"
# Location of Peru: Western South America, between Chile and Ecuador. Not: a war between Chile and Peru.
_LIES_BETWEEN = re.compile(
    r"(?:[,;:(]|\b(?:located|situated|nestled|lies|lying|sits)) between "
    rf"(?:the )?(?P<first>{_NAME}),? and (?:the )?(?P<second>{_NAME})"
)
_BETWEEN = re.compile(r"\bbetween\b", re.IGNORECASE)
_WHICH = r"\b(?:which|what) (?:(?!(?:is|are|was|were|do|does|did|of|in|an?|the|between)\b)[\w'-]+ ){0,3}"
# Not: what country singer, which country's president, which two countries' war.
_COUNTRY_ASKED = re.compile(
    rf"{_WHICH}(?:countr(?:y|ies)|nations?)\b"
    r"(?!['\u2019]| (?:singer|music\w*|star|artist|club|song|house|code|estate|band)s?\b)",
    re.IGNORECASE,
)
# The North Sea; Gulf of Aden; Eastern Africa, south of Egypt; not South Africa.
_NO_COUNTRY = re.compile(
    r"(?:[A-Z][\w ]*: )?(?:the )?(?:.*\b(?:Ocean|Sea|Gulf|Bay|Channel|River|Lake|Strait)|(?:Gulf|Bay|Strait) of\b.*"
    r"|(?!South Africa)(?:(?:Middle|Central|(?:North|South|East|West)[a-z]*(?:-Central)?) ){1,2}"
    r"(?:Africa|America|Asia|Europe)(?:,.*)?)",
    re.DOTALL,
)
_CITY_ASKED = re.compile(rf"{_WHICH}(?:city|town|village)\b(?!['\u2019])", re.IGNORECASE)


def is_other_place(question: str, passage: str, start: int, end: int) -> bool:
    """Whether characters [start, end) of the passage are a capital where none is asked for, the place on the other side
    of what lies between it and one in the question, or no country or city where one is asked for.
    """
    return (
        _is_of_another_kind(question, passage[start:end], passage)
        or _is_beyond(question, passage, start, end)
        or _is_other_capital(question, passage, start, end)
    )


def _is_other_capital(question: str, passage: str, start: int, end: int) -> bool:
    """Whether the passage gives it as a capital, and no town is asked for, or the largest of which its sentence says
    nothing. It hides none of 80,603 right answers (SQuAD, SQuADShifts, XQuAD, NQ, QAMR, HotpotQA), of which five are
    given so.
    """
    is_of_most = _MOST.search(question) and not _MOST.search(sentence_at(passage, start, end).text)
    if _OF_TOWNS.search(question) and not is_of_most:
        return False
    start = whole_name(passage, start)
    before = passage[max(start - _LONGEST_LABEL, 0) : start]
    return _BEFORE_CAPITAL.search(before) is not None or _BEHIND_CAPITAL.match(passage, end) is not None


def _is_beyond(question: str, passage: str, start: int, end: int) -> bool:
    """Whether the passage says of something that it lies between this and what the question names: which countries
    border Ecuador is not answered by Chile. One right answer stands so, a game, between Australia and New Zealand.
    """
    if _BETWEEN.search(question):
        return False
    asked = content_words(without_accents(question))
    for lying in _LIES_BETWEEN.finditer(passage):
        for own, other in (("first", "second"), ("second", "first")):
            is_within = lying.start(own) <= start and end <= lying.end(own)
            if is_within and content_words(without_accents(lying[other])) <= asked:
                return True
    return False


def _is_of_another_kind(question: str, answer: str, passage: str) -> bool:
    """Whether a country is asked for and this names none, or a city, and it is the name of a country.

    A passage that names no country of today may be on others, of a novel. It hides 14 of 459 right answers to
    questions for countries, none of which is one today, and none of 288 to questions for cities.
    """
    if _COUNTRY_ASKED.search(question):
        is_real = names_countries(passage)
        return _NO_COUNTRY.fullmatch(answer) is not None or (is_real and not may_name_a_country(answer))
    return _CITY_ASKED.search(question) is not None and is_country_and_no_city(answer)
