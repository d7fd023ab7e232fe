"""Quotations of a passage: the sentence around a span, and where a quotation stands."""

import regex

from answering.judges.judge import Quote
from answering.text.sentences import sentence_spans


def sentence_at(passage: str, start: int, end: int) -> Quote:
    """The sentence, or the sentences, that overlap the characters [start, end)."""
    overlapping = [span for span in sentence_spans(passage) if span[0] < max(end, start + 1) and span[1] > start]
    first, last = (overlapping[0][0], overlapping[-1][1]) if overlapping else (start, end)
    return Quote(first, last, passage[first:last])


def find_quote(passage: str, quote: str) -> Quote | None:
    """The first occurrence of a quotation, ignoring case and white space; None if there is none."""
    words = [regex.escape(word) for word in quote.split()]
    match = regex.search(r"\s++".join(words), passage, regex.IGNORECASE, timeout=1) if words else None
    return Quote(match.start(), match.end(), match.group()) if match else None
