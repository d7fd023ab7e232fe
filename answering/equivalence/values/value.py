"""The value of an answer: a number, an ordinal, a date, a time of day, a quantity, or a range or bound of these."""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from answering.equivalence.values.units import Unit


class ValueKind(StrEnum):
    """Values of different kinds are never equal.

    >>> ValueKind("ordinal") is ValueKind.ORDINAL
    True
    """

    NUMBER = "number"
    ORDINAL = "ordinal"
    DATE = "date"
    QUANTITY = "quantity"
    RANGE = "range"
    TIME = "time"
    BOUND = "bound"


@dataclass(frozen=True, slots=True)
class Value:
    """Two answers have the same value if their keys are equal: 1.5 km and 1500 m are both `quantity:1500 m`.

    >>> Value(ValueKind.NUMBER, "42", Fraction(42)).key
    'number:42'
    """

    kind: ValueKind
    text: str
    magnitude: Fraction | None = None
    """The number as written, before any conversion; None for ordinals, dates, ranges and bounds."""
    unit: Unit | None = None

    @property
    def key(self) -> str:
        """Kind and canonical text, as in `number:42`."""
        return f"{self.kind}:{self.text}"

    @property
    def number(self) -> tuple[float, str] | None:
        """The number and its unit, "" without one: 1.5 km is 1500 m. None for other kinds, and beyond what floats hold.

        >>> Value(ValueKind.QUANTITY, "1500 m", Fraction(3, 2)).number
        (1500.0, 'm')
        """
        if self.kind not in {ValueKind.NUMBER, ValueKind.QUANTITY}:
            return None
        number, _, unit = self.text.partition(" ")
        try:
            return float(Fraction(number)), unit
        except (OverflowError, ValueError):
            return None


def number_text(number: Fraction) -> str:
    """The shortest exact spelling: 42, 3.5, or 2/3 if no finite decimal is exact."""
    denominator = number.denominator
    # 10 ** places is a multiple of the denominator, whose power of 2 or 5 is at most its number of bits.
    places = next((count for count in range(denominator.bit_length()) if pow(10, count, denominator) == 0), None)
    if places is None:
        return f"{number.numerator}/{number.denominator}"
    digits = str(abs(number.numerator) * 10**places // number.denominator).zfill(places + 1)
    whole, decimals = (digits[:-places], "." + digits[-places:]) if places else (digits, "")
    return ("-" if number < 0 else "") + whole + decimals


def ordinal_text(rank: int) -> str:
    """The ordinal numeral of a rank.

    >>> ordinal_text(2), ordinal_text(11)
    ('2nd', '11th')
    """
    suffix = "th" if rank % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank}{suffix}"
