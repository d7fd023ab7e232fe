"""Roman numerals up to 89 (I to LXXXIX): rulers, popes, wars, centuries and sequels need no more."""

_ONES = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
_TENS = ("", "x", "xx", "xxx", "xl", "l", "lx", "lxx", "lxxx")
NUMERALS = {
    tens + ones: 10 * ten + one for ten, tens in enumerate(_TENS) for one, ones in enumerate(_ONES) if tens + ones
}
"""Lower-case numerals."""


def roman_number(word: str) -> int | None:
    """The number of a lower-case Roman numeral, or None."""
    return NUMERALS.get(word)
