"""Questions whose subject is exchanged for another of its kind, so that the passage that answered them does not.

The subject is the longest name of a question that the passage has too. The *other* subject is that of the most similar
other question of the set: by the names, and by the questions once the names are masked; no form of it stands in the
passage. The *near* one stands in the same passage, but not in the sentence of the answer.
"""

import calendar
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from answering.embedders import Embedder
from answering.questions.word_forms import same_word
from benchmarks.data.squad import sentences

MASK = "X"
# A name is a run of capitalised words, between which may stand small words that belong to names.
_WORD = r"[A-Z][\w'\u2019&.-]*\w|[A-Z]\b"
_NAME = re.compile(rf"(?:{_WORD})(?: (?:(?:of|the|de|la|von|van|for|&) )?(?:{_WORD})|\.? \d+)*")
_QUESTION_WORD = re.compile(
    r"(?:who|whom|whose|what|when|where|which|why|how|in|on|at|of|from|to|by|for|is|are|was|were|did|does|do|has|the|a)\b",
    re.IGNORECASE,
)

_POSSESSIVE = re.compile(r"['\u2019]s$")
_QUOTED = re.compile(r'["“]([^"”]*[A-Z][^"”]*)["”]')
_DATES = frozenset([*calendar.month_name, *calendar.day_name])

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Name:
    """A name with its place [start, end) in a text."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Case:
    """A question, a passage that answers it, and where its answer stands."""

    question: str
    passage: str
    answer: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Exchanged:
    """The questions about another subject and about a near one; None where there is no such name."""

    other: str | None
    near: str | None


def names(text: str) -> Iterator[Name]:
    """The names of a text; a question word, and a single word that only begins a sentence, are none."""
    for start, end in sentences(text):
        yield from _names_of_sentence(text, start, end)


def _names_of_sentence(text: str, start: int, end: int) -> Iterator[Name]:
    for match in _NAME.finditer(text, start, end):
        first = match.start()
        if first == start and (question_word := _QUESTION_WORD.match(match[0])):
            first += question_word.end()
            first += len(text[first:]) - len(text[first:].lstrip())
        name = text[first : match.end()]
        begins = first == start and " " not in name
        if name[:1].isupper() and not begins and name not in _DATES and not _QUESTION_WORD.fullmatch(name):
            yield Name(name, first, match.end())


def subject_of(question: str, passage: str = "") -> Name | None:
    """What stands in quotation marks, else the longest name of a question, before others one that the passage has too.

    None for a question without a name.
    """
    quoted = [Name(match[1], *match.span(1)) for match in _QUOTED.finditer(question)]
    named = quoted or list(_names_of_sentence(question, 0, len(question)))
    standing = [name for name in named if _words(name.text) <= _words(passage)]
    return max(standing or named, key=lambda name: len(name.text), default=None)


def with_subject(question: str, subject: Name, text: str) -> str:
    """The question with another text in the place of its subject, also where a part of its name stands for it."""
    words = _words(subject.text)
    mentions = [
        name
        for name in _names_of_sentence(question, 0, len(question))
        if _words(name.text) <= words and (name.end <= subject.start or name.start >= subject.end)
    ]
    for name in sorted([subject, *mentions], key=lambda name: -name.start):
        question = question[: name.start] + text + question[name.end :]
    return question


async def exchanged(embedder: Embedder, cases: Sequence[Case]) -> list[Exchanged]:
    """For every case its questions about other subjects; the same for the same cases."""
    subjects = [subject_of(case.question, case.passage) for case in cases]
    asked = list(dict.fromkeys((case.question, of) for case, of in zip(cases, subjects, strict=True) if of))
    masked = await _embedded(embedder, [with_subject(question, subject, MASK) for question, subject in asked])
    named = await _embedded(embedder, [subject.text for _, subject in asked])
    row_of = {pair: row for row, pair in enumerate(asked)}
    results = []
    for case, subject in zip(cases, subjects, strict=True):
        if subject is None:
            results.append(Exchanged(None, None))
            continue
        row = row_of[case.question, subject]
        nearest = np.argsort(-(masked @ masked[row] + named @ named[row]), kind="stable")
        others = (_POSSESSIVE.sub("", asked[place][1].text) for place in nearest)
        other = next((text for text in others if _is_other(text, subject.text, case)), None)
        near = await _near_name(embedder, case, subject)
        results.append(
            Exchanged(
                None if other is None else with_subject(case.question, subject, other),
                None if near is None else with_subject(case.question, subject, near),
            )
        )
    return results


def _is_other(text: str, subject: str, case: Case) -> bool:
    """Whether no word of a name begins as one of the subject or of the passage does, or is a form of one: a passage on
    Italy is about the Italian one too, and one on France about the French one.
    """
    words = _words(text)
    taken = _words(subject) | _words(case.passage)
    is_form = any(same_word(word, other) for word in words for other in taken)
    return not is_form and not _beginnings(words) & _beginnings(taken)


async def _near_name(embedder: Embedder, case: Case, subject: Name) -> str | None:
    """Of the names elsewhere in the passage the one most similar to the subject."""
    sentence = next(case.passage[start:end] for start, end in sentences(case.passage) if start <= case.answer[0] < end)
    taken = _words(case.question) | _words(case.passage[slice(*case.answer)]) | _words(sentence)
    elsewhere = [name.text for name in names(case.passage) if not _words(name.text) & taken]
    found = list(dict.fromkeys(text for text in elsewhere if not _may_be_same(text, subject.text)))
    if not found:
        return None
    vectors = await _embedded(embedder, [subject.text, *found])
    return found[int(np.argmax(vectors[1:] @ vectors[0]))]


def _may_be_same(first: str, second: str) -> bool:
    """Whether two names begin a word alike ("Amazon", "Amazonas"), or one has the initials of the other."""
    beginnings = [_beginnings(_words(name)) for name in (first, second)]
    initials = [re.sub(r"[^A-Z]", "", name).casefold() for name in (first, second)]
    return bool(beginnings[0] & beginnings[1]) or initials[0] == initials[1]


def _beginnings(words: set[str]) -> set[str]:
    return {word[:4] for word in words}


async def _embedded(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """Unit vectors."""
    if not texts:
        return np.zeros((0, embedder.dimension), dtype=np.float32)
    vectors = np.asarray(await embedder.embed(texts), dtype=np.float32)
    unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return unit


def _words(text: str) -> set[str]:
    """The words that tell names apart: capitalised or with digits, in lower case."""
    return {word.casefold() for word in re.findall(r"\w+", text) if word[0].isupper() or word[0].isdigit()}
