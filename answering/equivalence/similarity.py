"""Do two answers probably mean the same? The choice FUZZY: typing errors, order, titles, more or fewer words.

What tells answers apart is never bridged: numbers, dates, ordinals, negations, directions, junior and senior.
"""

from fractions import Fraction

from answering.equivalence.forms import Form, form, handles
from answering.equivalence.names import Name, refines
from answering.equivalence.spelling import mistyped
from answering.equivalence.values import Value, ValueKind
from answering.equivalence.values.units import System
from answering.equivalence.vocabulary import tells_apart

__all__ = ["CONVERSION_TOLERANCE", "MAX_FUZZY_CHARACTERS", "Form", "extends", "form", "handles", "same"]

CONVERSION_TOLERANCE = Fraction(1, 100)
"""Relative: 26 miles and 42 km (41.84) meet, because who converts also rounds. Within one system it is 0."""

MAX_FUZZY_CHARACTERS = 300
"""Longer answers are compared by their keys alone."""


def same(one: Form, other: Form) -> bool:
    """Whether two answers say the same in other spellings, neither more precisely than the other."""
    if one.value and other.value:
        return one.value.key == other.value.key or _converted(one.value, other.value)
    if one.value or other.value or one.titles != other.titles:
        return False
    if one.marks != other.marks:
        return one.glued == other.glued and one.numbers == other.numbers
    if one.spellings & other.spellings or not one.names.isdisjoint(other.names):
        return True
    return _respelled(one, other) or (bool(one.items) and one.items == other.items)


def extends(short: Form, long: Form) -> bool:
    """Whether `long` says what `short` says and more: a first name, a title, a unit, a clause."""
    if short.value:
        return _says(short.value, long)
    if long.value or (short.titles and long.titles and short.titles != long.titles):
        return False
    if short.words == long.words:
        return short.titles < long.titles
    if short.is_acronym and not long.is_acronym and short.acronym == long.acronym:
        return short.numbers == long.numbers
    return short.words in long.cores or _named_more_fully(short, long)


def _says(value: Value, long: Form) -> bool:
    if long.value:
        return _adds_unit(value, long.value) or _adds_zone(value, long.value)
    if long.mentioned is None:
        return False
    return long.mentioned.key == value.key or _adds_unit(value, long.mentioned)


def _respelled(one: Form, other: Form) -> bool:
    if one.glued == other.glued:
        return True
    if one.stem == other.stem and (one.is_common or other.is_common):
        return True
    return len(one.words) == len(other.words) and all(map(_nearly, one.words, other.words))


def _nearly(one: str, other: str) -> bool:
    return one == other or (mistyped(one, other) and not tells_apart(one) and not tells_apart(other))


def _named_more_fully(short: Form, long: Form) -> bool:
    if short.marks != long.marks:
        return False
    if any(refines(ours, theirs) for ours in short.names for theirs in long.names):
        return True
    if len(short.items) != len(long.items) or short.items == long.items:
        return False
    return all(map(_is_or_refines, short.items, long.items))


def _is_or_refines(short: Name, long: Name) -> bool:
    return short == long or refines(short, long)


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


def _converted(one: Value, other: Value) -> bool:
    """Whether two quantities are one, converted between systems and rounded; degrees convert exactly or not at all."""
    if one.unit is None or other.unit is None or one.magnitude is None or other.magnitude is None:
        return False
    if {one.unit.system, other.unit.system} != {System.METRIC, System.IMPERIAL} or one.unit.offset:
        return False
    ours, theirs = one.unit.to_base(one.magnitude), other.unit.to_base(other.magnitude)
    close = abs(ours - theirs) <= CONVERSION_TOLERANCE * max(abs(ours), abs(theirs))
    return one.unit.dimension == other.unit.dimension and close
