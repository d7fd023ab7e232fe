"""Questions on paragraphs whose answers stand in them (the JSON of SQuAD), and how their answers may be exchanged."""

import hashlib
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.data.squad import Example, load_articles

HELD_OUT_ONE_IN = 20
_ASKING = ("how many", "how much", "how long", "who", "whom", "whose", "when", "where", "why", "which", "what", "how")
_WORD = re.compile(r"\w+")
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Question:
    """A question on a paragraph; `start` is where the first of the accepted answers stands in it (characters)."""

    text: str
    answers: tuple[str, ...]
    start: int
    paragraph: int
    """Its place among the paragraphs."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Paragraphs, the topic of each (an article, or all of a site), and the questions on them."""

    paragraphs: tuple[str, ...]
    topics: tuple[str, ...]
    questions: tuple[Question, ...]


def held_out(text: str) -> bool:
    """Whether this paragraph or premise is kept from training: one in twenty, by its hash."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4]) % HELD_OUT_ONE_IN == 0


def load_questions(files: Sequence[Path], *, kept: bool | None) -> Corpus:
    """Read SQuAD JSON; only held-out paragraphs, only the others, or all (None)."""
    paragraphs: list[str] = []
    topics: list[str] = []
    questions: list[Question] = []
    for topic, paragraph in _paragraphs(files):
        text: str = paragraph["context"]
        if kept is not None and held_out(text) is not kept:
            continue
        questions.extend(_questions(paragraph, len(paragraphs)))
        paragraphs.append(text)
        topics.append(topic)
    return Corpus(tuple(paragraphs), tuple(topics), tuple(questions))


def corpus_of(examples: Iterable[Example], *, kept: bool) -> Corpus:
    """The examples that have an answer, on held-out passages only, or on the others."""
    places: dict[str, int] = {}
    topics: list[str] = []
    questions: list[Question] = []
    for example in examples:
        if example.span is None or held_out(example.passage) is not kept:
            continue
        if example.passage not in places:
            places[example.passage] = len(places)
            topics.append(example.topic)
        place = places[example.passage]
        questions.append(Question(example.question, (example.answer,), example.span[0], place))
    return Corpus(tuple(places), tuple(topics), tuple(questions))


def _paragraphs(files: Sequence[Path]) -> Iterator[tuple[str, dict[str, Any]]]:
    for file in files:
        for article in load_articles(file):
            for paragraph in article["paragraphs"]:
                yield f"{file.name}:{article['title']}", paragraph


def _questions(paragraph: dict[str, Any], number: int) -> Iterator[Question]:
    for asked in paragraph["qas"]:
        answers = [answer for answer in asked["answers"] if answer["text"].strip()]
        if answers and asked["question"].strip():
            texts = tuple(dict.fromkeys(answer["text"].strip() for answer in answers))
            yield Question(asked["question"].strip(), texts, answers[0]["answer_start"], number)


def kind(question: str, answer: str) -> str:
    """What another answer must share to be mistaken for this one: the asking word and the looks."""
    asking = next((word for word in _ASKING if re.search(rf"\b{word}\b", question, re.IGNORECASE)), "other")
    return f"{asking}:{looks(answer)}"


def looks(answer: str) -> str:
    """Whether an answer is a year or date, holds a number, is a name, a word or a phrase."""
    if re.search(r"\b(1\d{3}|20\d\d)s?\b", answer):
        return "year"
    if any(character.isdigit() for character in answer):
        return "number"
    if answer[:1].isupper():
        return "name"
    return "phrase" if len(answer.split()) > 2 else "word"


def words(text: str) -> frozenset[str]:
    """Its words, folded."""
    return frozenset(_WORD.findall(text.lower()))


def other_digits(answer: str, generator: random.Random) -> str:
    """The answer with one of its numbers changed, of the same form: `3,559 people` becomes `3,159 people`."""
    places = [at for match in _DIGITS.finditer(answer) for at in range(*match.span())]
    # The last digits of a number, and of a year, are those that are confused.
    at = generator.choice(places)
    digit = generator.choice([digit for digit in "123456789" if digit != answer[at]])
    return f"{answer[:at]}{digit}{answer[at + 1 :]}"
