"""Spans of a passage that could answer a question, by the kind of thing it asks for. English.

For readers too weak to find the span by themselves: a very small model chooses well among a dozen short spans and
badly among all of them.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum

MAX_THING_WORDS = 4
MAX_CANDIDATES = 120


def words(text: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(text.split())


_FUNCTION_WORDS = words(
    """a about after all also an and any are as at be because been before but by can could did do does during each for
    from had has have he her here his how if in into is it its may me more most must no not now of on once one's only
    or other our out over she since so some such than that the their them then there these they this those through to
    under until up was we were what when where which while who whom whose why will with would you your"""
)
_NUMBER_WORDS = words(
    """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion dozen
    half"""
)
_MONTHS = words("january february march april may june july august september october november december")
_YEAR = re.compile(r"1\d{3}|20\d{2}")


class Asked(StrEnum):
    """The kind of thing a question asks for."""

    QUANTITY = "quantity"
    COUNT = "count"
    YEAR = "year"
    DATE = "date"
    NAME = "name"
    THING = "thing"


_KINDS: tuple[tuple[Asked, re.Pattern[str]], ...] = (
    (
        Asked.QUANTITY,
        re.compile(
            r"\bhow (tall|long|high|heavy|far|old|deep|large|big|fast|wide|much)\b"
            r"|\bwhat (height|length|weight|depth|distance|speed|area)\b"
        ),
    ),
    (Asked.COUNT, re.compile(r"\bhow (many|often)\b|\bwhat (number|population|share|percentage)\b")),
    (Asked.YEAR, re.compile(r"\b(what|which) (year|century)\b")),
    (Asked.DATE, re.compile(r"\bwhen\b|\b(what|which) (date|day|month)\b")),
    (Asked.NAME, re.compile(r"\bwho(m|se)?\b|\bwhere\b")),
)


def asked_for(question: str) -> Asked:
    """What kind of thing the question asks for."""
    folded = question.lower()
    return next((kind for kind, pattern in _KINDS if pattern.search(folded)), Asked.THING)


def candidates(question: str, passages: Sequence[str]) -> list[str]:
    """Short spans, each contiguous words of one clause of one passage, in the order in which they stand."""
    spans_of = _SPANS[asked_for(question)]
    asked = set(re.findall(r"\w+", question.lower()))
    found = (
        " ".join(span)
        for passage in passages
        for clause in clauses(passage)
        for span in spans_of(clause)
        if not all(word.lower() in asked for word in span)
    )
    return list(dict.fromkeys(found))[:MAX_CANDIDATES]


def clauses(text: str) -> Iterator[list[str]]:
    """The words between two marks of punctuation, without the marks."""
    clause: list[str] = []
    for token in text.split():
        if token[0] in '("“':
            yield clause
            clause = []
        word = token.strip(".,;:()\"“”!?'")
        if word:
            clause.append(word)
        if token[-1] in '.,;:)"”!?':
            yield clause
            clause = []
    yield clause


def content_words(text: str) -> frozenset[str]:
    """The words that carry meaning, cut to stems."""
    return frozenset(_stem(word) for word in re.findall(r"\w+", text.lower()) if word not in _FUNCTION_WORDS)


def _stem(word: str) -> str:
    return (re.sub(r"(ing|ed|es|s)$", "", word) if len(word) > 4 else word)[:6]


def _quantities(clause: Sequence[str]) -> Iterator[Sequence[str]]:
    """Numbers with the word behind them: 42 metres; three hours and forty minutes."""
    borders: list[tuple[int, int]] = []
    for first, last in _runs(clause, _is_number):
        end = last + 1 if last < len(clause) and clause[last].lower() not in _FUNCTION_WORDS else last
        joined = borders and borders[-1][1] == first - 1 and clause[first - 1].lower() == "and"
        borders[-1:] = [(borders[-1][0], end)] if joined else [*borders[-1:], (first, end)]
    return (clause[first:last] for first, last in borders if not _YEAR.fullmatch(clause[first]))


def _counts(clause: Sequence[str]) -> Iterator[Sequence[str]]:
    return (clause[first:last] for first, last in _runs(clause, _is_number) if not _YEAR.fullmatch(clause[first]))


def _years(clause: Sequence[str]) -> Iterator[Sequence[str]]:
    return ([word] for word in clause if _YEAR.fullmatch(word))


def _dates(clause: Sequence[str]) -> Iterator[Sequence[str]]:
    for first, last in _runs(clause, lambda word: word.lower() in _MONTHS or any(map(str.isdigit, word))):
        span = clause[first:last]
        if any(word.lower() in _MONTHS or _YEAR.fullmatch(word) for word in span):
            yield span


def _names(clause: Sequence[str]) -> Iterator[Sequence[str]]:
    for first, last in _runs(clause, lambda word: word[0].isupper()):
        start = first
        while start < last and clause[start].lower() in _FUNCTION_WORDS:
            start += 1
        if start < last:
            yield clause[start:last]


def _things(clause: Sequence[str]) -> Iterator[Sequence[str]]:
    for first, last in _runs(clause, lambda word: word.lower() not in _FUNCTION_WORDS and not _is_number(word)):
        for start in range(first, last):
            for end in range(start + 1, min(last, start + MAX_THING_WORDS) + 1):
                yield clause[start:end]


def _is_number(word: str) -> bool:
    return any(map(str.isdigit, word)) or word.lower() in _NUMBER_WORDS


def _runs(clause: Sequence[str], belongs: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """The borders of the longest runs of words that belong."""
    first = None
    for place, word in enumerate([*clause, ""]):
        inside = place < len(clause) and belongs(word)
        if inside and first is None:
            first = place
        elif not inside and first is not None:
            yield first, place
            first = None


_SPANS: dict[Asked, Callable[[Sequence[str]], Iterator[Sequence[str]]]] = {
    Asked.QUANTITY: _quantities,
    Asked.COUNT: _counts,
    Asked.YEAR: _years,
    Asked.DATE: _dates,
    Asked.NAME: _names,
    Asked.THING: _things,
}
