"""Whether two parsed answers probably mean the same: typing errors, order, titles, more or fewer words.

Answers that differ in numbers, dates, ordinals, negations, directions, junior and senior never match.
"""

from fractions import Fraction

from answering.equivalence.lexicon import is_distinguishing
from answering.equivalence.parsed_answer import ParsedAnswer
from answering.equivalence.person_names import Name, abbreviates
from answering.equivalence.spelling import is_typo
from answering.equivalence.values import Value, ValueKind
from answering.equivalence.values.units import System

CONVERSION_TOLERANCE = Fraction(1, 100)
"""Relative difference between a metric and an imperial quantity, as in 26 miles and 42 km; within a system it is 0."""


def is_same(answer: ParsedAnswer, other: ParsedAnswer) -> bool:
    """Whether two answers say the same in other spellings, neither more precisely than the other. Symmetric."""
    if answer.value and other.value:
        return answer.value.key == other.value.key or _is_converted(answer.value, other.value)
    if answer.value or other.value or answer.titles != other.titles:
        return False
    if answer.distinguishing != other.distinguishing:
        return answer.joined == other.joined and answer.numbers == other.numbers
    if answer.spellings & other.spellings or answer.names & other.names:
        return True
    return _is_respelled(answer, other) or (bool(answer.items) and answer.items == other.items)


def is_extended_by(short: ParsedAnswer, long: ParsedAnswer) -> bool:
    """Whether `long` says what `short` says and more: a first name, a title, a unit, a clause."""
    if short.value:
        return _value_is_extended_by(short.value, long)
    if long.value or (short.titles and long.titles and short.titles != long.titles):
        return False
    if short.words == long.words:
        return short.titles < long.titles
    if short.is_acronym and not long.is_acronym and short.acronym == long.acronym:
        return short.numbers == long.numbers
    return short.words in long.short_forms or _is_named_more_fully(short, long)


def _value_is_extended_by(value: Value, long: ParsedAnswer) -> bool:
    if long.value:
        return _adds_unit(value, long.value) or _adds_zone(value, long.value)
    if long.embedded_value is None:
        return False
    return long.embedded_value.key == value.key or _adds_unit(value, long.embedded_value)


def _is_respelled(answer: ParsedAnswer, other: ParsedAnswer) -> bool:
    if answer.joined == other.joined:
        return True
    if answer.singular == other.singular and (answer.is_common_noun or other.is_common_noun):
        return True
    return len(answer.words) == len(other.words) and all(map(_is_nearly, answer.words, other.words))


def _is_nearly(word: str, other: str) -> bool:
    return word == other or (is_typo(word, other) and not is_distinguishing(word) and not is_distinguishing(other))


def _is_named_more_fully(short: ParsedAnswer, long: ParsedAnswer) -> bool:
    if short.distinguishing != long.distinguishing:
        return False
    if any(abbreviates(name, long_name) for name in short.names for long_name in long.names):
        return True
    if len(short.items) != len(long.items) or short.items == long.items:
        return False
    return all(map(_equals_or_abbreviates, short.items, long.items))


def _equals_or_abbreviates(short: Name, long: Name) -> bool:
    return short == long or abbreviates(short, long)


def _adds_unit(short: Value, long: Value) -> bool:
    kinds = (short.kind, long.kind)
    return kinds == (ValueKind.NUMBER, ValueKind.QUANTITY) and short.magnitude == long.magnitude


def _adds_zone(short: Value, long: Value) -> bool:
    """3 pm and 3 pm EST, 9:30 and 9:30 am."""
    if short.kind is not ValueKind.TIME or long.kind is not ValueKind.TIME or " " in short.text:
        return False
    if short.magnitude is None or long.magnitude is None or short.text == long.text:
        return False
    if short.text.endswith("?"):
        return short.magnitude % 720 == long.magnitude % 720
    return short.magnitude == long.magnitude and " " in long.text


def _is_converted(value: Value, other: Value) -> bool:
    """Whether two quantities are equal after conversion and rounding; degrees must convert exactly."""
    if value.unit is None or other.unit is None or value.magnitude is None or other.magnitude is None:
        return False
    if {value.unit.system, other.unit.system} != {System.METRIC, System.IMPERIAL} or value.unit.offset:
        return False
    base, other_base = value.unit.to_base(value.magnitude), other.unit.to_base(other.magnitude)
    is_close = abs(base - other_base) <= CONVERSION_TOLERANCE * max(abs(base), abs(other_base))
    return value.unit.dimension == other.unit.dimension and is_close
