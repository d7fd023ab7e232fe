"""Sentences that ask, which state nothing: can the salt of the sea cause rust? English.

Not those that take for granted what they hold: why does salt cause rust?
"""

import re

from answering.text.sentences import sentence_spans

_BEGINS = re.compile(
    r"\W*(?:(?:and|but|so|well|or|now|then)\b,? )?(?:who|whom|whose|what|which|is|are|was|were|do"
    r"|does|did|can|could|should|would|will|has|have|had|may|might)(?:n['\u2019]t)?\b",
    re.IGNORECASE,
)
_MARKS = "?!.\u2026\"'\u201d\u2019)]} \t\r\n"


def asks(sentence: str) -> bool:
    """Whether a sentence is a question that states nothing.

    >>> asks("Can salt cause rust?"), asks("Why does salt cause rust?"), asks("It is rust.")
    (True, False, False)
    """
    ending = sentence[len(sentence.rstrip(_MARKS)) :]
    return "?" in ending and _BEGINS.match(sentence) is not None


def without_questions(text: str) -> str:
    """The text with blanks in the place of sentences that ask, so that all others stay where they are.

    >>> without_questions("Is it rust? It is.")
    '            It is.'
    """
    for start, end in sentence_spans(text):
        if asks(text[start:end]):
            text = text[:start] + " " * (end - start) + text[end:]
    return text
