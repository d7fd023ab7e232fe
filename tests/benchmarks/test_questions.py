"""What the benchmark of questions compares."""

import asyncio

import numpy as np
import pytest

from benchmarks.data.squad import Example
from benchmarks.partitions.corpus import Question
from benchmarks.questions.asking import Asked
from benchmarks.questions.corpus import embedder_of
from benchmarks.questions.lists import draw
from benchmarks.questions.searching import recall


def test_recall_is_the_mean_share_of_what_exact_search_found() -> None:
    assert recall([["a", "b"], ["c"], []], [["b", "x"], ["c", "d"], ["e"]]) == pytest.approx(0.75)


def test_percentiles_are_in_milliseconds() -> None:
    asked = Asked(seconds=[0.001, 0.002, 0.003], bare_seconds=[0.001])
    assert asked.milliseconds(50) == pytest.approx(2.0)
    assert asked.milliseconds(50, bare=True) == pytest.approx(1.0)


def test_questions_have_the_embeddings_that_they_were_drawn_with() -> None:
    embedder = embedder_of([Question("[1.0,0.5]", "first"), Question("[0.0,-1.0]", "second")])
    vectors = asyncio.run(embedder.embed(["second", "first"]))
    assert np.array_equal(vectors, np.array([[0.0, -1.0], [1.0, 0.5]], dtype=np.float32))


def test_passages_in_the_place_of_questions_are_of_other_articles() -> None:
    examples = [Example(f"question {number}", f"passage {number}", None, "set") for number in range(1_000)]
    world = draw(examples, np.random.default_rng(1), asked=50)
    assert not set(world.passages) & set(world.others)
    assert {question.replace("question", "passage") for question in world.questions} <= set(world.passages)
