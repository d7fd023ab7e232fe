"""A value: what an answer means as a number, a date, a time, a quantity, or a range or a bound of them."""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from answering.equivalence.values.units import Unit


class ValueKind(StrEnum):
    """What a value is; values of different kinds are never the same."""

    NUMBER = "number"
    ORDINAL = "ordinal"
    DATE = "date"
    QUANTITY = "quantity"
    RANGE = "range"
    TIME = "time"
    BOUND = "bound"


@dataclass(frozen=True, slots=True)
class Value:
    """Two spellings mean the same value where kind and text are equal: 1.5 km and 1500 m are `quantity:1500 m`."""

    kind: ValueKind
    text: str
    magnitude: Fraction | None = None
    """The number as it was written, before any conversion; None for dates, ranges and bounds."""
    unit: Unit | None = None

    @property
    def key(self) -> str:
        """Kind and canonical text."""
        return f"{self.kind}:{self.text}"


def number_text(number: Fraction) -> str:
    """The shortest exact spelling: 42, 3.5, or 2/3 where no finite decimal is exact."""
    places = _decimal_places(number.denominator)
    if places is None:
        return f"{number.numerator}/{number.denominator}"
    digits = str(abs(number.numerator) * 10**places // number.denominator).zfill(places + 1)
    whole, decimals = (digits[:-places], "." + digits[-places:]) if places else (digits, "")
    return ("-" if number < 0 else "") + whole + decimals


def ordinal_text(rank: int) -> str:
    """1st, 2nd, 3rd, 4th, 11th."""
    suffix = "th" if rank % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank}{suffix}"


def _decimal_places(denominator: int) -> int | None:
    """How many decimals a fraction over `denominator` needs: its larger power of 2 or 5, if it has no other factor."""
    twos, rest = _divided_out(denominator, 2)
    fives, rest = _divided_out(rest, 5)
    return max(twos, fives) if rest == 1 else None


def _divided_out(number: int, factor: int) -> tuple[int, int]:
    power = 0
    while number % factor == 0:
        number //= factor
        power += 1
    return power, number
