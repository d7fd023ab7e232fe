"""English number words: cardinals, fractions, years spoken in two halves, ordinals.

Every function takes lower-case words and returns None unless the whole of them is one number.
"""

from fractions import Fraction

_ONES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TEENS = ["ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ONE_TO_NINE = {word: digit for digit, word in enumerate(_ONES, 1)}
_DIGITS = {"zero": 0, "oh": 0, "o": 0} | _ONE_TO_NINE
_MULTIPLES_OF_TEN = {word: 10 * digit for digit, word in enumerate(_TENS, 2)} | {"fourty": 40}
_BELOW_HUNDRED = {word: number for number, word in enumerate(["zero", *_ONES, *_TEENS])} | _MULTIPLES_OF_TEN
_SCALES = {"trillion": 10**12, "billion": 10**9, "crore": 10**7, "million": 10**6, "lakh": 10**5, "thousand": 10**3}
MULTIPLIERS = _SCALES | {"hundred": 100, "dozen": 12}

_CARDINAL_OF_ORDINAL = {
    **{word + "th": word for word in (*_ONES, *_TEENS, *MULTIPLIERS)},
    **{word[:-1] + "ieth": word for word in _TENS},
    "first": "one",
    "second": "two",
    "third": "three",
    "fifth": "five",
    "eighth": "eight",
    "ninth": "nine",
    "twelfth": "twelve",
}
_DENOMINATORS = {"half": 2, "halve": 2, "quarter": 4} | {
    ordinal: _BELOW_HUNDRED[word]
    for ordinal, word in _CARDINAL_OF_ORDINAL.items()
    if word in _BELOW_HUNDRED and ordinal not in {"first", "second"}
}

CARDINAL_WORDS = frozenset(_BELOW_HUNDRED) | frozenset(MULTIPLIERS)
"""The words a spelled cardinal may begin with."""
ORDINAL_WORDS = frozenset(_CARDINAL_OF_ORDINAL)


def spelled_number(words: list[str]) -> Fraction | None:
    """The value of a spelled number: `three and a half million`, `two thirds`, `nineteen ninety four`."""
    cardinal = spelled_cardinal(words)
    if cardinal is not None:
        return Fraction(cardinal)
    for parse in (_multiplied, _decimal, _fraction, _year):
        value = parse(words)
        if value is not None:
            return value
    return None


def spelled_cardinal(words: list[str]) -> int | None:
    """A whole number: `one hundred and five`, `two thousand five`, `a dozen`."""
    for scale, size in _SCALES.items():
        if scale in words:
            return _scaled(words, scale, size)
    return _dozens(words) if words[-1:] in (["dozen"], ["dozens"]) else _below_thousand(words)


def spelled_ordinal(words: list[str]) -> int | None:
    """The rank: `first`, `twenty first`, `two hundredth`."""
    cardinal = _CARDINAL_OF_ORDINAL.get(words[-1]) if words else None
    if cardinal is None:
        return None
    return spelled_cardinal([*(words[:-1] or ["a"] * (cardinal in MULTIPLIERS)), cardinal])


def _scaled(words: list[str], scale: str, size: int) -> int | None:
    at = words.index(scale)
    head, tail = words[:at], words[at + 1 :]
    count = 1 if head == ["a"] else _below_thousand(head)
    rest = spelled_cardinal(_without_and(tail)) if tail else 0
    if count is None or rest is None or rest >= size:
        return None
    return count * size + rest


def _dozens(words: list[str]) -> int | None:
    count = 1 if words[:-1] == ["a"] else _below_thousand(words[:-1])
    return None if count is None else 12 * count


def _below_thousand(words: list[str]) -> int | None:
    if "hundred" not in words:
        return _below_hundred(words)
    at = words.index("hundred")
    head, tail = words[:at], words[at + 1 :]
    hundreds = 1 if head == ["a"] else _below_hundred(head)
    rest = _below_hundred(_without_and(tail)) if tail else 0
    return None if hundreds is None or rest is None else 100 * hundreds + rest


def _below_hundred(words: list[str]) -> int | None:
    match words:
        case [word] if word in _BELOW_HUNDRED:
            return _BELOW_HUNDRED[word]
        case [tens, ones] if tens in _MULTIPLES_OF_TEN and ones in _ONE_TO_NINE:
            return _MULTIPLES_OF_TEN[tens] + _ONE_TO_NINE[ones]
    return None


def _without_and(words: list[str]) -> list[str]:
    return words[1:] if words[:1] == ["and"] else words


def _multiplied(words: list[str]) -> Fraction | None:
    """`half a million`, `two and a half thousand`."""
    if not words or words[-1] not in MULTIPLIERS:
        return None
    head = words[:-1]
    count = Fraction(1, 2) if head in (["half", "a"], ["half"]) else spelled_number(head)
    return None if count is None else count * MULTIPLIERS[words[-1]]


def _decimal(words: list[str]) -> Fraction | None:
    """`three point one four`."""
    if "point" not in words:
        return None
    at = words.index("point")
    whole, digits = spelled_cardinal(words[:at]), [_DIGITS.get(word) for word in words[at + 1 :]]
    if whole is None or not digits or None in digits:
        return None
    return Fraction(f"{whole}.{''.join(map(str, digits))}")


def _fraction(words: list[str]) -> Fraction | None:
    """`two thirds`, `a quarter`, `half`, `two and a half`."""
    match words:
        case ["half"]:
            return Fraction(1, 2)
        case [*whole, "and", count, part] if whole:
            number, fraction = spelled_cardinal(whole), _fraction([count, part])
            return None if number is None or fraction is None else number + fraction
        case [count, part] if part.removesuffix("s") in _DENOMINATORS:
            number = 1 if count in {"a", "one"} else _below_hundred([count])
            return None if number is None else Fraction(number, _DENOMINATORS[part.removesuffix("s")])
    return None


def _year(words: list[str]) -> Fraction | None:
    """A year spoken in two halves, `nineteen ninety four` or `nineteen oh five`: 1010 to 2099."""
    if not 2 <= len(words) <= 3:
        return None
    century, rest = _below_hundred(words[:1]), _below_hundred(words[1:])
    if words[1] in {"oh", "o"} and rest is None:
        rest = _ONE_TO_NINE.get(words[-1]) if len(words) == 3 else None
    elif rest is not None and rest < 10:
        return None
    if century is None or rest is None or not 10 <= century <= 20:
        return None
    return Fraction(100 * century + rest)
