"""Author lists as booksellers write them, reduced to sets of surnames.

In this order: HTML entities are resolved, accents dropped; a capital inside a word begins a new name ("ErnstLaViola"),
but not after Mc, Mac, La, Le, De, Di, Du, Van or Fitz; what stands in brackets is dropped and separates names; so do
`;` `/` `|` `&` and the word "and"; letters are lowered; words of no name ("by", "editor", "author", "jr", "phd",
"et al", ...) are dropped. A part between separators is then read as

- "First Last, First Last", if every piece between commas has two words or more and the first one ends in no initial:
  the last word of each piece is a surname;
- else "Last, First", or a run of them: "Last, First, Last, First", where pieces alternate, or
  "Last, First Last, First", where the last word of every inner piece is the next surname;
- without a comma: the last word.

A surname is its last word without hyphens and apostrophes, of two letters or more. No surname means no claim. What
this cannot read, such as "HAN, JIAWEIKAMBER, MICHELINE", becomes a wrong claim of its source, as it is for a reader.
"""

import html
import re
import unicodedata

NOISE = frozenset({
    *("by", "author", "authors", "joint", "editor", "editors", "edited", "ed", "eds", "edt", "with", "foreword"),
    *("illustrator", "illustrated", "translator", "translated", "trn", "trans", "contributor", "contributors"),
    *("preface", "introduction", "jr", "sr", "ii", "iii", "iv", "phd", "ph", "md", "dr", "prof", "professor", "mr"),
    *("mrs", "ms", "et", "al", "others", "staff", "not", "available", "na", "none", "unknown", "various"),
})  # fmt: skip
_SEPARATORS = re.compile(r"\([^)]*\)|[;/|&()\[\]{}]|\band\b", re.IGNORECASE)
_JOINED = re.compile(r"(?<!Mc)(?<!Mac)(?<!La)(?<!Le)(?<!De)(?<!Di)(?<!Du)(?<!Van)(?<!Fitz)(?<=[a-z.])(?=[A-Z])")


def surnames(text: str) -> frozenset[str]:
    """The set of surnames in one author list; empty where there is none."""
    plain = unicodedata.normalize("NFKD", html.unescape(text)).encode("ascii", "ignore").decode()
    parts = _SEPARATORS.split(_JOINED.sub(" ; ", plain))
    return frozenset(name for part in parts for name in _of_part(part) if len(name) > 1)


def _of_part(part: str) -> list[str]:
    pieces = [words for words in map(_words, part.split(",")) if words]
    if not pieces:
        return []
    if len(pieces) == 1 or (all(len(words) > 1 for words in pieces) and not _initial(pieces[0][-1])):
        return [words[-1] for words in pieces]
    if len(pieces) % 2 == 0 and not any(len(words) > 1 and not _initial(words[-1]) for words in pieces[2:-1:2]):
        return [words[-1] for words in pieces[::2]]
    return [words[-1] for words in pieces[:-1]]


def _words(piece: str) -> list[str]:
    words = (re.sub(r"[^a-z]", "", word) for word in piece.replace(".", ". ").lower().split())
    return [word for word in words if word and word not in NOISE]


def _initial(word: str) -> bool:
    return len(word) == 1
