"""Calling codes of telephones: +376, 376 and 00376 are one."""

from functools import lru_cache

import regex

# 00 and 011 are dialled in front of a code, from most countries and from North America.
_CODE = regex.compile(r"\(?(?:\+|00|011)?\s?(?P<digits>[1-9]\d{0,3}(?:[\s()-]{1,2}\d{1,4})?)\)?", regex.ASCII)
_ASKED = regex.compile(
    r"\b(?:calling|dial(?:l?ing)?|(?:tele)?phone|country)[\s-](?:country[\s-])?(?:code|prefix)\b"
    r"|\bcode\b.*\b(?:call|dial|(?:tele)?phone)",
    regex.IGNORECASE,
)
_MAX_DIGITS = 7


def as_calling_code(answer: str, question: str) -> str:
    """The digits of a calling code, if the question asks for one.

    >>> as_calling_code("+1-767", "What is the calling code of Dominica?")
    '1767'
    >>> as_calling_code("+1-767", "What was the score?")
    '+1-767'
    """
    match = _CODE.fullmatch(answer.strip(" .")) if _asks_for_a_code(question) else None
    digits = "".join(filter(str.isdigit, match["digits"])) if match else ""
    return digits if 0 < len(digits) <= _MAX_DIGITS else answer


@lru_cache(maxsize=1_000)
def _asks_for_a_code(question: str) -> bool:
    return bool(_ASKED.search(question))
