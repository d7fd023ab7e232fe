"""Whether a passage may be about what a question asks, in any language: by names that are capitalised, and by years.

The compact reader's check of the subject (`subject_check`) knows English words. This one asks for less: questions name
their subject in another form than passages do, or only a part of it.
"""

import re
from itertools import pairwise

from answering.text import without_accents, word_set

_WORD = re.compile(r"[^\W_]\w*")
# Names from elsewhere, in Japanese, and loan words. Of 867 Japanese questions with one (JaQuAD, JSQuAD) that choose
# settings 13 lose their own passage by it, of passages drawn at random 20 are still read.
_KATAKANA = re.compile(r"[\u30a1-\u30fa\u30fc]{2,}")
# In German all nouns have capitals, and those of things an article too: die Mühle von Esk. Of 211 questions of XQuAD
# with a noun behind one of these 13 more lose their own passage, and 29 fewer are read in one drawn at random.
_BEFORE_NAMES = word_set("von aus nach bei in für gegen durch über zwischen um")
_YEAR = re.compile(r"(?<!\d)(?:1[0-9]|20)\d\d(?!\d)")
# Endings differ: Turquie, Turcs. So many letters, or all but so many of a longer word, tell a name. Of 374 French
# questions with a name 40 are still read in a passage drawn at random; with half the letters 148, with twice 32.
_LETTERS, _ENDING = 4, 3


def may_speak_of(question: str, text: str) -> bool:
    """Whether a text holds one of the names of a question, if there are any, and one of its years, if both name years.

    Names are the capitalised words behind the first, in German those without an article if there are any, and words in
    katakana.

    Of 700 French questions (PIAF) that choose settings, 24 lose their own passage by it; with half the letters 20, with
    twice 30. Other scripts have no names here.

    >>> asked = "Quelle est la capitale du Pérou en 1956 ?"
    >>> [may_speak_of(asked, text) for text in ("La capitale du Perou est Lima.", "La capitale du Chili est Santiago.")]
    [True, False]
    >>> may_speak_of(asked, "En 1821 Lima devient la capitale du Pérou.")
    False
    >>> may_speak_of("Wer hat die Mühle von Esk gebaut?", "Die Mühle von Brin hat Ada Dahl gebaut.")
    False
    """
    words = [word[0] for word in _WORD.finditer(question)]
    capitalised = [pair for pair in pairwise(words) if pair[1][0].isupper() and len(pair[1]) > 1]
    surely = [pair for pair in capitalised if pair[0] in _BEFORE_NAMES]
    names = {_stem(word) for _, word in surely or capitalised}
    names.update(_KATAKANA.findall(without_accents(question)))
    bare = without_accents(text)
    if names and not any(name in bare for name in names):
        return False
    asked, named = _years(question), _years(text)
    return not (asked and named) or not asked.isdisjoint(named)


def _stem(word: str) -> str:
    bare = without_accents(word)
    return bare[: max(_LETTERS, len(bare) - _ENDING)]


def _years(text: str) -> frozenset[int]:
    return frozenset(map(int, _YEAR.findall(text)))
