"""Which paragraphs speak of the same thing: nearest by TF-IDF, within the same topic."""

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.training.judge.questions import Corpus, words

NEIGHBOURS = 4
# Compared with all others of their topic at a time: of some ten thousand all rows would take gigabytes.
ROWS = 512


def nearest_paragraphs(corpus: Corpus) -> list[list[int]]:
    """For every paragraph up to `NEIGHBOURS` others of its topic, the nearest first; none nearly the same."""
    vectors = _tf_idf(corpus.paragraphs)
    members: dict[str, list[int]] = defaultdict(list)
    for index, topic in enumerate(corpus.topics):
        members[topic].append(index)
    nearest: list[list[int]] = [[] for _ in corpus.paragraphs]
    for places in members.values():
        block = vectors[places]
        for first in range(0, len(places), ROWS):
            cosines = (block[first : first + ROWS] @ block.T).toarray()
            for row, similar in enumerate(cosines, start=first):
                nearest[places[row]] = [places[column] for column in _best(similar, row)]
    return nearest


def _best(cosines: NDArray[np.float64], own: int) -> list[int]:
    order = np.argsort(-cosines, kind="stable")
    others = [int(column) for column in order if column != own and cosines[column] < 0.8]
    return others[:NEIGHBOURS]


def _tf_idf(texts: tuple[str, ...]) -> sparse.csr_array:
    """(texts, words) with rows of length 1."""
    vocabulary: dict[str, int] = {}
    rows = [[vocabulary.setdefault(word, len(vocabulary)) for word in sorted(words(text))] for text in texts]
    columns = np.concatenate([np.array(row, dtype=np.int64) for row in rows])
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    frequency = np.bincount(columns, minlength=len(vocabulary))
    weights = np.log(len(texts) / frequency)[columns]
    matrix = sparse.csr_array((weights, columns, starts), shape=(len(texts), len(vocabulary)))
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1))).ravel()
    return sparse.csr_array(sparse.diags_array(1 / np.maximum(lengths, 1e-9)) @ matrix)
