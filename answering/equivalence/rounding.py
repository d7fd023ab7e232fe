"""Rounded numbers, and words in the singular and plural: which keys of the answers to one question are joined.

A number stands for those that round to it: 84,000 has two significant digits, so it stands for 83,500 to 84,500. Which
of them is meant depends on what else was answered, so the classes are made of all answers together: every rounded
number joins the nearest exact one, and an exact number joins no other. 83,871 and 83,858 stay two classes, and 84,000
is in the class of 83,871. No chain joins what differs: all members of a class are roundings of its one exact number.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from answering.equivalence.spelling import singular
from answering.equivalence.values import Unit, Value, ValueKind, number_text, parse_value

MIN_ROUNDED_DIGITS = 2
"""A number of fewer significant digits stands for itself alone: 1,000 would stand for 500 to 1,500."""

MIN_ROUNDED_COUNT = 10_000
"""Smaller numbers without a unit, or of persons, stand for themselves alone: years and counts are exact."""

_PERSONS = "person"
_NO_UNIT = Unit("", Fraction(1))


Home: TypeAlias = Hashable
"""The common property of the keys of a class."""


@dataclass(frozen=True, slots=True)
class WrittenNumber:
    """A number in its base unit, with the worth of 1 in the place of its last significant digit."""

    magnitude: Fraction
    step: Fraction
    may_stand_for_others: bool

    def stands_for(self, other: "WrittenNumber") -> bool:
        """Whether the other one has more digits and rounds to this one."""
        is_finer = self.may_stand_for_others and other.step < self.step
        return is_finer and abs(self.magnitude - other.magnitude) <= self.step / 2


def joined_keys(spellings: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """The keys in classes, each with those that are joined to it. `spellings` has the spellings of every key.

    >>> joined_keys({"number:84000": ["84,000"], "number:83887": ["83,887"], "number:83871": ["83,871"]})
    [['number:84000', 'number:83887'], ['number:83871']]
    """
    home = _nearest_exact_numbers(spellings) | _shared_singulars(spellings)
    classes: defaultdict[Home, list[str]] = defaultdict(list)
    for key in spellings:
        classes[home.get(key, key)].append(key)
    return list(classes.values())


def _nearest_exact_numbers(spellings: Mapping[str, Sequence[str]]) -> dict[str, Home]:
    """The dimension and the exact number whose class it is in, for the key of every number."""
    # All spellings of a key have one value, but for the unit that it is written in.
    values = {key: value for key, of_key in spellings.items() if (value := parse_value(min(of_key)))}
    unit_of = _units_of_bare_numbers(values.values())
    written: defaultdict[str, list[WrittenNumber]] = defaultdict(list)
    place: dict[str, tuple[str, Fraction]] = {}
    for key, value in values.items():
        if value.kind in {ValueKind.NUMBER, ValueKind.QUANTITY} and value.magnitude is not None:
            unit = value.unit or unit_of(value.magnitude)
            number = _written_number(value.magnitude, unit, is_bare=value.unit is None)
            written[unit.dimension].append(number)
            place[key] = unit.dimension, number.magnitude
    exact = {dimension: _exact_numbers(_distinct(numbers)) for dimension, numbers in written.items()}
    return {key: (dimension, exact[dimension][magnitude]) for key, (dimension, magnitude) in place.items()}


def _units_of_bare_numbers(values: Iterable[Value]) -> Callable[[Fraction], Unit]:
    """The unit that a bare number has: that of the quantities with this number, else of all, if these have but one."""
    of_number: defaultdict[Fraction | None, set[Unit]] = defaultdict(set)
    for value in values:
        if value.unit is not None:
            of_number[value.magnitude].add(value.unit)
    of_all = set().union(*of_number.values())

    def unit_of(number: Fraction) -> Unit:
        units = of_number.get(number, of_all)
        return next(iter(units)) if len(units) == 1 else _NO_UNIT

    return unit_of


def _written_number(magnitude: Fraction, unit: Unit, *, is_bare: bool) -> WrittenNumber:
    digits, step = _significant_digits(magnitude)
    is_count = abs(magnitude) < MIN_ROUNDED_COUNT and (is_bare or unit.dimension == _PERSONS)
    may_stand_for_others = digits >= MIN_ROUNDED_DIGITS and not is_count
    return WrittenNumber(unit.to_base(magnitude), step * unit.factor, may_stand_for_others)


def _significant_digits(number: Fraction) -> tuple[int, Fraction]:
    """The number of digits from the first to the last that is not 0, and the worth of 1 in the place of the last.

    Of a number that no finite decimal spells there is no last digit: others may stand for it, it stands for none.
    """
    text = number_text(abs(number))
    if number == 0 or "/" in text:
        return 0, Fraction(0)
    whole, _, decimals = text.partition(".")
    digits = whole + decimals
    zeros = len(digits) - len(digits.rstrip("0"))
    return len(digits.strip("0")), Fraction(10) ** (zeros - len(decimals))


def _distinct(numbers: Iterable[WrittenNumber]) -> list[WrittenNumber]:
    """One for each magnitude, in rising order: 468 beside 468 km² is 468 km²."""
    by_magnitude: defaultdict[Fraction, list[WrittenNumber]] = defaultdict(list)
    for number in numbers:
        by_magnitude[number.magnitude].append(number)
    return [
        WrittenNumber(magnitude, min(number.step for number in same), any(one.may_stand_for_others for one in same))
        for magnitude, same in sorted(by_magnitude.items())
    ]


def _exact_numbers(numbers: Sequence[WrittenNumber]) -> dict[Fraction, Fraction]:
    """The nearest exact number that each number stands for, the smaller of two equally near; else the number.

    Exact is a number that stands for no other. `numbers` rise.
    """
    magnitudes = [number.magnitude for number in numbers]

    def stood_for(number: WrittenNumber) -> list[WrittenNumber]:
        first = bisect_left(magnitudes, number.magnitude - number.step / 2)
        last = bisect_right(magnitudes, number.magnitude + number.step / 2)
        return [other for other in numbers[first:last] if number.stands_for(other)]

    finer = {number.magnitude: stood_for(number) for number in numbers}
    return {
        magnitude: min(
            (other.magnitude for other in others if not finer[other.magnitude]),
            key=lambda exact: (abs(exact - magnitude), exact),
            default=magnitude,
        )
        for magnitude, others in finer.items()
    }


def _shared_singulars(spellings: Mapping[str, Sequence[str]]) -> dict[str, Home]:
    """The singular for the key of every text, if a text of this singular is a common noun."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for key in spellings:
        kind, _, text = key.partition(":")
        if kind == "text":
            before, _, last = text.rpartition(" ")
            groups[f"{before} {singular(last)}"].append(key)
    return {
        key: ("singular", text)
        for text, keys in groups.items()
        if any(_ends_in_small_letters(spelling) for key in keys for spelling in spellings[key])
        for key in keys
    }


def _ends_in_small_letters(spelling: str) -> bool:
    """Whether the last word may be a plural: a name in -s, as Williams, has no singular."""
    words = spelling.split()
    return bool(words) and words[-1][0].islower()
