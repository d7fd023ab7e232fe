"""Passages as the service meets them: pieces of pages, search results with cut sentences, text without punctuation."""

import re
from collections.abc import Sequence
from random import Random

from benchmarks.data.squad import Example, find_answer, sentences

_WORD = re.compile(r"\w+")
_MARKS = re.compile(r"(?<!\d)[.,:]|[.,:](?!\d)|[;!?\"“”()\[\]…]")
_NAME = re.compile(r"\b[A-Z]\w+(?: (?:of )?[A-Z]\w+)*")
_SHORTEST_PIECE = 12


def piece(example: Example, words: int, random: Random) -> Example:
    """The sentence with the answer and sentences around it, up to about so many words.

    Without an answer it is the sentence that shares most words with the question.
    """
    places = list(sentences(example.passage))
    first, last = core_sentences(example, places)
    count = [len(example.passage[start:end].split()) for start, end in places]
    total = sum(count[first : last + 1])
    while total < words and (first > 0 or last + 1 < len(places)):
        earlier = first > 0 and (last + 1 == len(places) or random.random() < 0.5)
        first, last = (first - 1, last) if earlier else (first, last + 1)
        total += count[first if earlier else last]
    return cropped(example, places[first][0], places[last][1]) if places else example


def core_sentences(example: Example, places: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The first and the last of the sentences that hold the answer, or of that nearest to a question without one."""
    if example.span:
        inside = [
            at for at, (start, end) in enumerate(places) if start < example.span[1] and end > example.span[0]
        ] or [0, len(places) - 1]
        return inside[0], inside[-1]
    asked = _words(example.question)
    shared = [len(asked & _words(example.passage[start:end])) for start, end in places]
    best = shared.index(max(shared)) if shared else 0
    return best, best


def cropped(example: Example, start: int, end: int) -> Example:
    """The characters [start, end) of the passage; they must hold the answer whole or not at all."""
    span = (example.span[0] - start, example.span[1] - start) if example.span else None
    return Example(example.question, example.passage[start:end], span, example.topic)


def without_answer(example: Example, shortest: int = 100) -> Example | None:
    """The passage without the sentences that hold the answer; None if fewer than `shortest` characters are left."""
    kept = [
        example.passage[start:end]
        for start, end in sentences(example.passage)
        if find_answer(example.passage[start:end], example.answer) is None
    ]
    passage = "".join(kept).strip()
    if len(passage) < shortest or find_answer(passage, example.answer) is not None or not example.answer:
        return None
    return Example(example.question, passage, None, example.topic)


def search_result(example: Example, random: Random) -> Example:
    """The passage as a search result: a title of a few words, and sentences that begin or end in the middle."""
    words = list(re.finditer(r"\S+", example.passage))
    begin, finish = _kept_words(example, words)
    first = random.randint(0, max(begin - 2, 0)) if random.random() < 0.6 else 0
    last = random.randint(min(finish + 2, len(words)), len(words)) if random.random() < 0.8 else len(words)
    if not words or last <= first:
        return example
    start, end = words[first].start(), words[last - 1].end()
    middle = cropped(example, start, end)
    before = _title(example, random) + ("... " if first else "")
    after = " ..." if last < len(words) else ""
    return _around(middle, before, after)


def cut_before_answer(example: Example, random: Random) -> Example | None:
    """A search result that breaks off before the answer; None if too little or the answer itself is left."""
    text = example.passage[: example.span[0]].rstrip() if example.span else ""
    words = text.split()
    left = " ".join(words[-random.randint(12, 40) :])
    if len(words) < _SHORTEST_PIECE // 2 or find_answer(left, example.answer) is not None:
        return None
    title = _title(example, random)
    return Example(example.question, f"{title}{left} ...", None, example.topic)


def about_another(example: Example, names: Sequence[str], random: Random) -> Example | None:
    """The question about another name, of which the passage says nothing."""
    mentioned = [name for name in _NAME.findall(example.question) if name in example.passage]
    if not mentioned:
        return None
    name, other = random.choice(mentioned), random.choice(names)
    if _words(other) & (_words(example.passage) | _words(example.question)):
        return None
    return Example(example.question.replace(name, other), example.passage, None, example.topic)


def names_of(questions: Sequence[str]) -> list[str]:
    """The names in the questions, in the order of the alphabet; the first word of a question is none."""
    return sorted({name for question in questions for name in _NAME.findall(question.partition(" ")[2])})


def unpunctuated(example: Example) -> Example:
    """Question and passage in lower case without punctuation, but for that within numbers."""
    start, end = example.span or (len(example.passage), len(example.passage))
    before, answer, after = (
        _plain(text) for text in (example.passage[:start], example.passage[start:end], example.passage[end:])
    )
    span = (len(before), len(before) + len(answer)) if example.span and answer.strip() else None
    return Example(_plain(example.question).strip(), before + answer + after, span, example.topic)


def misspelt(question: str, random: Random) -> str:
    """The question with two letters of one longer word exchanged, or a letter left out or doubled."""
    words = [match for match in _WORD.finditer(question) if len(match[0]) > 4 and match[0].isalpha()]
    if not words:
        return question
    at = random.choice(words).start() + random.randint(1, 3)
    pair = question[at : at + 2]
    return question[:at] + random.choice([pair[::-1], pair[1:], pair[0] + pair]) + question[at + 2 :]


def _kept_words(example: Example, words: Sequence[re.Match[str]]) -> tuple[int, int]:
    """The [first, last) words of the answer; without an answer the whole may be cut."""
    if example.span is None:
        first = max((len(words) - _SHORTEST_PIECE) // 2, 0)
        return first, min(first + _SHORTEST_PIECE, len(words))
    inside = [at for at, word in enumerate(words) if word.start() < example.span[1] and word.end() > example.span[0]]
    return (inside[0], inside[-1] + 1) if inside else (0, len(words))


def _title(example: Example, random: Random) -> str:
    """The first words of some sentence of the passage that do not hold the answer, or none."""
    start, end = random.choice(list(sentences(example.passage)) or [(0, 0)])
    title = " ".join(example.passage[start:end].split()[: random.randint(5, 9)])
    unfit = random.random() < 0.4 or (example.answer and find_answer(title, example.answer) is not None)
    return "" if unfit or not title else f"{title} ...\n"


def _around(example: Example, before: str, after: str) -> Example:
    span = (example.span[0] + len(before), example.span[1] + len(before)) if example.span else None
    return Example(example.question, before + example.passage + after, span, example.topic)


def _plain(text: str) -> str:
    return _MARKS.sub("", text.lower())


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))
