"""Questions whose subject is exchanged for another of its kind, so that their passage no longer answers them.

A reader that learns from questions and passages alone learns to look for the relation, and takes the capital of Belgium
for that of Luxembourg. Every question with a name gives the hard negatives that teach the difference: the same passage
asked about the subject of the most similar question, or about another name that it mentions, and the same sentence
below the title of another subject.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

import numpy as np
from numpy.typing import NDArray

from answering.embedders.wordllama import WordLlamaEmbedder
from answering.questions.named_text import Name, NamedText
from answering.questions.names import question_names
from benchmarks.data.squad import Example, find_answer, sentences
from benchmarks.training.reader.passages import core_sentences, cropped

# Questions among which a similar one is looked for, and of which one is drawn.
CANDIDATES = 20_000
SIMILAR = 20
_CHUNK = 2048
_INSTEAD_OF_NAME = ("it", "he", "she", "they", "this", "there")


class Subjects:
    """The subjects of all questions; the same seed gives the same exchanges."""

    def __init__(self, questions: Sequence[str], seed: int) -> None:
        named = {question: names[-1] for question in dict.fromkeys(questions) if (names := question_names(question))}
        asked = sorted(named)
        vectors = _embedded([_masked(question, named[question]) for question in asked])
        chosen = sorted(Random(seed).sample(range(len(asked)), min(CANDIDATES, len(asked))))
        self._named = named
        self._candidates = [named[asked[at]].text for at in chosen]
        self._similar = dict(zip(asked, _nearest(vectors, vectors[chosen]), strict=True))

    def exchanged(self, example: Example, random: Random) -> Iterator[Example]:
        """The example in one of the ways below, by chance; none where that is not possible."""
        make = random.choice((self.another, self.mentioned, self.renamed, None))
        if make is None:
            yield from self.titled(example, random)
        elif other := make(example, random):
            yield other

    def another(self, example: Example, random: Random) -> Example | None:
        """The question about the subject of a similar question, of which the passage says nothing."""
        return self._exchanged(example, self._other(example, random))

    def mentioned(self, example: Example, random: Random) -> Example | None:
        """The question about another name of the passage, which does not stand in the sentence of the answer."""
        name, places = self._name(example), _spans(example)
        if name is None or example.span is None or not places:
            return None
        first, last = core_sentences(example, places)
        start, end = places[first][0], places[last][1]
        asked = set(NamedText(example.question).folded)
        text = NamedText(example.passage)
        others = [
            other.text
            for other in text.names
            if not (other.start < end and other.end > start)
            and asked.isdisjoint(other.words)
            and find_answer(example.passage[start:end], other.text) is None
            and find_answer(other.text, example.answer) is None
        ]
        return self._exchanged(example, random.choice(others)) if others else None

    def renamed(self, example: Example, random: Random) -> Example | None:
        """The same sentence about another subject: the name is exchanged in the passage instead of the question."""
        name, other = self._name(example), self._other(example, random)
        if name is None or other is None or name.text not in example.passage:
            return None
        passage = example.passage.replace(name.text, other)
        return Example(example.question, passage, None, example.topic) if _unmentioned(name, passage) else None

    def titled(self, example: Example, random: Random) -> Iterator[Example]:
        """The sentence of the answer without its subject's name, below that as a title, and below that of another."""
        name, other, places = self._name(example), self._other(example, random), _spans(example)
        if name is None or other is None or example.span is None or not places:
            return
        first, last = core_sentences(example, places)
        core = _without_name(cropped(example, places[first][0], places[last][1]), name, random)
        if core is None or not _unmentioned(name, core.passage):
            return
        yield replace(core, context=name.text)
        yield replace(core, context=other, span=None)

    def _name(self, example: Example) -> Name | None:
        return self._named.get(example.question)

    def _other(self, example: Example, random: Random) -> str | None:
        """A name of the same kind that neither question nor passage mentions."""
        if example.question not in self._similar:
            return None
        known = NamedText(f"{example.question}\n{example.passage}").folded
        names = {self._candidates[at] for at in self._similar[example.question]}
        unknown = sorted(name for name in names if known.isdisjoint(NamedText(name).folded))
        return random.choice(unknown) if unknown else None

    def _exchanged(self, example: Example, other: str | None) -> Example | None:
        name = self._name(example)
        if name is None or other is None or example.span is None:
            return None
        question = f"{example.question[: name.start]}{other}{example.question[name.end :]}"
        return Example(question, example.passage, None, example.topic)


def _masked(question: str, name: Name) -> str:
    return f"{question[: name.start]}something{question[name.end :]}"


def _embedded(texts: Sequence[str]) -> NDArray[np.float32]:
    return asyncio.run(WordLlamaEmbedder().embed(texts))


def _nearest(vectors: NDArray[np.float32], candidates: NDArray[np.float32]) -> list[NDArray[np.int64]]:
    """For each vector the places of the `SIMILAR` nearest candidates."""
    found: list[NDArray[np.int64]] = []
    most = min(SIMILAR, len(candidates) - 1)
    for at in range(0, len(vectors), _CHUNK):
        found.extend(np.argpartition(-(vectors[at : at + _CHUNK] @ candidates.T), most, axis=1)[:, :most])
    return found


def _spans(example: Example) -> list[tuple[int, int]]:
    return list(sentences(example.passage))


def _unmentioned(name: Name, passage: str) -> bool:
    return set(name.words).isdisjoint(NamedText(passage).folded)


def _without_name(example: Example, name: Name, random: Random) -> Example | None:
    """The example with a pronoun for the name; None where the answer holds it."""
    assert example.span is not None  # noqa: S101  (of a question that its passage answers)
    start, end = example.span
    if name.text in example.answer:
        return None
    pronoun = random.choice(_INSTEAD_OF_NAME)
    before, after = (text.replace(name.text, pronoun) for text in (example.passage[:start], example.passage[end:]))
    span = (len(before), len(before) + len(example.answer))
    return Example(example.question, before + example.answer + after, span, example.topic)
