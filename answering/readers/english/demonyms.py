"""What people from a place are called. English.

It says little more than the name of the place, and is told in few words: the people of Libya are called Libyan.
"""

import re

_PEOPLE = (
    r"(?:people|persons?|man|men|woman|women|some(?:body|one)|inhabitants?|citizens?|residents?|natives?|locals?|those)"
)
_ASKED = re.compile(
    rf"\bwhat (?:do|does|would|should) (?:you|we|one|they|people) call (?:an? |the |all )?{_PEOPLE} "
    r"(?:who |that |living |coming |is |are |come |comes )*(?:from|of|in)\b"
    rf"|\bwhat (?:are|is) (?:an? |the )?{_PEOPLE} (?:living )?(?:from|of|in) .*\b(?:called|known as|named)\b"
    rf"|\bdemonym\b|\bwhat nationality (?:are|is) (?:an? |the )?{_PEOPLE} (?:from|of|in)\b",
    re.IGNORECASE,
)
_CALLED = re.compile(r"\b(?:call(?:ed|s)?|known|named|termed|referred|demonyms?|nationality)\b", re.IGNORECASE)
_OF_PEOPLE = re.compile(rf"\b(?:{_PEOPLE}|demonyms?|nationality)\b", re.IGNORECASE)


def asks_for_demonym(question: str) -> bool:
    """Whether a question asks what people from a place are called.

    >>> asks_for_demonym("What do you call a person from Esk?"), asks_for_demonym("What is the river in Esk called?")
    (True, False)
    """
    return _ASKED.search(question) is not None


def is_demonym(answer: str, sentence: str) -> bool:
    """Whether a sentence says that people are called so.

    >>> is_demonym("Libyan", "The people of Libya are called Libyan."), is_demonym("+218", "To call Libya, dial +218.")
    (True, False)
    """
    return answer[:1].isupper() and bool(_CALLED.search(sentence)) and bool(_OF_PEOPLE.search(sentence))
