"""Facts: closed-ended questions that make sense on their own, each with the sentence that answers it.

Of a file in the SQuAD format those questions are kept whose answer stands in one sentence that answers no other kept
question, and for which enough wrong answers of the same kind can be found that leave no trace of the truth.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from answering.text import squad_normalise
from benchmarks.data.squad import load_articles
from benchmarks.multisource.answer_kinds import WrongAnswers, is_definite, kind_of
from benchmarks.multisource.traces import content_stems, traces

WRONG_ANSWERS = 9
LONGEST_SENTENCE = 420  # characters
SHORTEST_SENTENCE = 25
_SEED = 4

_CLOSED = re.compile(
    r"\b(?:who|whom|whose|when|where|what|which|how (?:many|much|long|old|far|tall|high|large|big))\b", re.IGNORECASE
)
_OPEN = re.compile(r"\b(?:why|how (?:do|does|did|is|are|was|were|can|could))\b|\bother than\b", re.IGNORECASE)
_DEICTIC = re.compile(r"\b(?:he|she|its?|they|them|him|his|hers?|theirs?|this|these|those|here)\b", re.IGNORECASE)
_PASSAGE = re.compile(r"\b(?:passage|paragraph|article|text|author|according to the)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(
    r"(?<!\b[A-Z])(?<!\bSt)(?<!\bDr)(?<!\bMr)(?<!\bMrs)(?<!\bvs)(?<!\bNo)(?<!\bca)(?<!\bc)(?<!\be\.g)(?<!\bi\.e)"
    r"[.!?][\"”’')\]]*(?:\[\d+\])?\s+(?=[\"“‘'(\[]?[A-Z0-9])"  # noqa: RUF001  (quotation marks as people set them)
)


@dataclass(frozen=True, slots=True)
class Fact:
    """A question, what answers it, and what does not."""

    id: str
    question: str
    golds: tuple[str, ...]
    """Right answers, the one that most annotators gave first; it stands in the sentence."""
    wrong: tuple[str, ...]
    """`WRONG_ANSWERS` wrong ones of the same kind."""
    title: str
    """What the article is about."""
    sentence: str
    """Says the answer."""
    neighbours: tuple[str, ...]
    """Sentences of the same article that answer no question of it."""

    @property
    def kind(self) -> str:
        """What kind of thing the answer is."""
        return kind_of(self.question, self.golds[0])


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A question of the file with the sentence that contains its answer."""

    id: str
    question: str
    golds: tuple[str, ...]
    title: str
    paragraph: int
    sentence: tuple[int, int]
    text: str


def load_facts(path: Path) -> list[Fact]:
    """The facts of a file in the SQuAD format (`.json` or `.json.gz`), in its order; always the same ones."""
    articles = _articles(path)
    candidates = {title: list(_candidates(title, paragraphs)) for title, paragraphs in articles.items()}
    invented = WrongAnswers(
        (candidate.question, candidate.golds[0]) for group in candidates.values() for candidate in group
    )
    return [fact for title in articles for fact in _article_facts(articles[title], candidates[title], invented)]


def split_sentences(text: str) -> list[tuple[int, int]]:
    """[start, end) of the sentences of a paragraph, without the white space between them."""
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    borders = zip([0, *ends], [*ends, len(text)], strict=True)
    return [(start, start + len(text[start:end].rstrip())) for start, end in borders if text[start:end].strip()]


def _articles(path: Path) -> dict[str, list[dict[str, Any]]]:
    return {
        article.get("title", f"Article {number}").replace("_", " "): article["paragraphs"]
        for number, article in enumerate(load_articles(path))
    }


def _candidates(title: str, paragraphs: Sequence[dict[str, Any]]) -> Iterator[_Candidate]:
    for number, paragraph in enumerate(paragraphs):
        context = paragraph["context"]
        borders = split_sentences(context)
        for question in paragraph["qas"]:
            text = " ".join(question["question"].split())
            answers = question["answers"]
            if not answers or not stands_alone(text, title):
                continue
            golds, start = _golds(answers)
            sentence = next(((first, last) for first, last in borders if first <= start < last), None)
            if sentence is not None and start + len(golds[0]) <= sentence[1] and is_definite(golds[0]):
                yield _Candidate(str(question["id"]), text, golds, title, number, sentence, context[slice(*sentence)])


def _golds(answers: Sequence[dict[str, Any]]) -> tuple[tuple[str, ...], int]:
    """All spellings, the most agreed (of several the shortest) first, and where that one stands."""
    counts = Counter(answer["text"].strip() for answer in answers)
    ordered = sorted(counts, key=lambda text: (-counts[text], len(text), text))
    start = next(answer["answer_start"] for answer in answers if answer["text"].strip() == ordered[0])
    return tuple(ordered), start


def stands_alone(question: str, title: str) -> bool:
    """Whether a question asks for something definite and makes sense without its paragraph."""
    if not _CLOSED.search(question) or _OPEN.search(question) or _PASSAGE.search(question):
        return False
    words = question.rstrip("? ").split()
    anchored = [at for at, word in enumerate(words) if at and (word[0].isupper() or any(map(str.isdigit, word)))]
    about = content_stems([title]) & content_stems([question])
    if not 4 <= len(words) <= 40 or not (anchored or about):
        return False
    pronoun = _DEICTIC.search(question)
    return pronoun is None or (bool(anchored) and question.find(words[anchored[0]]) < pronoun.start())


def _article_facts(
    paragraphs: Sequence[dict[str, Any]], candidates: Sequence[_Candidate], invented: WrongAnswers
) -> Iterator[Fact]:
    kept = _apart(candidates)
    answers = [gold for candidate in kept for gold in candidate.golds]
    free = [sentence for sentence in _sentences(paragraphs) if not any(says(sentence, gold) for gold in answers)]
    context = " ".join(paragraph["context"] for paragraph in paragraphs)
    for candidate in kept:
        wrong = invented.draw(
            candidate.question, candidate.golds, context, WRONG_ANSWERS, Random(f"{_SEED}:{candidate.id}")
        )
        if len(wrong) == WRONG_ANSWERS and all(_is_clean(candidate, value) for value in wrong):
            neighbours = tuple(text for text in free if not traces(text, candidate.golds, allowed=[candidate.question]))
            yield Fact(
                candidate.id, candidate.question, candidate.golds, wrong, candidate.title, candidate.text, neighbours
            )


def _apart(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """A greedy maximal set of questions of which no sentence contains two answers, least conflicting first."""
    fitting = [candidate for candidate in candidates if SHORTEST_SENTENCE <= len(candidate.text) <= LONGEST_SENTENCE]
    in_the_way = [sum(_overlap(candidate, other) for other in fitting) for candidate in fitting]
    kept: list[int] = []
    for index in sorted(range(len(fitting)), key=lambda index: (in_the_way[index], index)):
        if not any(_overlap(fitting[index], fitting[other]) for other in kept):
            kept.append(index)
    return [fitting[index] for index in sorted(kept)]


def _overlap(candidate: _Candidate, other: _Candidate) -> bool:
    same = (candidate.paragraph, candidate.sentence) == (other.paragraph, other.sentence)
    return same or says(candidate.text, other.golds[0]) or says(other.text, candidate.golds[0])


def _sentences(paragraphs: Sequence[dict[str, Any]]) -> list[str]:
    texts = [paragraph["context"] for paragraph in paragraphs]
    sentences = [text[start:end] for text in texts for start, end in split_sentences(text)]
    return [sentence for sentence in sentences if SHORTEST_SENTENCE <= len(sentence) <= LONGEST_SENTENCE]


def says(text: str, answer: str) -> bool:
    """Whether an answer stands in a text, up to case, punctuation and articles."""
    return f" {squad_normalise(answer)} " in f" {squad_normalise(text)} "


def swapped(text: str, golds: Sequence[str], other: str) -> str:
    """The text with every mention of every right answer replaced, the longest spelling first."""
    for gold in sorted(golds, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(gold)}(?!\w)", lambda _: other, text, flags=re.IGNORECASE)
    return text


def _is_clean(candidate: _Candidate, wrong: str) -> bool:
    """Whether the sentence says the wrong answer once swapped, and nothing of the right one."""
    lie = swapped(candidate.text, candidate.golds, wrong)
    return says(lie, wrong) and not traces(lie, candidate.golds, allowed=[candidate.question, wrong, candidate.title])
