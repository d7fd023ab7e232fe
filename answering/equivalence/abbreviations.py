"""Abbreviations that have one meaning in their place, written in full: U.S., St. Louis, Main St., Dr., No. 5."""

from collections.abc import Mapping, Sequence

import regex

from answering.equivalence.places import US_STATES

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
