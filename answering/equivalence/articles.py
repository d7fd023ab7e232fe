"""Articles and prepositions before an answer, in languages other than English: a reader copies them or leaves them."""

from functools import lru_cache
from typing import Final

import regex

from answering.text.language import language_of, may_be_english

# Written in small letters: El Salvador and Le Pen are names. Prepositions only of the place or time at which something
# is: from and to are two answers. Those of French and Arabic were read on passages that choose settings (PIAF, ARCD).
_WORDS: Final = {
    "de": "der die das den dem des ein eine einen einem einer in im an am",
    "es": "el la los las un una unos unas en",
    "fr": "le la les un une des du à au aux en dans",
    "it": "il lo la i gli le un uno una in nel nello nella nei negli nelle",
    "pt": "o a os as um uma em no na nos nas",
    "ru": "в во на",
    "ar": "في",
    "fa": "در",
    "id": "di pada",
}
# Joined to the next word by an apostrophe.
_ELIDED: Final = {"fr": "l", "it": "l un nell"}


def without_leading_words(answer: str, question: str) -> str:
    """The answer to a question without articles and prepositions of its language at the beginning.

    >>> without_leading_words("le traité de Lalla Maghnia", "Quel traité dessine les limites du Maroc ?")
    'traité de Lalla Maghnia'
    >>> without_leading_words("in the end", "When did she win the race?")
    'in the end'
    """
    leading = _leading(question)
    return answer if leading is None else leading.sub("", answer, count=1) or answer


@lru_cache(maxsize=10_000)
def _leading(question: str) -> regex.Pattern[str] | None:
    if may_be_english(question):
        return None
    language = language_of(question)
    if language not in _WORDS:
        return None
    words = "|".join(_WORDS[language].split())
    elided = "|".join(_ELIDED[language].split()) if language in _ELIDED else "(?!)"
    return regex.compile(rf"^(?:(?:{words})\s++|(?:{elided})['\u2019])++(?=\S)")
