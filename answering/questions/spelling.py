"""Misspelt words of a question, corrected to words of the passages."""

import re
from collections.abc import Callable, Sequence

from rapidfuzz import process
from rapidfuzz.distance import OSA

from answering.questions.answer_type import FUNCTION_WORDS

SHORTEST = 4
# Of a longer word two letters may be wrong.
LONG = 9
_WORD = re.compile(r"[^\W\d_]+")


def corrected(question: str, passages: Sequence[str], is_known: Callable[[str], bool]) -> str:
    """The question with unknown words replaced by known ones of the passages that differ in a letter or two, with
    capitals as they were.

    Only from unknown to known words, since rare names resemble each other. Letters that are exchanged count once (OSA).

    >>> corrected("Who biult the mill?", ["Tora Myhre built the mill."], {"who", "built", "the", "mill"}.__contains__)
    'Who built the mill?'
    """
    unknown = {word for word in _WORD.findall(question) if len(word) >= SHORTEST and not _is_word(word, is_known)}
    if not unknown:
        return question
    words = {word.lower() for passage in passages for word in _WORD.findall(passage)}
    candidates = sorted(word for word in words | FUNCTION_WORDS if len(word) >= SHORTEST and is_known(word))

    def nearest(match: re.Match[str]) -> str:
        word = match[0]
        if word not in unknown or word.lower() in words:
            return word
        most = 2 if len(word) >= LONG else 1
        best = process.extractOne(word.lower(), candidates, scorer=OSA.distance, score_cutoff=most)
        if best is None:
            return word
        return str(best[0].capitalize() if word[0].isupper() else best[0])

    return _WORD.sub(nearest, question)


def _is_word(word: str, is_known: Callable[[str], bool]) -> bool:
    return is_known(word.lower()) or is_known(word.lower().removesuffix("s"))
