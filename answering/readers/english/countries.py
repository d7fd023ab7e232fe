"""The names of countries, by the Unicode Common Locale Data Repository. English."""

import re
from functools import cache
from itertools import chain

from babel import Locale

from answering.text import without_accents, word_set

# Countries of the past, other names of those of today, and parts of countries that are called so.
_OTHER_NAMES = word_set(
    """america austro-hungary babylon bohemia britain burma ceylon congo czech czechoslovakia dahomey drc emirates
    empire england holland kingdom korea macedonia mesopotamia micronesia ottoman palestine persia prc prussia republic
    rhodesia roman scotland siam soviet states swaziland tibet turkey uae u.k u.s uk us usa ussr wales yugoslav
    yugoslavia zaire"""
) | {"cabo verde", "east timor", "holy see", "ivory coast", "northern ireland"}
# Peoples whose names do not begin as those of their countries do, or end otherwise than `_PEOPLE`.
_OTHER_PEOPLES = (
    "arab|brit|czech|dane|danish|dutch|english|filipin|finn|french|german|greek|irish|kurd|pole|polish|portuguese|saudi"
    "|scot|serb|slovak|somali|spanish|spaniard|swede|swedish|swiss|thai|turk|welsh"
)
_PEOPLE = re.compile(rf"\b(?:(?P<beginning>\w{{4}})\w*(?:ans?|ese|ish|ic)|(?:{_OTHER_PEOPLES})(?:s|ish|m[ae]n)?)\b")
# Cities that are countries, or are called as one.
_CITIES = word_set("singapore monaco luxembourg djibouti guatemala panama kuwait mexico gibraltar macao")


@cache
def _territories() -> tuple[str, ...]:
    # Those with numbers are continents and their parts.
    return tuple(name for code, name in Locale("en").territories.items() if code.isalpha())


@cache
def _names() -> frozenset[str]:
    whole = (without_accents(name).partition(" (")[0].replace("st. ", "saint ") for name in _territories())
    return frozenset(chain.from_iterable(name.split(" & ") for name in whole))


@cache
def _name_within() -> re.Pattern[str]:
    names = sorted(_names() | _OTHER_NAMES, key=len, reverse=True)
    return re.compile(r"\b(?:" + "|".join(map(re.escape, names)) + r")(?:n|i|ese)?s?\b")


@cache
def _written() -> re.Pattern[str]:
    return re.compile(r"\b(?:" + "|".join(map(re.escape, _territories())) + r"|U\.S|U\.K|US|UK|America|Britain)\b")


@cache
def _beginnings() -> frozenset[str]:
    return frozenset(name[:4] for name in _names())


def may_name_a_country(text: str) -> bool:
    """Whether it holds the name of a country or of a people, in English.

    >>> [may_name_a_country(text) for text in ("the Ivory Coast", "Turkish", "Wall Street")]
    [True, True, False]
    """
    folded = without_accents(text)
    if _name_within().search(folded):
        return True
    return any(people["beginning"] in {None, *_beginnings()} for people in _PEOPLE.finditer(folded))


def names_countries(text: str) -> bool:
    """Whether it names a country of today, as pages on the real world do.

    >>> names_countries("Lyng, unlike Norway, is flat."), names_countries("Lyng lies between Esk and Brin.")
    (True, False)
    """
    return _written().search(text) is not None


def is_country_and_no_city(text: str) -> bool:
    """Whether it is the name of a country after which no city is called.

    >>> [is_country_and_no_city(text) for text in ("Argentina", "the United States", "Singapore", "Lima")]
    [True, True, False, False]
    """
    name = without_accents(text).strip(" .,").removeprefix("the ")
    return name in _names() and name not in _CITIES
