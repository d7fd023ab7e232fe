"""What the reader is trained on: questions with answers, answers swapped for wrong ones, and passages without one.

A reader reports what the passage says, true or not, so that a swapped answer is the right reading. Passages without
an answer are the hard kind: the same paragraph without the sentence that answers, and the paragraph of the same topic
that shares most words with the question.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from random import Random

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.data.squad import Example, find_answer, sentences
from benchmarks.training.reader.answer_kinds import Others, swapped

SWAPPED_SHARE = 0.25
CUT_SHARE = 0.3
NEIGHBOUR_SHARE = 0.4
# RAMDocs' style of short answers is wanted; its training half is small and comes so many times an epoch.
RAMDOCS_REPEATS = 3


class Epochs:
    """The examples of each epoch: every question once, with fresh swaps and negatives drawn by its number."""

    def __init__(self, examples: Sequence[Example], ramdocs: Sequence[Example], seed: int) -> None:
        self._examples = examples
        self._ramdocs = ramdocs
        self._seed = seed
        self._others = Others(example.answer for example in examples)
        self._neighbours = _neighbours(examples)

    def epoch(self, number: int) -> list[Example]:
        """All examples of one epoch, in a random order."""
        random = Random(f"{self._seed}:{number}")
        drawn = [made for index in range(len(self._examples)) for made in self._drawn(index, random)]
        drawn += [self._maybe_swapped(example, random) for _ in range(RAMDOCS_REPEATS) for example in self._ramdocs]
        random.shuffle(drawn)
        return drawn

    def _drawn(self, index: int, random: Random) -> Iterable[Example]:
        example = self._examples[index]
        yield self._maybe_swapped(example, random)
        if random.random() < CUT_SHARE and (cut := without_answer(example)):
            yield cut
        if random.random() < NEIGHBOUR_SHARE and (near := self._neighbour(index, random)):
            yield near

    def _maybe_swapped(self, example: Example, random: Random) -> Example:
        if example.span is None or random.random() >= SWAPPED_SHARE:
            return example
        other = self._others.other(example.answer, random)
        if other is None:
            return example
        passage = swapped(example.passage, example.answer, other)
        span = find_answer(passage, other)
        return Example(example.question, passage, span, example.topic) if span else example

    def _neighbour(self, index: int, random: Random) -> Example | None:
        example = self._examples[index]
        passages = [
            passage for passage in self._neighbours.get(index, ()) if find_answer(passage, example.answer) is None
        ]
        return Example(example.question, random.choice(passages), None, example.topic) if passages else None


def without_answer(example: Example) -> Example | None:
    """The passage without the sentences that hold the answer, None if nothing is left of it."""
    kept = [
        example.passage[start:end]
        for start, end in sentences(example.passage)
        if find_answer(example.passage[start:end], example.answer) is None
    ]
    passage = "".join(kept).strip()
    if len(passage) < 100 or find_answer(passage, example.answer) is not None or not example.answer:
        return None
    return Example(example.question, passage, None, example.topic)


def _neighbours(examples: Sequence[Example], most: int = 3) -> dict[int, list[str]]:
    """For each question the paragraphs of its topic, other than its own, that share most words with it (TF-IDF)."""
    by_topic: dict[str, list[int]] = defaultdict(list)
    for index, example in enumerate(examples):
        by_topic[example.topic].append(index)
    neighbours: dict[int, list[str]] = {}
    for places in by_topic.values():
        passages = sorted({examples[index].passage for index in places})
        if len(passages) > 1:
            neighbours |= _nearest(examples, places, passages, most)
    return neighbours


def _nearest(
    examples: Sequence[Example], places: Sequence[int], passages: Sequence[str], most: int
) -> dict[int, list[str]]:
    vectorizer = TfidfVectorizer(stop_words="english", sublinear_tf=True)
    matrix = vectorizer.fit_transform(passages)
    near: dict[int, list[str]] = {}
    for at in range(0, len(places), 512):
        batch = places[at : at + 512]
        scores = (vectorizer.transform([examples[index].question for index in batch]) @ matrix.T).toarray()
        for index, row in zip(batch, scores, strict=True):
            ordered = [passages[column] for column in np.argsort(-row)[: most + 1]]
            near[index] = [passage for passage in ordered if passage != examples[index].passage][:most]
    return near
