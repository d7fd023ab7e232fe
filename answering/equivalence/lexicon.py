"""English words that decide whether two answers differ: titles, and words whose absence changes the meaning."""

from functools import lru_cache

from answering.equivalence.values.numerals import ROMAN_NUMERALS
from answering.text import word_set

TITLES = word_set(
    """mr mister mrs ms miss madam dr doctor sir lord lady dame captain capt professor prof president king queen prince
    princess saint general gen colonel col major lieutenant lt sergeant sgt admiral father mother sister brother
    reverend rev pope emperor empress senator sen governor gov mayor minister judge justice bishop archbishop
    cardinal duke duchess count countess baron baroness earl chancellor chairman ambassador commander sheikh sultan
    rabbi"""
)
"""A name may stand with or without its title; two different titles are two people."""

_DISTINGUISHING = word_set(
    """not no non never neither nor without anti minus un except or either versus vs but ex former vice deputy assistant
    acting junior senior elder younger north south east west northern southern eastern western northeast northwest
    southeast southwest central new old upper lower inner outer greater lesser great little big small before after
    pre post half double over under above below more less least most false fake cannot cant dont doesnt didnt isnt
    arent wasnt werent wont hardly almost nearly early late mid middle left right male female increase decrease mens
    womens boys girls step grand co democratic peoples equatorial papua until since till true positive negative
    maximum minimum first last next previous high low"""
)


@lru_cache(maxsize=10_000)
def is_distinguishing(word: str) -> bool:
    """Whether two answers differ if only one has this word: numbers, numerals, symbols, negations, directions."""
    if word in _DISTINGUISHING or any(map(str.isdigit, word)) or (len(word) > 1 and word in ROMAN_NUMERALS):
        return True
    return not any(map(str.isalpha, word))
