"""Rivals without sources, with the same reader: counting heads, one reader over all results, naive RAG."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from answering.equivalence import answer_key
from answering.readers import Reader
from benchmarks.web.questions import WebQuestion
from benchmarks.web.service import MethodAnswer
from registry.runtime import Runtime

NEAREST = 10
HEADS, POOLED, NAIVE = "counting heads", "one reader over all results", f"naive RAG, {NEAREST} nearest"


async def answered(runtime: Runtime, questions: Sequence[WebQuestion], liars: int) -> Mapping[str, list[MethodAnswer]]:
    """The answers of every rival where so many texts with the wrong answer were published for each question."""
    reader = runtime.require_reader()
    shown = [
        [*(result.content for result in question.results), *question.wrong_texts[:liars]] for question in questions
    ]
    nearest = await _nearest(runtime, questions, [text for texts in shown for text in texts])
    return {
        HEADS: [await _counted(reader, question, texts) for question, texts in zip(questions, shown, strict=True)],
        POOLED: [await _read(reader, question, texts) for question, texts in zip(questions, shown, strict=True)],
        NAIVE: [await _read(reader, question, texts) for question, texts in zip(questions, nearest, strict=True)],
    }


async def _counted(reader: Reader, question: WebQuestion, texts: Sequence[str]) -> MethodAnswer:
    """One vote of every result; of equals the first."""
    readings = [(await reader.read(question.text, [text])).answer for text in texts if text]
    answers = [answer for answer in readings if answer]
    keys = Counter(map(answer_key, answers))
    most = max(answers, key=lambda answer: keys[answer_key(answer)], default=None)
    return MethodAnswer(most, readings=len(readings), votes=tuple(answers))


async def _read(reader: Reader, question: WebQuestion, texts: Sequence[str]) -> MethodAnswer:
    reading = await reader.read(question.text, [text for text in texts if text])
    return MethodAnswer(reading.answer, readings=1, votes=(reading.answer,) if reading.answer else ())


async def _nearest(runtime: Runtime, questions: Sequence[WebQuestion], texts: Sequence[str]) -> list[list[str]]:
    """The texts nearest to each question by cosine similarity, of all texts of the corpus."""
    distinct = [text for text in dict.fromkeys(texts) if text]
    vectors = np.asarray(await runtime.embedder.embed([*distinct, *(question.text for question in questions)]))
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    similarity = vectors[len(distinct) :] @ vectors[: len(distinct)].T
    return [[distinct[place] for place in np.argsort(-row, kind="stable")[:NEAREST]] for row in similarity]
