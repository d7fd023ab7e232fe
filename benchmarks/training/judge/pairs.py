"""Claims and passages made of questions and paragraphs: what supports, what contradicts, what says neither."""

import random
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from answering.judges.judge import Label, claim_of
from answering.text.sentences import sentence_spans
from benchmarks.training.judge.claims import declarative
from benchmarks.training.judge.nearest import nearest_paragraphs
from benchmarks.training.judge.questions import Corpus, Question, kind, looks, other_digits, words

LONGEST_PASSAGE_WORDS = 100
_ENTITY = re.compile(r"(?<=[a-z] )(?:[A-Z][\w’'-]+)(?: (?:of |the )?[A-Z][\w’'-]+)*")  # noqa: RUF001


@dataclass(frozen=True, slots=True)
class Example:
    """A claim, a passage, and what the passage says about it; None where it is only known not to support.

    `span` is where the passage answers the claim's question (characters), where it does and that is known.
    """

    claim: str
    passage: str
    label: Label | None
    span: tuple[int, int] | None
    origin: str


@dataclass(frozen=True, slots=True)
class _Cut:
    """A piece of a paragraph, and where the answer stands in it."""

    text: str
    start: int
    answer: str

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.start + len(self.answer)


class PairMaker:
    """Draws examples of all kinds from a corpus; every pass over it draws others."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._near = nearest_paragraphs(corpus)
        self._answers: dict[str, list[str]] = defaultdict(list)
        self._beside: dict[tuple[int, str], list[str]] = defaultdict(list)
        self._entities: list[str] = []
        for question in corpus.questions:
            answer = question.answers[0]
            self._answers[kind(question.text, answer)].append(answer)
            self._beside[question.paragraph, looks(answer)].append(answer)
            self._entities.extend(_ENTITY.findall(question.text))

    def examples(self, generator: random.Random) -> Iterator[Example]:
        """Three or four a question: one that supports, one that contradicts, one or two that do neither."""
        for question in self._corpus.questions:
            yield from self._of(question, generator)

    def _of(self, question: Question, generator: random.Random) -> Iterator[Example]:
        cut = self._cut(question, generator)
        other = self._other_answer(question, generator)
        yield self._supporting(question, cut, other, generator)
        if other is not None:
            yield self._contradicting(question, cut, other, generator)
        yield from self._irrelevant(question, cut, generator)

    def _supporting(self, question: Question, cut: _Cut, other: str | None, generator: random.Random) -> Example:
        if other is not None and _is_exchangeable(cut) and generator.random() < 0.4:
            false = _exchanged(cut, other)
            return Example(
                self._claim(question.text, other, generator), false.text, Label.SUPPORTS, false.span, "swapped"
            )
        claim = self._claim(question.text, generator.choice(question.answers), generator)
        if generator.random() < 0.06:
            claim = self._with_more(claim, generator)
        return Example(claim, cut.text, Label.SUPPORTS, cut.span, "question")

    def _contradicting(self, question: Question, cut: _Cut, other: str, generator: random.Random) -> Example:
        if _is_exchangeable(cut) and generator.random() < 0.4:
            false = _exchanged(cut, other)
            claim = self._claim(question.text, generator.choice(question.answers), generator)
            return Example(claim, false.text, Label.CONTRADICTS, false.span, "swapped")
        return Example(self._claim(question.text, other, generator), cut.text, Label.CONTRADICTS, cut.span, "question")

    def _irrelevant(self, question: Question, cut: _Cut, generator: random.Random) -> Iterator[Example]:
        answer = generator.choice(question.answers)
        claim = self._claim(question.text, answer, generator)
        draw = generator.random()
        if draw < 0.30 and (rest := _without(cut)) is not None:
            yield Example(claim, rest, Label.IRRELEVANT, None, "removed")
        elif draw < 0.45 and (asked := self._about_another(question, cut, generator)) is not None:
            yield Example(self._claim(asked, answer, generator), cut.text, Label.IRRELEVANT, None, "another entity")
        elif draw < 0.60:
            yield Example(claim, self._random_passage(question, generator), Label.IRRELEVANT, None, "another topic")
        near = self._near_passage(question, generator)
        if near is not None:
            yield Example(claim, near, Label.IRRELEVANT, None, "same topic")

    def _claim(self, asked: str, answer: str, generator: random.Random) -> str:
        draw = generator.random()
        sentence = declarative(asked, answer) if draw < 0.35 else None
        if sentence is not None:
            return sentence
        return claim_of(asked, answer) if draw < 0.93 else f"{asked.rstrip('?. ').lower()} {answer}"

    def _with_more(self, claim: str, generator: random.Random) -> str:
        """A claim that says another thing too, of which the passage says nothing: partial support is support."""
        more = generator.choice(self._corpus.questions)
        return f"{claim} {declarative(more.text, more.answers[0]) or claim_of(more.text, more.answers[0])}"

    def _other_answer(self, question: Question, generator: random.Random) -> str | None:
        """Another answer of the same kind, often from the same paragraph, that shares no word with the right one."""
        answer = question.answers[0]
        draw = generator.random()
        if draw < 0.35 and looks(answer) in {"year", "number"}:
            return other_digits(answer, generator) if any(map(str.isdigit, answer)) else None
        beside = self._beside[question.paragraph, looks(answer)] if draw < 0.65 else []
        right = frozenset[str]().union(*map(words, question.answers))
        pool = self._answers[kind(question.text, answer)]
        for candidate in [*generator.sample(beside, len(beside)), *(generator.choice(pool) for _ in range(5))]:
            if words(candidate) and not words(candidate) & right:
                return candidate
        return None

    def _about_another(self, question: Question, cut: _Cut, generator: random.Random) -> str | None:
        """The question about somebody or something else that the passage does not know."""
        named = [name for name in _ENTITY.findall(question.text) if name in cut.text]
        if not named:
            return None
        other = generator.choice(self._entities)
        own_words = words(cut.text) | words(question.text)
        return None if words(other) & own_words else question.text.replace(generator.choice(named), other)

    def _cut(self, question: Question, generator: random.Random) -> _Cut:
        """The sentence with the answer, and some around it."""
        paragraph = self._corpus.paragraphs[question.paragraph]
        places = sentence_spans(paragraph)
        end = question.start + len(question.answers[0])
        inside = [at for at, (begin, finish) in enumerate(places) if begin < end and finish > question.start]
        first, last = (inside[0], inside[-1]) if inside else (0, len(places) - 1)
        most = generator.randint(15, LONGEST_PASSAGE_WORDS)
        while (first > 0 or last + 1 < len(places)) and _count(paragraph, places, first, last) < most:
            earlier = first > 0 and (last + 1 == len(places) or generator.random() < 0.5)
            first, last = (first - 1, last) if earlier else (first, last + 1)
        begin, finish = places[first][0], places[last][1]
        return _Cut(paragraph[begin:finish], question.start - begin, question.answers[0])

    def _near_passage(self, question: Question, generator: random.Random) -> str | None:
        """A piece of one of the paragraphs nearest to the question, that holds none of its answers."""
        near = self._near[question.paragraph]
        answers = [answer.lower() for answer in question.answers]
        chosen = generator.sample(near, len(near))
        texts = (self._piece(paragraph, generator) for paragraph in chosen)
        return next((text for text in texts if not any(answer in text.lower() for answer in answers)), None)

    def _random_passage(self, question: Question, generator: random.Random) -> str:
        paragraph = generator.randrange(len(self._corpus.paragraphs) - 1)
        return self._piece(paragraph + (paragraph >= question.paragraph), generator)

    def _piece(self, paragraph: int, generator: random.Random) -> str:
        pieces = self._corpus.paragraphs[paragraph].split(" ")
        length = generator.randint(15, LONGEST_PASSAGE_WORDS)
        begin = generator.randint(0, max(0, len(pieces) - length))
        return " ".join(pieces[begin : begin + length])


def _count(paragraph: str, places: list[tuple[int, int]], first: int, last: int) -> int:
    return paragraph.count(" ", places[first][0], places[last][1])


def _is_exchangeable(cut: _Cut) -> bool:
    return looks(cut.answer) in {"year", "number", "name"} and cut.text[slice(*cut.span)] == cut.answer


def _exchanged(cut: _Cut, other: str) -> _Cut:
    """The piece with every mention of the answer exchanged, as a source that is wrong would have it."""
    mention = re.compile(rf"(?<!\w){re.escape(cut.answer)}(?!\w)")
    before = mention.sub(lambda _: other, cut.text[: cut.start])
    after = mention.sub(lambda _: other, cut.text[cut.start + len(cut.answer) :])
    return _Cut(f"{before}{other}{after}", len(before), other)


def _without(cut: _Cut) -> str | None:
    """The piece without the sentence that answers, None where little or the answer itself remains."""
    rest = " ".join(
        cut.text[begin:end] for begin, end in sentence_spans(cut.text) if end <= cut.start or begin >= cut.span[1]
    )
    return rest if rest.count(" ") >= 15 and cut.answer.lower() not in rest.lower() else None
