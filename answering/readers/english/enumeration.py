"""The whole list that a name stands in: French in `German (official) 63%, French 23% and Italian` becomes all three.

A reader copies the item that it is surest of, also where a question asks for all. English.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from answering.equivalence.spelling import singular
from answering.text import word_set

_SEPARATOR = re.compile(r"\s*[,;](?:\s*(?:and|or)\s)?\s*|\s(?:and|or|-)\s")
# What stands beside an item: (official) 63%; less than 1%; 801 km.
_ASIDE = re.compile(
    r"\s*\((?:[^()\n]|\([^()\n]*\))*\)|\s+(?:(?:about|less than|more than|over|under|nearly)\s+)?[<~]?\d[\d.,]*"
    r"(?:\s?%|\s?percent\b|\s?km\b)?(?=[\s,;.]|$)"
)
_BORDER = re.compile(r"[.!?](?=\s|$)|[\n|\u2022]|:\s")
# The languages of Kenya are English and Swahili.
_INTRODUCTION = re.compile(
    r".*\b(?:is|are|was|were|includ\w+|of|as|by|with|like|has|have|the|both|border\w*|speaks?|between)\s", re.IGNORECASE
)
_IN_NO_ITEM = word_set(
    """is was are were be been has have had it they he she we you i who which that not but because when where if so then
    also note see to from by on at in with"""
)
# Lund in: Lund moved on to the coast.
_FIRST_NAME = re.compile(r"[A-Z][\w'\u2019.-]*(?: (?:(?:of|de|da|del|di|la|van|von) )?[A-Z][\w'\u2019.-]*)*")
# Of 7,207 right answers to questions for several (SQuAD, SQuADShifts, XQuAD, NQ, QAMR, HotpotQA), which should mostly
# stay as they are, 27 are extended: 14 with two words and 29 with eight, 62 with two items and 2 with six.
_MOST_WORDS = 4
_FEWEST_ITEMS = 3
# Languages of Malta: of which there may be two. Official languages of Malta are English, Maltese.
_PLURAL_LABEL = re.compile(
    r"(?<![\w,] )(?P<noun>[A-Z][a-z]+s)(?: [^:.;\n]{1,60})?: "
    r"|(?<![\w,] )[A-Z][a-z]+ (?P<described>[a-z]+s) of [^:.;\n]{1,60}?(?:: | are )"
)
_OFFICIAL = re.compile(r"\bofficial\b", re.IGNORECASE)
# Maltese 90% (official); German (or Swiss German) (official).
_MARKED_OFFICIAL = re.compile(r"(?:[^,;()]{0,20}\([^()]*\))??[^,;()]{0,20}\([^()]*\bofficial\b", re.IGNORECASE)


def whole_list(passage: str, start: int, end: int) -> tuple[int, int, str]:
    """The characters [start, end) of a name extended to the list of names that it stands in, and the items without what
    stands beside them; the same characters where it stands in none.

    >>> passage = "Spoken in Bern: German (official) 63%, French 23% and Italian. It rains."
    >>> start, end, items = whole_list(passage, 39, 45)
    >>> passage[start:end], items
    ('German (official) 63%, French 23% and Italian', 'German, French, Italian')
    """
    first = max((border.end() for border in _BORDER.finditer(passage, 0, start)), default=0)
    border = _BORDER.search(passage, end)
    text = _ASIDE.sub(lambda aside: " " * len(aside[0]), passage[: border.start() if border else len(passage)])
    pieces = list(_pieces(text, first))
    own = next((index for index, piece in enumerate(pieces) if start < piece.stop <= end), None)
    if own is None or _SEPARATOR.search(text, start, end) or not _is_name(text[start:end]):
        return start, end, passage[start:end]
    item = slice(start, pieces[own].stop)
    items = [*_before(text, pieces[: own + 1], start), item, *_behind(text, pieces[own + 1 :])]
    if len(items) < _FEWEST_ITEMS:
        return start, end, passage[start:end]
    return items[0].start, max(end, items[-1].stop), _joined(text, items)


def labelled_list(passage: str, start: int, end: int, question: str) -> tuple[int, int, str] | None:
    """The whole value of the label behind which characters [start, end) stand, if the question asks for what the label
    names in the plural and the value lists several names; its characters and these names. None otherwise. Where
    official ones are asked for, they are those that are marked so, or all of a label that says so.

    >>> passage = "Languages of Esk: Norn (official, of old), Scots spoken by most. It rains."
    >>> labelled_list(passage, 42, 47, "Which language is spoken in Esk?")
    (18, 48, 'Norn; Scots')
    >>> labelled_list(passage, 42, 47, "What is the official language of Esk?")
    (18, 22, 'Norn')
    """
    line = passage.rfind("\n", 0, start) + 1
    labels = list(_PLURAL_LABEL.finditer(passage, line, start))
    if not labels:
        return None
    label = labels[-1]
    noun = re.escape(singular((label["noun"] or label["described"]).lower()))
    said = r"|what (?:do|does|did) .{1,40} speak\b" if noun == "language" else ""
    asked = rf"^(?!.*\b(?:most|\w+est|first)\b).*\b(?:(?:what|which|the|name|list) (?:official )?{noun}{said})"
    if not re.search(asked, question, re.IGNORECASE):
        return None
    border = _BORDER.search(passage, end)
    text = _ASIDE.sub(lambda aside: " " * len(aside[0]), passage[: border.start() if border else len(passage)])
    first = (_FIRST_NAME.match(text, piece.start, piece.stop) for piece in _pieces(text, label.end()))
    items = [slice(*name.span()) for name in first if name and _is_name(name[0])]
    if not items or start >= items[-1].stop:
        return None
    if _OFFICIAL.search(question) and not _OFFICIAL.search(label[0]):
        items = [item for item in items if _MARKED_OFFICIAL.match(passage, item.stop)]
        return (items[0].start, items[-1].stop, _joined(text, items)) if items else None
    if len(items) < 2:
        return None
    return items[0].start, max(end, items[-1].stop), _joined(text, items)


def _joined(text: str, items: Sequence[slice]) -> str:
    """Two with a comma between them would be a place and the one that it lies in."""
    return ("; " if len(items) == 2 else ", ").join(text[item] for item in items)


def _pieces(text: str, start: int) -> Iterator[slice]:
    """The pieces between separators from `start`, without white space around them."""
    for separator in (*_SEPARATOR.finditer(text, start), None):
        end = separator.start() if separator else len(text)
        piece = text[start:end]
        yield slice(start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip()))
        start = separator.end() if separator else end


def _before(text: str, pieces: list[slice], start: int) -> list[slice]:
    """The items before the one at `start`, which is in the last piece; the first may follow words that introduce it."""
    *earlier, own = pieces
    if own.start < start:
        return []
    items = [*takewhile(lambda piece: _is_name(text[piece]), reversed(earlier))][::-1]
    for piece in earlier[: len(earlier) - len(items)][-1:]:
        introduction = _INTRODUCTION.match(text[piece])
        last = slice(piece.start + introduction.end(), piece.stop) if introduction else piece
        items[:0] = [last] if _is_name(text[last]) else []
    return items


def _behind(text: str, pieces: list[slice]) -> list[slice]:
    """The items of these pieces up to the first that is none, which may begin with the last."""
    items = [*takewhile(lambda piece: _is_name(text[piece]), pieces)]
    for piece in pieces[len(items) :][:1]:
        last = _FIRST_NAME.match(text, piece.start, piece.stop)
        items += [slice(*last.span())] if last and _is_name(last[0]) else []
    return items


def _is_name(text: str) -> bool:
    """Whether a few words begin with a capital letter and are no clause."""
    words = text.split()
    return 0 < len(words) <= _MOST_WORDS and words[0][0].isupper() and _IN_NO_ITEM.isdisjoint(words)
