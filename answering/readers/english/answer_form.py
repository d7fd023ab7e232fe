"""The form of what some questions ask for, such as a share or a calling code. English."""

import re

from answering.judges.quotes import sentence_at
from answering.questions.answer_type import content_words
from answering.text.sentences import line_at

_OF_A_SHARE = (
    r"%|\bper ?c|\b(?:half|halves|thirds?|quarters?|fifths?|tenths?|majority|most|all|none|zero|every|ratio)\b"
    r"|\b(?:in|of) (?:\d|every|ten|five|four|three)|\d/\d|(?<!\d)0?\.\d"
)
# What is asked for, the form that it has, and how many characters behind an answer may belong to it. Of 304 right
# answers to such questions of the training sets one has none.
_FORMS = tuple(
    (re.compile(asked, re.IGNORECASE), re.compile(form, re.IGNORECASE), behind)
    for asked, form, behind in (
        (
            r"\b(?:what|which) (?:percent(?:age)?|per cent|share|proportion)\b",
            _OF_A_SHARE,
            12,
        ),
        (
            r"\bwhat(?:['\u2019]s| is)? (?:the )?(?:[\w-]+ )?(?:calling|dial\w*|\w*phone|area|post\w*|zip) code\b",
            r"\d",
            0,
        ),
        (
            r"\b(?:incubation|gestation|isolation|quarantine|recovery|waiting|notice) (?:period|time)\b",
            r"\b(?:second|minute|hour|day|week|month|year)s?\b",
            12,
        ),
        (
            r"\b(?:what|which) continent\b",
            r"\b(?:africa|asia|europe|eurasia|america|oceania|austral|antarctic|gondwana|pangaea)",
            0,
        ),
        (
            r"\bwhat(?:['\u2019]s| is| was) the (?:\w+ )?life expectancy\b",
            r"(?<![\d,.])\d{2}(?:\.\d+)?(?![\d,%]| ?(?:m|b|tr)illion)",
            9,
        ),
        (
            r"\bwhat(?:['\u2019]s| is| are| was) (?:the |an? )?(?:[\w-]+ ){0,4}dos(?:e|es|age)\b",
            r"\d|\b(?:one|two|three|four|five|six|half|single|double)\b",
            12,
        ),
        (r"\b(?:internet|web|top-level) (?:country )?(?:code|domain|suffix)\b|\btld\b", r"\.\w\w", 0),
        (
            r"\bwhat(?:['\u2019]s| is) the (?:current |local |exact )?time (?:now |right now )?in\b",
            r"\d[:.h]\d\d(?!\d)|\b(?:am|pm|utc|gmt|noon|midnight|hours?)\b|o['\u2019]clock",
            6,
        ),
        (
            r"\b(?:what|which)(?:['\u2019]s| is)? (?:the )?time ?zone\b",
            r"\b(?:utc|gmt|(?-i:[A-Z]{1,4}T)|time|hours?|pacific|mountain|central|eastern|atlantic)\b|[+-]\d",
            0,
        ),
    )
)

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DATE = re.compile(rf"(?:{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? |(?:\d{{1,2}} )?{_MONTH},? )\d{{4}}", re.IGNORECASE)
# Of 569 right answers that are dates four are none to a question of a time, and none stands alone on its line. Where
# a label stands on the line above, all words of it are in the question.
_OF_TIMES = re.compile(
    r"\b(?:when|dates?|days?|time|deadline|years?|months?|until|since|period|anniversary|birthday|releas\w+|how)\b",
    re.IGNORECASE,
)
# Medically reviewed by Ole Lund, By Ada Dahl on June 27, 2018. None of 13,053 right answers that are names stands so
# where nobody asks who wrote it.
_BEFORE_AUTHOR = re.compile(
    r"(?:(?:^|[\n|\u2022\u00b7\u2013\u2014-] ?|[.!?] )By|\b[Mm]edically reviewed by|\b[Ff]act[- ]checked by)"
    r"(?: [A-Z][\w.'\u2019-]+,?){0,3} $"
)
_BEHIND_AUTHOR = re.compile(
    rf"[^;\n]{{0,40}}?(?:\b{_MONTH} \d{{1,2}}\b|\b\d{{1,2}} {_MONTH}|\d{{1,2}}/\d)", re.IGNORECASE
)
_OF_AUTHORS = re.compile(
    r"\b(?:writ\w+|wrote|authors?|review\w*|publish\w*|posted|edit\w*|articles?|by)\b", re.IGNORECASE
)
# GDP per capita: each of six right answers stands in a sentence that says so.
_PER_HEAD = re.compile(r"\bper (?:capita|person|head)\b", re.IGNORECASE)
_SAYS_PER_HEAD = re.compile(
    r"\bper (?:capita|person|head|inhabitant|resident|citizen|household)\b|\b(?:each|every)\b|\ba person", re.IGNORECASE
)
_WATERS_AND_LANDS = r"river|lake|sea|ocean|mountain|bay|gulf|strait|canal|island|desert"
_WHICH_OF_THEM = re.compile(rf"\b(?:which|what) (?:[\w-]+ )?(?P<kind>{_WATERS_AND_LANDS})\b", re.IGNORECASE)
_OF_THEM = re.compile(rf"\b(?P<kind>{_WATERS_AND_LANDS})s?\b", re.IGNORECASE)


def has_form(question: str, passage: str, start: int, end: int) -> bool:
    """Whether an answer has the form of what is asked for, such as that of a share or a calling code.

    >>> has_form("What is the internet domain of Qatar?", "Arabic is spoken; .qa is the domain.", 0, 6)
    False
    """
    before = max(start - 1, 0)
    if _DATE.fullmatch(passage, start, end) and _says_when_it_was_written(question, passage, start, end):
        return False
    if _PER_HEAD.search(question) and not _SAYS_PER_HEAD.search(sentence_at(passage, start, end).text):
        return False
    if _wrote_the_page(question, passage, start, end):
        return False
    return not _is_of_another_kind(question, passage[start:end]) and all(
        form.search(passage[before : end + behind]) for asked, form, behind in _FORMS if asked.search(question)
    )


def _is_of_another_kind(question: str, answer: str) -> bool:
    """Whether it calls itself a lake where a river is asked for. It hides two of 118 right answers."""
    asked = _WHICH_OF_THEM.search(question)
    kinds = {match["kind"].lower() for match in _OF_THEM.finditer(answer)}
    return asked is not None and bool(kinds) and asked["kind"].lower() not in kinds


def _wrote_the_page(question: str, passage: str, start: int, end: int) -> bool:
    """Whether a line names somebody, with a date, as who wrote or reviewed the page, and no author is asked for."""
    written = _BEFORE_AUTHOR.search(passage[max(start - 80, 0) : start]) and _BEHIND_AUTHOR.match(passage, end)
    return written is not None and not _OF_AUTHORS.search(question)


def _says_when_it_was_written(question: str, passage: str, start: int, end: int) -> bool:
    """Whether a date is alone on its line, as that of a page, and not labelled, or the question asks for no time."""
    first, last = line_at(passage, start)
    label = passage[:first].rstrip("\n").rpartition("\n")[2]
    labelled = frozenset() < content_words(label) <= content_words(question)
    is_alone = not (passage[first:start] + passage[end:last]).strip(" .,|-\n") and not labelled
    return is_alone or not _OF_TIMES.search(question)
