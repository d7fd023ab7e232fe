"""Extractive question answering: the best spans of every window of a passage, with their scores."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from answering.compact.window_model import Tokens, WindowModel
from answering.compact.windows import best_spans, windows
from answering.text.sentences import line_ends, sentence_spans

# The best span may not be of the kind that is asked for; one of so many then is.
SPANS = 5
# Next to a number, these are part of the answer: 51.6% is not 51.6.
_MARK = re.compile(r"[.!?]")
_SEMICOLON = re.compile(r";(?=\s)")
_CURRENCIES = "$€£¥"
_UNITS = "%‰°"
_TRIMMED = " \t\n\r.,;:!?\"'“”‘’"  # noqa: RUF001  (quotation marks as people set them)


@dataclass(frozen=True, slots=True)
class ExtractedSpan:
    """A span of a window: characters [start, end) of a passage.

    `margin` is by how much it scores better than no span, `answerable` the logit that the window holds an answer.
    """

    start: int
    end: int
    margin: float
    answerable: float


@dataclass(frozen=True, slots=True)
class Extraction:
    """The spans of each window that has any, the best first."""

    windows: tuple[tuple[ExtractedSpan, ...], ...]


class Extractor:
    """Extracts the spans of passages by a reader's model; safe for use by several threads at once.

    `cache_size` is for how many pairs of a question and a passage (with its context) it keeps the extraction.
    """

    def __init__(self, model: WindowModel, *, cache_size: int = 0) -> None:
        self._model = model
        self._cached = lru_cache(cache_size)(self._extract) if cache_size else self._extract

    def extract(self, question: str, passage: str, context: str = "", *, within_sentences: bool = False) -> Extraction:
        """The spans of a passage, which stands below its context; none goes on behind a sentence or semicolon if they
        are to be `within_sentences`.
        """
        return self._cached(question, passage, context, within_sentences)

    def _extract(self, question: str, passage: str, context: str, within_sentences: bool) -> Extraction:
        model = self._model
        asked, tokens, above = model.tokens(question, passage, context)
        # A headline and the text below it share no answer, nor do two items of a list.
        beginnings = [start for start, _ in tokens.offsets]
        places = sorted({*line_ends(passage), *(_part_ends(passage) if within_sentences else ())})
        borders = [bisect_left(beginnings, end) for end in places]
        extracted = []
        for window in windows(asked, tokens.ids, context=above, max_tokens=model.window_tokens, marks=model.marks):
            starts, ends, answerable = model.outputs(window)
            ranked = []
            for span in islice(best_spans(starts[0], ends[0], window, borders), SPANS):
                start, end = answer_characters(passage, tokens, span.first, span.last)
                if start < end:
                    ranked.append(ExtractedSpan(start, end, span.margin, float(answerable[0])))
            if ranked:
                extracted.append(tuple(ranked))
        return Extraction(tuple(extracted))


def _part_ends(passage: str) -> Iterator[int]:
    """The ends of sentences, and of their parts before a semicolon."""
    # A wrapped line ends with no mark.
    yield from (end for _, end in sentence_spans(passage) if _MARK.search(passage, end - 2, end))
    yield from (match.end() for match in _SEMICOLON.finditer(passage))


def answer_characters(passage: str, tokens: Tokens, first: int, last: int) -> tuple[int, int]:
    """The characters [start, end) of tokens [first, last], extended to whole words and signs of numbers."""
    if not tokens.offsets:
        return 0, 0
    while first > 0 and tokens.inside_words[first]:
        first -= 1
    while last + 1 < len(tokens.ids) and tokens.inside_words[last + 1]:
        last += 1
    start, end = tokens.offsets[first][0], tokens.offsets[last][1]
    while start < end and passage[start] in _TRIMMED:
        start += 1
    while end > start and passage[end - 1] in _TRIMMED:
        end -= 1
    return _with_signs(passage, start, end)


def _with_signs(passage: str, start: int, end: int) -> tuple[int, int]:
    if start < end and passage[start].isdigit() and passage[start - 1 : start] in tuple(_CURRENCIES):
        start -= 1
    if start < end and passage[end - 1].isdigit() and passage[end : end + 1] in tuple(_UNITS):
        end += 1
    return start, end
