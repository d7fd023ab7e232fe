# ruff: noqa: RUF001  the commas of other scripts
"""Short forms of an answer: the head of a phrase, a place without its region, what a sentence says of its subject.

The head of an English noun phrase stands last, so neither `Varn Museum` nor `Battle of Varn` has the short form `Varn`.
"""

from collections.abc import Callable, Iterator

import regex

from answering.equivalence.lists import MAX_LIST_CHARACTERS
from answering.equivalence.places import regions
from answering.equivalence.spelling import is_distinguishing
from answering.text import word_set

MAX_WORDS_BEFORE = 3
MAX_WORDS_AFTER = 8
MAX_SUBJECT_WORDS = 12
MAX_SHORT_FORM_WORDS = 30
MAX_REGION_CHARACTERS = 60

Words = tuple[str, ...]

_PREPOSITIONS = word_set("of by from in to at on for with near against about than after before de du da versus")
_LEADING_PREPOSITIONS = frozenset((word,) for word in word_set("from to for with because that as"))
_CLAUSE_OPENERS = word_set("is was are were in at on near who which from located situated")
_COPULAS = word_set("is was are were")
_PASSIVES = word_set(
    """born built located founded published released held established situated directed written created based produced
    made formed opened named called discovered invented designed developed played recorded signed painted composed
    completed died started began launched known"""
)
_AFTER_PASSIVE = word_set("in on at by as from")
_GENERIC_HEADS = word_set("party language languages")
_APPOSITION = regex.compile(
    r"\s*+(?:an?|the|who|which|located|situated|born|ph\.?d|m\.?d|esq|mp|obe|cbe)\b", regex.IGNORECASE
)
_COMMA = regex.compile(r"\s*+(?:[,;:](?!\d)|[、，；：،])\s*+")
_YES_OR_NO = word_set("yes no")


def short_forms(outer: str, whole: Words, words_of: Callable[[str], Words]) -> Iterator[Words]:
    """Every short form that leaves out no distinguishing word.

    `outer` is the answer as written, without parentheses; `whole` are its words with those in parentheses, and
    `words_of` gives the words of a part.
    """
    first, comma, rest = _split(outer)
    head = words_of(first)
    if comma and head[-1:] == ("answer",):
        yield words_of(rest)
    if comma and not (_is_region(rest, words_of) or _is_apposition(rest) or set(head) <= _YES_OR_NO):
        if len(head) > 1 and len(outer) <= MAX_LIST_CHARACTERS:
            yield from _without_leading_words(words_of(outer), len(head))
        return
    if head != whole:
        yield from _if_equivalent(head, head)
    for form in dict.fromkeys((*_heads(head), *_predicates(head))):
        yield from _if_equivalent(form, head)


def _split(outer: str) -> tuple[str, bool, str]:
    match = _COMMA.search(outer)
    if match is None or not outer[: match.start()] or not outer[match.end() :]:
        return outer, False, ""
    return outer[: match.start()], True, outer[match.end() :]


def _is_region(rest: str, words_of: Callable[[str], Words]) -> bool:
    if len(rest) > MAX_REGION_CHARACTERS:
        return False
    return all(" ".join(words_of(part)) in regions() for part in _COMMA.split(rest) if part)


def _is_apposition(rest: str) -> bool:
    return rest.count(" ") < MAX_WORDS_AFTER and bool(_APPOSITION.match(rest))


def _without_leading_words(words: Words, first: int) -> Iterator[Words]:
    """A list or several clauses without the words in front that describe its first part, of `first` words."""
    for start in range(1, min(first - 1, MAX_WORDS_BEFORE) + 1):
        if "and" not in words[:start] and words[start - 1] not in _PREPOSITIONS:
            yield from _if_equivalent(words[start:], words)


def _if_equivalent(form: Words, whole: Words) -> Iterator[Words]:
    """The short form, if it has meaning and no distinguishing word of the whole is missing."""
    if not 0 < len(form) <= MAX_SHORT_FORM_WORDS or not any(map(_has_meaning, form)):
        return
    if sum(map(is_distinguishing, whole)) == sum(map(is_distinguishing, form)):
        yield form


def _has_meaning(word: str) -> bool:
    return len(word) > 2 or word.isdigit() or not word.isascii() or word in _YES_OR_NO


def _heads(words: Words) -> Iterator[Words]:
    """The phrase without words in front that describe it, and without a clause behind."""
    ends = [at for at in _ends(words) if "and" not in words[at:]]
    for start in range(min(len(words) - 1, MAX_WORDS_BEFORE) + 1):
        if "and" in words[:start] or (
            start and words[start - 1] in _PREPOSITIONS and words[:start] not in _LEADING_PREPOSITIONS
        ):
            continue
        yield from (words[start:end] for end in ends if end > start and end - start < len(words))


def _ends(words: Words) -> Iterator[int]:
    """Where the phrase may end: at its end, before a clause, before `party`, behind the number of a ruler."""
    yield len(words)
    for at in range(max(len(words) - MAX_WORDS_AFTER, 1), len(words)):
        word = words[at]
        if word in _CLAUSE_OPENERS and not (word in _COPULAS and words[at + 1 : at + 2] and words[at + 1] in _PASSIVES):
            yield at
        if word == "of" and words[at - 1].isdigit() and at > 1:
            yield at
    if words and words[-1] in _GENERIC_HEADS:
        yield len(words) - 1


def _predicates(words: Words) -> Iterator[Words]:
    """What follows the copula: Paris, in `the capital of France is Paris` and `she was born in Paris`."""
    copula = next((at for at, word in enumerate(words[: MAX_SUBJECT_WORDS + 1]) if word in _COPULAS and at), None)
    if copula is None:
        return
    start = copula + 1
    if words[start : start + 1] and words[start] in _PASSIVES:
        start += 1
    if words[start : start + 1] and words[start] in _AFTER_PASSIVE:
        start += 1
    predicate = words[start:]
    if "and" not in predicate:
        yield predicate
        yield from (predicate[:at] for at in _ends(predicate) if at < len(predicate))
