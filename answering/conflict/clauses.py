"""Clauses of a sentence, parted only where it is safe, and whether a few words are one."""

import regex

_BREAK = regex.compile(r";\s++(?:and\s++)?|,\s++and\s++")
# What these stand for, or how far they reach, is not known without grammar: their sentence stays in one piece.
_BOUND = regex.compile(
    r"""\b(?:if|unless|whether|that|because|although|though|while|whereas|when|since|who|which|whose|according|says?|said
    |reports?|reported|claims?|claimed|states?|stated|some|others?|may|might|could|perhaps|possibly|probably|not|neither
    |nor|either|or|but|however|yet|disagree[sd]?|sources?|contested|disputed)\b""",
    regex.IGNORECASE | regex.VERBOSE,
)
_VERB = regex.compile(
    r"""(?:is|was|are|were|has|had|have|will|would|can|must|does|did|do|became|began|bore|built|came|costs?|died|drew|flew
    |gave|got|grew|held|kept|knew|lay|led|left|lies|lives|lost|made|makes|means|met|paid|ran|rose|sang|saw|sold|sent|shows?
    |stands|stood|takes|took|taught|told|went|won|writes|wrote|\p{L}{2,}ed)""",
    regex.IGNORECASE | regex.VERBOSE,
)
_ARTICLES = frozenset({"the", "a", "an"})
# The verb of a clause stands after a subject of so many words at most.
_LONGEST_SUBJECT = 6


def clauses(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The clauses of the sentence `text[start:end]` where each names what it speaks of; otherwise the sentence."""
    whole = [(start, end)]
    if _BOUND.search(text, start, end):
        return whole
    breaks = [match.span() for match in _BREAK.finditer(text, start, end)]
    borders = [start, *(place for span in breaks for place in span), end]
    parts = list(zip(borders[::2], borders[1::2], strict=True))
    return parts if all(_is_whole(text[begin:finish]) for begin, finish in parts) else whole


def has_verb(text: str) -> bool:
    """Whether a verb that we know stands after a subject and before something else."""
    words = text.split()
    return any(_VERB.fullmatch(word) for word in words[1 : min(1 + _LONGEST_SUBJECT, len(words) - 1)])


def _is_whole(text: str) -> bool:
    """Whether it has a subject of its own, a verb, something after that, and no comma."""
    first = (text.split(maxsplit=1) or [""])[0]
    return "," not in text and (first.lower() in _ARTICLES or first[:1].isupper()) and has_verb(text)
