"""Claims by rules: sentences, and clauses where it is safe to part them. Costs nothing and never rewords.

A sentence that hedges or contrasts stays whole: ConflictScore counts a document for such a claim if it supports any
part of it, which is what makes a response that admits a conflict score better than one that does not.
"""

from collections.abc import Iterator

import regex

from answering.conflict.claims import Claim, SplitResult, distinct, worded
from answering.conflict.clauses import clauses
from answering.sentences import sentence_spans
from answering.text import tokenize

_LINE = regex.compile(r"[^\n]++")
_HEADING = regex.compile(r"\s*+#{1,6}\s")
_MARKER = regex.compile(r"\s*+(?:(?:[-*\u2022\u2013]|\d{1,3}[.)])\s++)?+")
_SOFT_BREAK = regex.compile(r"(?<![.!?:;\n])\n(?=\p{Ll})")
# So few words say nothing where there is no question that they answer.
FEWEST_WORDS = 3


class RuleSplitter:
    """Splits without a model."""

    name = "rules:1"

    async def split(self, response: str, question: str | None) -> SplitResult:
        return SplitResult(rule_claims(response, question))


def rule_claims(response: str, question: str | None = None) -> tuple[Claim, ...]:
    """The claims of a response, with their places in it; what it asks, heads or announces is none."""
    # One character for one, so that places stay what they are.
    flowing = _SOFT_BREAK.sub(" ", response)
    stated = [(start, end, len(tokenize(flowing[start:end]))) for start, end in _statements(flowing)]
    told = [one for one in stated if one[-1]]
    fewest = 1 if question or len(told) == 1 else FEWEST_WORDS
    return distinct(
        Claim(worded(flowing[start:end], question, alone=len(told) == 1), start, end)
        for start, end, words in told
        if words >= fewest
    )


def _statements(text: str) -> Iterator[tuple[int, int]]:
    for line in _LINE.finditer(text):
        if _HEADING.match(line.group()):
            continue
        marker = _MARKER.match(line.group())
        begin = line.start() + (marker.end() if marker else 0)
        for start, end in sentence_spans(text[begin : line.end()]):
            finish = begin + start + len(text[begin + start : begin + end].rstrip())
            if text[finish - 1] not in "?:":
                yield from clauses(text, begin + start, finish)
