"""What the reader is trained on: stages of examples, from single sentences to what the service reads.

A reader reports what the passage says, true or not, so that an answer swapped for a wrong one is the right reading.
Passages without an answer are of the hard kinds: those that people found unanswerable, the same passage without the
sentence that answers, the passages that share most words with the question (neighbours on the page, search hits of
other questions), search results that break off before the answer, and questions about somebody else. They stay together
with the passage that answers, so that the reader learns which of them to prefer.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from answering.text import squad_normalise
from benchmarks.data.question_sets import load_question_sets
from benchmarks.data.reported import ReportedTexts
from benchmarks.data.splits import Part, development_examples, is_development, ramdocs_examples, training_examples
from benchmarks.data.squad import Example, find_answer
from benchmarks.training.reader.answer_kinds import Others, swapped
from benchmarks.training.reader.exchanged import Subjects
from benchmarks.training.reader.passages import (
    about_another,
    cut_before_answer,
    misspelt,
    names_of,
    piece,
    search_result,
    unpunctuated,
    without_answer,
)
from benchmarks.training.reader.snippets import snippet

NEAREST = 6
LONGEST_SWAPPED = 4


@dataclass(frozen=True, slots=True)
class Stage:
    """How examples of a stage are drawn: shares of all questions, in [0, 1], and the range of words of a passage."""

    name: str
    words: tuple[int, int]
    swapped: float
    """Answers replaced by another one of their kind."""
    cut: float
    """Also asked of the passage without the sentence that answers."""
    near: float
    """Also asked of so many passages that share many words with the question, at most `NEAREST`."""
    another: float
    """Also asked about another name."""
    results: float
    """Passages with a title, that begin or end in the middle of a sentence."""
    plain: float
    """Lower case, without punctuation."""
    misspelt: float
    exchanged: float = 0.0
    """Also asked, so many times, about another subject of its kind, or of the same sentence about another subject."""
    snippets: float = 0.0
    """Of those that are no `results`, in the form in which a web search shows them."""
    shares: Mapping[str, float] = field(default_factory=dict)
    """How often a question of a set comes, by the beginning of its topic; once where not given."""

    def times(self, example: Example, random: Random) -> int:
        """How often to draw a question."""
        share = next((share for name, share in self.shares.items() if example.topic.startswith(name)), 1.0)
        return _drawn_number(share, random)


STAGES = (
    Stage(
        "sentences", (8, 50), swapped=0.2, cut=0.0, near=0.3, another=0.1, results=0.1, plain=0.05, misspelt=0.05,
        shares={"qamr": 0.5, "policyqa": 0.3, "squad2_train": 0.0, "clapnq": 0.0},
    ),
    Stage(
        "paragraphs", (40, 150), swapped=0.25, cut=0.2, near=0.3, another=0.08, results=0.1, plain=0.05, misspelt=0.05,
        shares={"qamr": 0.1, "policyqa": 0.5, "confiqa": 0.6, "squad2_train": 2.0, "ramdocs": 2.0},
    ),
    Stage(
        "encyclopaedias", (60, 170), swapped=0.25, cut=0.25, near=0.3, another=0.1, results=0.15, plain=0.05,
        misspelt=0.05,
        shares={
            "squadshifts_new_wiki": 1.0, "squadshifts": 0.1, "qamr": 0.05, "policyqa": 0.1, "confiqa": 0.4,
            "squad2_train": 2.0, "ramdocs": 2.0,
        },
    ),
    Stage(
        "results", (25, 170), swapped=0.25, cut=0.2, near=0.4, another=0.08, results=0.3, plain=0.05, misspelt=0.05,
        snippets=0.5,
        shares={
            "squadshifts_new_wiki": 0.5, "squadshifts": 0.4, "squad_train": 0.7, "nq_open": 2.0, "qamr": 0.1,
            "policyqa": 0.1, "confiqa": 0.3, "covidqa": 0.5, "squad2_train": 3.0, "ramdocs": 4.0,
        },
    ),
    Stage(
        "hits", (25, 170), swapped=0.15, cut=0.3, near=2.0, another=0.2, results=0.15, plain=0.04, misspelt=0.05,
        snippets=0.7,
        shares={
            "squadshifts_new_wiki": 0.5, "squadshifts": 0.4, "squad_train": 0.5, "nq_open": 1.5, "nq_swap": 0.1,
            "qamr": 0.0, "policyqa": 0.05, "confiqa": 0.05, "covidqa": 0.3, "squad2_train": 0.0, "ramdocs": 3.0,
        },
    ),
    Stage(
        "subjects", (8, 150), swapped=0.2, cut=0.15, near=0.7, another=0.0, exchanged=1.5, results=0.1, plain=0.05,
        misspelt=0.05, snippets=0.35,
        shares={
            "squadshifts_new_wiki": 0.7, "squadshifts": 0.3, "squad_train": 1.0, "nq_open": 1.5, "nq_swap": 0.2,
            "qamr": 0.1, "policyqa": 0.03, "confiqa": 0.2, "covidqa": 0.2, "squad2_train": 1.0, "ramdocs": 3.0,
        },
    ),
)  # fmt: skip


def load_examples(data: Path) -> list[Example]:
    """All that may train: no development passage, nothing that is reported."""
    permitted = [example for example in _unreported(data) if not is_development(example)]
    return [*permitted, *ramdocs_examples(data, Part.TRAINING)]


def held_out_examples(data: Path) -> list[Example]:
    """Questions of the same sets on development passages."""
    return [example for example in _unreported(data) if is_development(example)]


def _unreported(data: Path) -> list[Example]:
    reported = ReportedTexts.load(data)
    examples = [*training_examples(data), *development_examples(data)]
    examples += load_question_sets(data / "reader_train" / "more")
    return [example for example in examples if not reported.contain(example)]


class Drawing:
    """Draws the examples of a stage; the same seed draws the same."""

    def __init__(self, examples: Sequence[Example], seed: int) -> None:
        self._examples = examples
        self._seed = seed
        self._others = Others(example.answer for example in examples if example.answer)
        self._names = names_of([example.question for example in examples])
        self._passages = sorted({example.passage for example in examples})
        self._near = nearest(examples, self._passages)
        self._answers = answers_by_question(examples)
        self._subjects = Subjects([example.question for example in examples], seed)

    def questions(self, stage: Stage) -> list[list[Example]]:
        """All examples of one stage, those of one question together, in a random order."""
        random = Random(f"{self._seed}:{stage.name}")
        drawn = [
            [self._restyled(made, stage, random) for made in self._drawn(index, stage, random)]
            for index, example in enumerate(self._examples)
            for _ in range(stage.times(example, random))
        ]
        random.shuffle(drawn)
        return drawn

    def _drawn(self, index: int, stage: Stage, random: Random) -> Iterator[Example]:
        whole = self._examples[index]
        example = piece(whole, random.randint(*stage.words), random)
        yield self._maybe_swapped(example, stage, random)
        if example.span is None:
            return
        if random.random() < stage.cut and (cut := without_answer(piece(whole, stage.words[1], random))):
            yield cut
        for near in self._near_examples(index, _drawn_number(stage.near, random), random):
            yield piece(near, random.randint(*stage.words), random)
        if random.random() < stage.another and (other := about_another(example, self._names, random)):
            yield other
        for _ in range(_drawn_number(stage.exchanged, random)):
            yield from self._subjects.exchanged(piece(whole, random.randint(*stage.words), random), random)

    def _maybe_swapped(self, example: Example, stage: Stage, random: Random) -> Example:
        # Of longer phrases another one seldom fits into the sentence.
        fits = len(example.answer.split()) <= LONGEST_SWAPPED and random.random() < stage.swapped
        other = self._others.other(example.answer, random) if fits else None
        if other is None:
            return example
        passage = swapped(example.passage, example.answer, other)
        span = find_answer(passage, other)
        return Example(example.question, passage, span, example.topic) if span else example

    def _near_examples(self, index: int, most: int, random: Random) -> list[Example]:
        example = self._examples[index]
        answers = self._answers[_asked(example)]
        passages = [
            passage
            for passage in (self._passages[place] for place in self._near[index])
            if passage != example.passage and all(find_answer(passage, answer) is None for answer in answers)
        ]
        chosen = random.sample(passages, min(most, len(passages)))
        return [Example(example.question, passage, None, example.topic) for passage in chosen]

    def _restyled(self, example: Example, stage: Stage, random: Random) -> Example:
        if example.context:
            return example
        if random.random() < stage.results:
            cut = cut_before_answer(example, random) if example.span and random.random() < 0.15 else None
            example = cut or search_result(example, random)
        elif random.random() < stage.snippets:
            example = snippet(example, random)
        if random.random() < stage.misspelt:
            example = Example(misspelt(example.question, random), example.passage, example.span, example.topic)
        return unpunctuated(example) if random.random() < stage.plain else example


def _drawn_number(share: float, random: Random) -> int:
    """The whole part of a share, and one more with the probability of the rest."""
    return int(share) + (random.random() < share % 1)


def answers_by_question(examples: Sequence[Example]) -> Mapping[str, set[str]]:
    """Every answer that some passage gives to a question; several passages of a set may answer one differently."""
    answers: dict[str, set[str]] = defaultdict(set)
    for example in examples:
        if example.answer:
            answers[_asked(example)].add(example.answer)
    return answers


def _asked(example: Example) -> str:
    return squad_normalise(example.question)


def nearest(
    examples: Sequence[Example],
    passages: Sequence[str],
    most: int = NEAREST,
    vectorizer: TfidfVectorizer | None = None,
) -> list[list[int]]:
    """For each question the places of the passages that share most words with it (TF-IDF), the nearest first."""
    if vectorizer is None:
        vectorizer = TfidfVectorizer(stop_words="english", sublinear_tf=True, dtype=np.float32, max_df=0.05)
    matrix = vectorizer.fit_transform(passages).T.tocsr()
    near: list[list[int]] = []
    for at in range(0, len(examples), 512):
        questions = vectorizer.transform([example.question for example in examples[at : at + 512]])
        scores = (questions @ matrix).toarray()
        best = np.argpartition(-scores, most, axis=1)[:, :most]
        near.extend(row[np.argsort(-scores[place, row])].tolist() for place, row in enumerate(best))
    return near
