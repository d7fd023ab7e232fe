"""Passages as a web search shows them: a headline, and some two dozen words of the page, either cut off.

Lengths and shares are those of the 2,356 results in `benchmarks/data/web_results.py`, which also calibrate the reader:
headlines of 8 to 10 words (the middle half), headline and text of 30 to 35, half of the headlines and three quarters of
the texts cut off; two thirds of those that hold the answer have it in the headline.
"""

import re
from random import Random
from typing import NamedTuple

from benchmarks.data.squad import Example, sentences
from benchmarks.training.reader.passages import core_sentences

HEADLINE_WORDS = (6, 11)
TEXT_WORDS = (18, 28)
ANSWER_IN_HEADLINE = 0.65
LONGEST_IN_HEADLINE = 6
_ARTICLE = re.compile(r"(?<!\S)(?:a|an|the)\s+", re.IGNORECASE)
_LOWER_WORD = re.compile(r"(?<!\S)[a-z]\w*")
# Words that a headline in capitals leaves small.
_SMALL = {"and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "to", "with"}


class _Line(NamedTuple):
    """A run of words of a passage; [start, end) of the answer in it, and what of its sentences it leaves out."""

    text: str
    span: tuple[int, int] | None
    cut_before: bool
    cut_after: bool


def snippet(example: Example, random: Random) -> Example:
    """The passage as a search result that holds the answer, where it has one, in its headline, its text or both."""
    places = list(sentences(example.passage))
    if not places:
        return example
    first, last = core_sentences(example, places)
    core, others = (places[first][0], places[last][1]), [*places[:first], *places[last + 1 :]]
    short = len(example.answer.split()) <= LONGEST_IN_HEADLINE
    in_headline = not others or (short and random.random() < ANSWER_IN_HEADLINE)
    heading = core if in_headline else random.choice(others)
    beginning = random.choice(others)[0] if in_headline and others and random.random() < 0.5 else core[0]
    end = core[0] if beginning < core[0] else len(example.passage)
    headline = _headline(_line(example, *heading, random.randint(*HEADLINE_WORDS), random), random)
    return _joined(example, headline, _line(example, beginning, end, random.randint(*TEXT_WORDS), random), random)


def _line(example: Example, start: int, end: int, count: int, random: Random) -> _Line:
    """About `count` words of the characters [start, end), the answer among them where it lies there whole."""
    words = [(match.start() + start, match.end() + start) for match in re.finditer(r"\S+", example.passage[start:end])]
    span = example.span if example.span and start <= example.span[0] and example.span[1] <= end else None
    holding = [at for at, word in enumerate(words) if span and word[0] < span[1] and word[1] > span[0]]
    from_answer, to_answer = (holding[0], holding[-1] + 1) if holding else (0, 0)
    first = 0 if to_answer <= count else random.randint(min(to_answer - count, from_answer), from_answer)
    last = min(max(first + count, to_answer), len(words))
    if first >= last:
        return _Line("", None, cut_before=False, cut_after=False)
    begin = words[first][0]
    text = example.passage[begin : words[last - 1][1]]
    return _Line(text, span and (span[0] - begin, span[1] - begin), first > 0, last < len(words))


def _headline(line: _Line, random: Random) -> _Line:
    """Without articles and full stop, often with all words in capitals, as headlines are."""
    start, end = line.span or (len(line.text), len(line.text))
    before, answer, after = line.text[:start], line.text[start:end], line.text[end:]
    if random.random() < 0.7:
        before, after = _ARTICLE.sub("", before), _ARTICLE.sub("", after)
    if random.random() < 0.5:
        before, answer, after = (_LOWER_WORD.sub(_capital, text) for text in (before, answer, after))
    text = before + answer + after.rstrip(".;:,")
    return line._replace(text=text, span=line.span and (len(before), len(before) + len(answer)))


def _capital(word: re.Match[str]) -> str:
    return word[0] if word[0] in _SMALL else word[0][0].upper() + word[0][1:]


def _joined(example: Example, headline: _Line, text: _Line, random: Random) -> Example:
    above = headline.text + (" ..." if headline.cut_after and random.random() < 0.7 else "") + "\n"
    above += "... " if text.cut_before else ""
    passage = above + text.text + (" ..." if text.cut_after else "")
    in_text = text.span and (text.span[0] + len(above), text.span[1] + len(above))
    spans = [span for span in (headline.span, in_text) if span]
    return Example(example.question, passage, random.choice(spans) if spans else None, example.topic)
