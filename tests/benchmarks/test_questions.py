"""What the benchmark of questions compares."""

import asyncio

import numpy as np
import pytest

from benchmarks.questions.asking import Asked
from benchmarks.questions.corpus import embedder_of
from benchmarks.questions.passages import Question
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
