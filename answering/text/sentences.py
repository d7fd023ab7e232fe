"""Sentence boundaries: sentencex (Wikimedia's segmenter for some 300 languages), and a rule of ours for line breaks."""

from collections.abc import Iterator

import regex
from sentencex import get_sentence_boundaries

__all__ = ["sentence_spans", "sentences"]

# Looked for from the first white space of a run only, so that no passage takes longer than its length.
_LINE_END = r"[^\S\n\r\u2028\u2029]*+(?:\r\n|[\n\r\u2028\u2029])"
# Headings, list items and table rows end without a point. A wrapped line goes on in small letters.
_BREAK = regex.compile(rf"(?<!\s)(?:(?<=[.!?:;]){_LINE_END}|{_LINE_END}(?!\s*+\p{{Ll}})|{_LINE_END}{_LINE_END})\s*+")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    r"""The [start, end) of every sentence in characters, in order, without the white space between them.

    >>> text = "Mrs. L. Dahl opened it in 1911. It burnt down twice!\nNobody was hurt"
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['Mrs. L. Dahl opened it in 1911.', 'It burnt down twice!', 'Nobody was hurt']
    """
    # Lone surrogates are no UTF-8; each is replaced by one character, so that all offsets stay.
    encodable = text.encode("utf-8", "replace").decode("utf-8")
    spans: list[tuple[int, int]] = []
    for start, end in _blocks(encodable):
        for boundary in get_sentence_boundaries("en", encodable[start:end]):
            sentence = encodable[start + boundary["start_index"] : start + boundary["end_index"]]
            if stripped := sentence.strip():
                first = start + boundary["start_index"] + sentence.index(stripped)
                spans.append((first, first + len(stripped)))
    return spans


def sentences(text: str) -> list[str]:
    """The sentences of a text, see `sentence_spans`.

    >>> sentences('He said "No." Then he left!')
    ['He said "No."', 'Then he left!']
    """
    return [text[start:end] for start, end in sentence_spans(text)]


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """The [start, end) between the line breaks that end a sentence."""
    start = 0
    for match in _BREAK.finditer(text):
        yield start, match.start()
        start = match.end()
    yield start, len(text)
