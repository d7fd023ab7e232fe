"""Sentences of a passage, as places in it."""

from itertools import pairwise

import regex

from answering.judges.judge import Quote

# Looked for from the first white space of a run only, so that no passage takes longer than its length.
_LINE_END = r"[^\S\n\r\u2028\u2029]*+(?:\r\n|[\n\r\u2028\u2029])"
# An abbreviation or an initial before the point ends no sentence. The end of a line does, unless the next line goes on
# in small letters.
_BORDER = regex.compile(
    r"""(?<=[.!?\u2026\u3002][\p{Pf}\p{Pe}"']?)(?<!\b(?:\p{Lu}|[DMS]rs?|vs|No|St|etc)\.)\s++(?=[\p{Lu}\p{N}\p{Pi}\p{Ps}"'])"""
    rf"|(?<!\s)(?:(?<=[.!?:;]){_LINE_END}|{_LINE_END}(?!\s*+\p{{Ll}})|{_LINE_END}{_LINE_END})\s*+"
)


def sentences(passage: str) -> list[tuple[int, int]]:
    """Where the sentences begin and end (characters), in order and without the white space between them."""
    borders = [(0, 0), *(match.span() for match in _BORDER.finditer(passage)), (len(passage), len(passage))]
    found = [(begin, end) for (_, begin), (end, _) in pairwise(borders)]
    return [place for place in found if passage[slice(*place)].strip()]


def sentence_at(passage: str, start: int, end: int) -> Quote:
    """The sentence, or the sentences, that the characters from `start` to `end` stand in."""
    touched = [place for place in sentences(passage) if place[0] < max(end, start + 1) and place[1] > start]
    begin, finish = (touched[0][0], touched[-1][1]) if touched else (start, end)
    return Quote(begin, finish, passage[begin:finish])


def find_quote(passage: str, quote: str) -> Quote | None:
    """Where a quote stands, however its white space and case are; None where it does not."""
    words = [regex.escape(word) for word in quote.split()]
    match = regex.search(r"\s++".join(words), passage, regex.IGNORECASE, timeout=1) if words else None
    return Quote(match.start(), match.end(), match.group()) if match else None
