"""Roman numerals up to 89 (I to LXXXIX): rulers, popes, wars, centuries and sequels need no more."""

import re

_ROMAN = re.compile(r"(?=[ivxl])(?P<tens>xl|l?x{0,3})(?P<ones>ix|iv|v?i{0,3})")
_LETTERS = {"i": 1, "v": 5, "x": 10, "l": 50}


def roman_number(word: str) -> int | None:
    """The number of a lower-case Roman numeral, or None."""
    if not _ROMAN.fullmatch(word):
        return None
    digits = [_LETTERS[letter] for letter in word]
    return sum(-one if one < following else one for one, following in zip(digits, [*digits[1:], 0], strict=True))
