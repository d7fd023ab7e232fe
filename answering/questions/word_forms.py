"""Forms of one word: with and without accents, possessive, plural, and the adjectives of places. English."""

from functools import lru_cache

import regex

from answering.text import without_accents

POSSESSIVE = regex.compile(r"['\u2019]s$|(?<=s)['\u2019]$")
_ADJECTIVES = ("an", "ian", "ean", "ese", "ish")
_LONGEST_WITHOUT_FORM = 3
# Places with their adjectives and people, if no ending makes them. Only questions are understood so, as the Polish
# capital is Poland's: a page with the word Portuguese may be on Angola, and its capital is not that of Portugal.
_PLACES = """
    afghanistan afghan, argentina argentine, athens athenian, azerbaijan azeri, bahamas bahamian, bahrain bahraini,
    bangladesh bangladeshi, barbados barbadian, belgium belgian, britain british briton, catalonia catalan,
    comoros comorian, congo congolese, croatia croat, cyprus cypriot, czechia czech, denmark danish dane,
    england english, eswatini swazi, finland finnish finn, flanders flemish, france french, ghana ghanaian,
    greece greek, greenland greenlandic, honduras honduran, iceland icelandic icelander, iraq iraqi, ireland irish,
    israel israeli, kazakhstan kazakh, kosovo kosovar, kuwait kuwaiti, kyrgyzstan kyrgyz, laos laotian lao,
    lebanon lebanese, luxembourg luxembourgish, madagascar malagasy, maldives maldivian, mauritius mauritian,
    monaco monegasque, myanmar burmese, nepal nepali, netherlands dutch, niger nigerien, norway norwegian, oman omani,
    pakistan pakistani, panama panamanian, paraguay paraguayan, peru peruvian, philippines filipino philippine,
    poland polish, portugal portuguese, qatar qatari, scotland scottish scot, serbia serb, seychelles seychellois,
    slovakia slovak, slovenia slovene, somalia somali, spain spanish spaniard, sweden swedish swede, switzerland swiss,
    tajikistan tajik, thailand thai, togo togolese, turkey turk, turkmenistan turkmen, uruguay uruguayan,
    uzbekistan uzbek, venice venetian, wales welsh, yemen yemeni
"""
_PLACE_OF = {word: place for place, *words in map(str.split, _PLACES.split(",")) for word in words}


@lru_cache(maxsize=1 << 14)
def folded_word(word: str) -> str:
    """The word in folded case without accents, possessive and marks. Cached, as texts repeat few words."""
    return regex.sub("[.&\u2019']", "", without_accents(POSSESSIVE.sub("", word)))


def same_word(name: str, word: str) -> bool:
    """Whether a word of a text is one of a name, or its plural, or its adjective, or the plural of that: Kenyan,
    Hungarians; or the place that an adjective in the name is of.
    """
    return name == word or _place(name) == word or _is_form(name, word) or _is_form(word, name)


def is_adjective(word: str) -> bool:
    """Whether a word is the adjective of a place or ends as these do: French, American, but Susan too."""
    return word.endswith(_ADJECTIVES) or _place(word) != word


def _place(word: str) -> str:
    """The place that an irregular adjective is of; another word as it is."""
    return _PLACE_OF.get(word) or _PLACE_OF.get(word.removesuffix("s"), word)


def _is_form(word: str, form: str) -> bool:
    if len(word) <= _LONGEST_WITHOUT_FORM:
        return False
    stem, one = word.removesuffix("y").removesuffix("a").removesuffix("e"), form.removesuffix("s")
    if word.endswith("any") and one == word.removesuffix("y"):
        return True  # Germany, German
    return one == word or any(one == f"{stem}{ending}" for ending in _ADJECTIVES)
