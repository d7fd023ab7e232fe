"""Abbreviations that have one meaning in their place, and countries and parts of them, written in full."""

import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache

import regex
from babel import Locale

from answering.text import squad_normalise

US_STATES = {
    "AL": "Alabama", "AK": "Alaska", "AZ": "Arizona", "AR": "Arkansas", "CA": "California", "CO": "Colorado",
    "CT": "Connecticut", "DE": "Delaware", "FL": "Florida", "GA": "Georgia", "HI": "Hawaii", "ID": "Idaho",
    "IL": "Illinois", "IN": "Indiana", "IA": "Iowa", "KS": "Kansas", "KY": "Kentucky", "LA": "Louisiana",
    "ME": "Maine", "MD": "Maryland", "MA": "Massachusetts", "MI": "Michigan", "MN": "Minnesota",
    "MS": "Mississippi", "MO": "Missouri", "MT": "Montana", "NE": "Nebraska", "NV": "Nevada",
    "NH": "New Hampshire", "NJ": "New Jersey", "NM": "New Mexico", "NY": "New York", "NC": "North Carolina",
    "ND": "North Dakota", "OH": "Ohio", "OK": "Oklahoma", "OR": "Oregon", "PA": "Pennsylvania",
    "RI": "Rhode Island", "SC": "South Carolina", "SD": "South Dakota", "TN": "Tennessee", "TX": "Texas",
    "UT": "Utah", "VT": "Vermont", "VA": "Virginia", "WA": "Washington", "WV": "West Virginia",
    "WI": "Wisconsin", "WY": "Wyoming",
}  # fmt: skip

_NO_COUNTRIES = {"EU", "EZ", "QO", "UN", "XA", "XB", "ZZ"}
_NOT_IN_CLDR = """
czech republic, england, ivory coast, macau, northern ireland, palestine, scotland, soviet union, turkey, wales,
alberta, british columbia, manitoba, new brunswick, newfoundland, newfoundland and labrador, nova scotia, ontario,
prince edward island, quebec, saskatchewan, yukon, new south wales, queensland, south australia, tasmania, victoria,
western australia, bavaria, saxony, catalonia, andalusia, sicily, sardinia, lombardy, tuscany, brittany, normandy,
district of columbia, punjab, kerala, tamil nadu, maharashtra, gujarat, rajasthan, bihar, west bengal, uttar pradesh,
karnataka, crimea, siberia, kashmir, tibet, dc
"""


@cache
def regions() -> frozenset[str]:
    """Normalised English names of countries (Babel, CLDR), the states of the USA and some parts of other countries."""
    territories = Locale("en").territories.items()
    countries = (name for code, name in territories if len(code) == 2 and code not in _NO_COUNTRIES)
    return frozenset(map(_normalised, (*countries, *US_STATES.values(), *_NOT_IN_CLDR.split(","))))


def _normalised(name: str) -> str:
    """`St. Pierre & Miquelon` as `saint pierre and miquelon`, `Congo - Kinshasa` as `congo`."""
    common = name.partition(" (")[0].partition(" - ")[0].removesuffix(" SAR China")
    unmarked = unicodedata.normalize("NFD", common).encode("ascii", "ignore").decode()
    for written, meant in (("St. ", "Saint "), ("U.S. ", "United States "), ("&", "and"), ("-", " ")):
        unmarked = unmarked.replace(written, meant)
    return squad_normalise(unmarked)


_EDGE = r"(?<![\p{L}\p{M}\p{N}.])"
_END = r"(?![\p{L}\p{M}\p{N}$])"
_NATIONS = {
    "US": "United States", "USA": "United States", "UK": "United Kingdom", "UN": "United Nations",
    "EU": "European Union", "UAE": "United Arab Emirates", "USSR": "Soviet Union", "NYC": "New York City",
}  # fmt: skip
# Without dots only in capitals: `us` is a pronoun. The longest first.
_DOTTED = "|".join(r"\.\s?".join(name) + r"\.?" for name in sorted(_NATIONS, key=len, reverse=True))
_NATION = regex.compile(
    rf"{_EDGE}(?:(?P<plain>{'|'.join(_NATIONS)}){_END}|(?P<dotted>(?i:{_DOTTED}))(?![\p{{L}}\p{{M}}\p{{N}}$]))"
)
_AMERICA = regex.compile(rf"{_EDGE}united states of america{_END}", regex.IGNORECASE)
_STATE = regex.compile(rf"(?<=\p{{L}}, ?+)(?P<code>{'|'.join(US_STATES)})(?=\s*+(?:$|[,.;)]))")
_WORLD_WAR = regex.compile(rf"{_EDGE}WW\s?+(?=(?:II?|[12]){_END})")
_NUMBER_SIGN = regex.compile(rf"{_EDGE}(?:(?:no|nr)\.\s?+|number\s|№\s?+|\#\s?+)(?=\d)", regex.IGNORECASE)
_VERSUS = regex.compile(r"(?<=[\p{L}\p{N}])\s++v(?:\.\s++|\s++(?=[\p{Lu}\p{N}]))(?=[\p{L}\p{N}])")
_DOCTORATE = regex.compile(rf"{_EDGE}(?:Ph\.?\s?D|D\.?\s?Phil)\b\.?")

_ANYWHERE = {
    "vs": "versus", "univ": "university", "dept": "department", "govt": "government", "corp": "corporation",
    "inc": "incorporated", "ltd": "limited", "assn": "association", "intl": "international", "natl": "national",
    "blvd": "boulevard", "hwy": "highway", "mr": "mister", "tv": "television", "capt": "captain",
    "sgt": "sergeant", "prof": "professor", "messrs": "misters",
}  # fmt: skip
_FIRST = {
    "dr": "doctor", "gen": "general", "col": "colonel", "lt": "lieutenant", "maj": "major", "adm": "admiral",
    "gov": "governor", "sen": "senator", "rep": "representative", "pres": "president", "rev": "reverend",
    "st": "saint", "ste": "saint", "ft": "fort", "mt": "mount", "pt": "point", "hon": "honourable",
}  # fmt: skip
_NOT_FIRST = {"jr": "junior", "sr": "senior", "bros": "brothers", "co": "company"}
_LAST = {
    "st": "street",
    "ave": "avenue",
    "rd": "road",
    "dr": "drive",
    "ln": "lane",
    "sq": "square",
    "mt": "mountain",
} | _NOT_FIRST
_BEFORE_A_NUMBER = {"vol": "volume", "pt": "part", "ch": "chapter", "ep": "episode", "sect": "section"}
_INSIDE = {"st": "saint", "ft": "fort", "mt": "mount", "n": "and"} | _NOT_FIRST

_ABBREVIATIONS = frozenset().union(_ANYWHERE, _FIRST, _LAST, _BEFORE_A_NUMBER, _INSIDE)


def expand_text(answer: str) -> str:
    """The answer with nations, states behind a comma, `v.` and number signs in full. Case matters.

    A small v is versus, a capital one an initial or a ruler's number.
    """
    in_capitals = answer.isupper() and " " in answer.strip()
    text = answer if in_capitals else _NATION.sub(_nation, answer)
    text = _STATE.sub(lambda match: US_STATES[match["code"]], _AMERICA.sub("United States", text))
    text = _WORLD_WAR.sub("World War ", text)
    return _NUMBER_SIGN.sub("number ", _DOCTORATE.sub("PhD", _VERSUS.sub(" versus ", text)))


def expand_words(words: Sequence[str]) -> list[str]:
    """Folded words with the abbreviations among them in full; a single word stays."""
    if len(words) < 2 or _ABBREVIATIONS.isdisjoint(words):
        return list(words)
    return [_expanded(word, words, at) if word in _ABBREVIATIONS else word for at, word in enumerate(words)]


def _nation(match: regex.Match[str]) -> str:
    return _NATIONS["".join(filter(str.isalpha, match[0])).upper()]


def _expanded(word: str, words: Sequence[str], at: int) -> str:
    return _possible_at(words, at).get(word) or _ANYWHERE.get(word, word)


def _possible_at(words: Sequence[str], at: int) -> Mapping[str, str]:
    """The abbreviations possible at a position; behind a number, `ft` and `st` are units or ordinals."""
    following = words[at + 1] if at + 1 < len(words) else ""
    if following[:1].isdigit():
        return _BEFORE_A_NUMBER
    if at == 0:
        return _FIRST
    if words[at - 1][-1:].isdigit():
        return {}
    if not following:
        return _LAST
    return _INSIDE
