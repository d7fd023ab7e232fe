"""Facts that sentences state: what in a clause could be asked for, where the rest says enough to ask. English."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from answering.equivalence import ValueKind, find_unit, parse_value
from answering.equivalence.values.number_words import CARDINAL_WORDS
from answering.questions.answer_type import FUNCTION_WORDS
from answering.questions.named_text import Name, NamedText
from answering.questions.writing.clauses import MONTH, PRONOUNS, VERB, WORD, clauses, is_plain, main_clause
from answering.text import word_set
from answering.text.normalisation import MONTHS, WEEKDAYS
from answering.text.ordinary_words import is_ordinary_word
from answering.text.sentences import sentences


class FactKind(StrEnum):
    """The kind of thing that a fact gives.

    >>> FactKind("year").name
    'YEAR'
    """

    YEAR = "year"
    DATE = "date"
    COUNT = "count"
    QUANTITY = "quantity"
    MONEY = "money"
    SHARE = "share"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact: the characters [start, end) of a clause, which is a sentence without its end mark, or a part of one."""

    sentence: str
    clause: str
    start: int
    end: int
    kind: FactKind

    @property
    def answer(self) -> str:
        """The answer with its unit, if it has one."""
        unit = _UNIT.match(self.clause, self.end) if self.kind is FactKind.QUANTITY else None
        return self.clause[self.start : unit.end() if unit else self.end]

    @property
    def before(self) -> str:
        return self.clause[: self.start]

    @property
    def after(self) -> str:
        return self.clause[self.end :]


_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = re.compile(rf"\b(?:{_DAY} {MONTH},? \d{{4}}|{MONTH} {_DAY}, \d{{4}})\b")
_YEAR = re.compile(r"(?<=\b[Ii]n )(?:1\d{3}|20\d\d)(?![\w%]|[-\u2013/,.]\d)")
_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
_SCALE = r"(?: (?:hundred|thousand|million|billion|trillion))?"
_MONEY = re.compile(rf"(?:US|A|C)?[$€£¥]\s?{_NUMBER}{_SCALE}(?![\w%])")
_SHARE = re.compile(rf"(?<![\w$€£¥.,-]){_NUMBER} ?(?:%|percent\b|per cent\b)")
_WORDED = "|".join(sorted((word for word in CARDINAL_WORDS if word not in {"one", "a", "zero"}), key=len, reverse=True))
_COUNT = re.compile(rf"(?<![\w$€£¥.,:/-])(?:{_NUMBER}{_SCALE}|(?:{_WORDED})(?:[ -](?:{_WORDED}))*)(?= [a-zà-öø-ÿ])")
_UNIT = re.compile(r" ([^\s,.;:()]+)")
# What is counted is in the plural, one word behind the number or two.
_COUNTED = re.compile(
    r" (?:[a-z-]+ )?(?:[^\W\d_]+s|people|men|women|children|sheep|cattle|feet|fish|staff|inhabitants)\b(?!-)"
)
_BARE_YEAR = re.compile(r"1\d{3}|20\d\d")
# Omega 3, the 27 member states, one in 8, at least 20, 5 to 10.
_NO_AMOUNT_BEFORE = re.compile(
    r"\A(?!(?:About|Almost|Around|Nearly|Only|Some|There|With)\b)[A-Z]\S* \Z|\w [A-Z]\S* \Z"
    r"|\b(?i:the|a|an|this|these|those|all|first|last|past|previous|final|remaining|additional|extra|new|next|top|types?|section"
    r"|chapter|version|number|no|covid|"
    r"of the|up to|aged?|to|and|or|between|than|least|most|another|other|every|phase|stage|grade|level|day|week|"
    r"step|over|under|about one in|(?:first|last|one|some|most) of) \Z"
    # One in 8, 13 of 20, from 5 to.
    rf"|\b(?i:\d+|{_WORDED}|one) (?:in|of|out of)(?: only| just)? \Z"
)
# Two days after what, nine years of age.
_NO_AMOUNT_BEHIND = re.compile(
    r" (?:of the |times |examples?\b|groups? of|or more|or fewer|or less|more |new |additional |other |further |extra )"
    rf"|(?: [a-z-]+){{0,2}} (?:to|and|or) (?:\d|(?:{_WORDED})\b)"
    r"| \w+ (?:and \w+ \w+|after|later|before|earlier|ago|into|old|of age|views?|in a row)\b"
)
# The $5 million hall.
_DETERMINED = re.compile(r"\b(?i:the|an?|this|these|those|first|last|past|final|additional|another|extra|new) \Z")
_NOT_BEHIND = {FactKind.SHARE: _NO_AMOUNT_BEFORE, FactKind.MONEY: _DETERMINED}
_DATE_WORDS = MONTHS | WEEKDAYS | word_set("jan feb mar apr jun jul aug sep sept oct nov dec")
_PART_BEHIND = re.compile(r"[-'\u2019./&]|,? (?:of|and|or|&) | for (?:the )?[A-Z]")
_PART_BEFORE = re.compile(r"[-'\u2019/]\Z|\b(?:and|or|&) \Z|\b[A-Z]\S* (?:of|for|on)(?: the)? \Z")
_NO_NAME = re.compile(r"[A-Z]{2,}s|\w{1,2}(?<![A-Z]{2})|.*(?:['\u2019]s?|\d.*|-[a-z]*(?:ed|free|like))")


def facts(text: str) -> list[Fact]:
    """The facts of a text, in its order."""
    return [
        fact
        for sentence in sentences(text)
        for clause in clauses(sentence)
        # Without a verb nothing in it is plain; to look for names takes most of the time.
        if VERB.search(clause)
        for fact in _facts_of(sentence, clause)
    ]


def answers_kind(answer: str, kind: FactKind) -> bool:
    """Whether an answer that a reader gave is of the kind of a fact: a time, an amount or a name.

    >>> answers_kind("1,340 m", FactKind.COUNT), answers_kind("in 1874", FactKind.YEAR)
    (True, True)
    >>> answers_kind("42", FactKind.NAME), answers_kind("Tora Myhre", FactKind.DATE)
    (False, False)
    """
    value = parse_value(answer)
    if kind is FactKind.NAME:
        return value is None and any(map(str.isupper, answer))
    if value is None:
        return False
    is_year = value.kind is ValueKind.NUMBER and _BARE_YEAR.fullmatch(value.text) is not None
    is_time = value.kind is ValueKind.DATE or is_year
    return is_time if kind in {FactKind.YEAR, FactKind.DATE} else value.kind is not ValueKind.DATE


def _facts_of(sentence: str, clause: str) -> Iterator[Fact]:
    for start, end, kind in sorted(_spans(clause)):
        main = main_clause(clause, end)
        if main is not None and is_plain(main) and _says_enough(fact := Fact(sentence, main, start, end, kind)):
            yield fact


def _spans(clause: str) -> Iterator[tuple[int, int, FactKind]]:
    taken: list[tuple[int, int]] = []

    def is_free(start: int, end: int) -> bool:
        return not any(start < other_end and other_start < end for other_start, other_end in taken)

    patterns = ((FactKind.DATE, _DATE), (FactKind.MONEY, _MONEY), (FactKind.SHARE, _SHARE), (FactKind.YEAR, _YEAR))
    for kind, pattern in patterns:
        for match in pattern.finditer(clause):
            if not is_free(*match.span()):
                continue
            taken.append(match.span())
            excluded = _NOT_BEHIND.get(kind)
            if excluded is None or not excluded.search(clause[: match.start()]):
                yield *match.span(), kind
    for match in _COUNT.finditer(clause):
        kind_of_count = _kind_of_count(clause, match)
        if kind_of_count is not None and is_free(*match.span()):
            yield *match.span(), kind_of_count
    for name in _names(clause):
        if is_free(name.start, name.end) and _is_whole(clause, name):
            yield name.start, name.end, FactKind.NAME


def _kind_of_count(clause: str, match: re.Match[str]) -> FactKind | None:
    word = _UNIT.match(clause, match.end())
    if word is None or word[1] in FUNCTION_WORDS or word[1] in MONTHS:
        return None
    if _NO_AMOUNT_BEHIND.match(clause, match.end()) or _NO_AMOUNT_BEFORE.search(clause[: match.start()]):
        return None
    if len(word[1]) > 1 and find_unit(word[1]) is not None:
        return FactKind.QUANTITY
    is_count = _COUNTED.match(clause, match.end()) and not _BARE_YEAR.fullmatch(match[0])
    return FactKind.COUNT if is_count else None


def _names(clause: str) -> Iterator[Name]:
    """The names in a clause, its first word too where that is no ordinary one."""
    named = NamedText(clause)
    first = named.words[0] if named.words else None
    is_name = first is not None and first.in_a_name and not is_ordinary_word(first.folded)
    if first is not None and is_name and not any(name.start <= first.start < name.end for name in named.names):
        yield Name((first.folded,), first.text, first.start, first.end)
    yield from named.names


def _is_whole(clause: str, name: Name) -> bool:
    """Whether it is a name of its own: no part of a longer one, no possessive, no date."""
    if _PART_BEHIND.match(clause, name.end) or _PART_BEFORE.search(clause[: name.start]):
        return False
    return _NO_NAME.fullmatch(name.text) is None and _DATE_WORDS.isdisjoint(name.words)


def _says_enough(fact: Fact) -> bool:
    """Whether what is left names what is asked about, before its verb, and no pronoun points to what stood before."""
    left = [name for name in _names(fact.clause) if name.end <= fact.start or name.start >= fact.end]
    left = [name for name in left if not _only_qualifies(fact.clause, name)]
    first = min((name.start for name in left), default=None)
    if first is None and fact.kind is FactKind.NAME and not fact.before:
        # Of what will be done nobody asks who did it before.
        return fact.after.startswith(" will ")
    if first is None or not PRONOUNS.isdisjoint(map(str.casefold, WORD.findall(fact.clause[:first]))):
        return fact.clause.startswith("There ") and first is not None
    # Of what the bridge is that was opened in Oslo nothing is said; what stands in the place of the subject is asked.
    is_subject = fact.start < first and VERB.search(fact.before) is None
    return is_subject or VERB.search(fact.clause[:first]) is None


def _only_qualifies(clause: str, name: Name) -> bool:
    """Whether it is a part of a date, or an adjective of a place before a noun: a Greek ship."""
    if not _DATE_WORDS.isdisjoint(name.words):
        return True
    is_adjective = len(name.words) == 1 and re.search(r"(?:an|ish|ese|ic|ch|i|ern)\Z", name.text) is not None
    return is_adjective and re.match(r"[- ][a-z]", clause[name.end :]) is not None
